"""Which Python a text speaks of: paths, banners and wheel names of its own (seen), forms and sentences (said)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import ASKED, SAID, SEEN
from compat.probe.pasted.lines import Log
from compat.probe.pasted.mention import Mention, places
from compat.probe.pasted.wording import is_about_elsewhere, is_range, without_examples

_SEEN = (
    re.compile(rb"ython(\d\.\d{1,2})/(?:site-packages|dist-packages|lib-dynload|[a-z_]{2,30}\.py)"),
    re.compile(rb"ibrary/Python/(\d\.\d{1,2})/"),
    re.compile(rb"ython3?\.framework/Versions/(\d\.\d{1,2})"),
    re.compile(rb"cpython-(\d)(\d{1,2})-(?:darwin|x86_64|aarch64|arm)"),
    re.compile(rb"ython(3)(\d{1,2})\\+(?:lib|Lib|site-packages|python\.exe)"),
    re.compile(rb"ython(\d\.\d{1,2})\\+lib"),
    re.compile(rb"ython (\d\.\d{1,2}\.\d{1,2})(?:rc\d)? (?:\(|\||::)"),
    re.compile(rb"3\.\d{1,2}\.\d{1,2}(?= (?:\((?:main|default|tags|v3)|\| packaged by))"),
    re.compile(rb"\(python (\d\.\d{1,2})\)"),
)
_SAID = re.compile(
    rb"ython3?(?:[ \t|:(,\"'`*=_-]|is|version|Version){0,40}[vV]?"
    rb"(3\.\d{1,2}(?:\.\d{1,2})?)(?:(?:a|b|rc)\d{1,2})?(?![\w]|\.\d)"
)
_OF = re.compile(
    rb"ython (?:on|from|of|in|via|by) (?:[Aa]naconda|[Mm]ini(?:conda|forge)|[Cc]onda|[Hh]omebrew|[Bb]rew|pyenv"
    rb"|python\.org)[ \t:=(,]{1,6}[vV]?(3\.\d{1,2}(?:\.\d{1,2})?)(?![\w]|\.\d)"
)
_FORM = re.compile(rb"ython [Vv]ersion([^\n]{0,80})")
_VALUE = re.compile(r"(?:^|[^\w.])v?(3\.\d{1,2}(?:\.\d{1,2})?)(?![\w.]*\w)")
_ASKED = re.compile(r"conda create|python=3|--python|uv venv|pyenv install")
_WHEEL = re.compile(rb"-cp(\d)(\d{1,2})-\w{3,12}-(?:macosx|manylinux|win|linux)")
_TAKEN = re.compile(r"Downloading|Using cached|Saved|Fetching")


def interpreters(log: Log) -> Iterator[Mention]:
    """Yield the versions of Python that are stated."""
    for pattern in _SEEN:
        for place in places(log, pattern):
            yield place.says("python", ".".join(part.decode() for part in place.match.groups()) or place.group(0), SEEN)
    for place in places(log, _WHEEL):
        if _TAKEN.search(place.before):
            yield place.says("python", f"{place.group(1)}.{place.group(2)}", SEEN)
    for place in (*places(log, _SAID), *places(log, _OF)):
        if not (
            is_range(place.before, place.after)
            or is_about_elsewhere(place.before, place.after)
            or place.after.startswith(("/", "\\"))
        ):
            yield place.says("python", place.group(1), ASKED if _ASKED.search(place.line) else SAID)
    yield from _forms(log)


def _forms(log: Log) -> Iterator[Mention]:
    """The field *Python version* of an issue form: its value stands behind it, or on one of the next lines."""
    for place in places(log, _FORM):
        below = (raw for _, raw in log.after(place.match.end(), 3))
        found = (_VALUE.search(without_examples(line)) for line in (place.group(1), *below))
        value = next((hit[1] for hit in found if hit), None)
        if value:
            yield place.says("python", value, SAID)
