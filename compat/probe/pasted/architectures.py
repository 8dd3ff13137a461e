"""What Python runs as, by a text: wheels taken, platform strings, compilers' and conda's names for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import SAID, SEEN
from compat.probe.pasted.lines import Log
from compat.probe.pasted.mention import Mention, Place, places

_PLATFORM = re.compile(rb"(?:macOS|Darwin|Linux|Windows)-\d{1,3}(?:\.\d{1,6}){0,3}-([\w.+-]{3,100})")
_IN_PLATFORM = re.compile(r"(?:^|-)(arm64|aarch64|x86_64|AMD64)(?:-|$)")
_WHEEL = re.compile(rb"-cp\d{2,3}-\w{3,12}-((?:macosx|manylinux|win|linux)[\w.]{2,100})\.whl")
_TAKEN = re.compile(r"Downloading|Using cached|Saved|Fetching")
_TRIPLET = re.compile(rb"(?:arm64|aarch64|x86_64)(?=-apple-darwin)")
_CONDA = re.compile(rb"osx-(arm64|64)(?![\w])")
_CONDA_NAMES = re.compile(r"(?:osx|linux|win)-(?:arm64|aarch64|64)(?!\w)")
"""A line with several of conda's platforms is a list of them."""
_ASKED = re.compile(
    rb"(?:platform\.machine\(\)|uname -m|[Aa]rchitecture|platform\.processor\(\))[^\n]{0,40}?\n?[>\s'\"]{0,8}"
    rb"(arm64|x86_64|aarch64|i386|arm)(?!\w)"
)
_AVX = re.compile(rb"compiled to use AVX instructions|CPU instructions[^\n]{0,80}:\s{1,3}[^\n:]{0,40}\bAVX")
"""Lines of ``cpu_feature_guard``: only a TensorFlow built for x86_64 knows of AVX."""
_MIXTURE = re.compile(
    r"have '|but is an incompatible|need '|wrong architecture|not a supported wheel|Requires-Python|from versions"
    r"|universal2"
)
"""Lines that name an architecture because it is not the one that runs, or several."""
_ALONE = re.compile(
    rb"(?m)^[\s>*-]{0,8}(?:[Mm]ac ?OS[ \w.]{0,12}[ ,/(]|[Cc]hip:? |CPU:? |[Mm]achine:? )?(arm64|x86[-_]64|x86)"
    rb"(?= *$| M\d| ?\()"
)
"""A field or a note that holds nothing but the word: ``arm64``, ``macOS x86_64``."""
_ROSETTA = re.compile(rb"osetta")
_WORDS = {"AMD64": "x86_64", "i386": "x86_64", "arm": "arm64", "64": "x86_64", "x86": "x86_64", "x86-64": "x86_64"}


def architectures(log: Log) -> Iterator[Mention]:
    """Yield what Python runs as."""
    for place in places(log, _PLATFORM):
        found = _IN_PLATFORM.search(place.group(1))
        if found:
            yield _process(place, found[1])
    yield from _wheels(log)
    for place in places(log, _TRIPLET):
        yield _process(place, {"aarch64": "arm64"}.get(place.group(0), place.group(0)))
    yield from _condas(log)
    for place in places(log, _ASKED):
        if not _MIXTURE.search(place.line):
            yield _process(place, place.group(1))
    for place in places(log, _AVX):
        yield _process(place, "x86_64")
    for place in places(log, _ALONE):
        yield place.says("process", _WORDS.get(place.group(1), place.group(1)), SAID)
    for place in places(log, _ROSETTA):
        yield place.says("rosetta", "", SAID)


def _condas(log: Log) -> Iterator[Mention]:
    """Yield conda's name for what it runs as; not of what is only asked for, nor of a list of platforms."""
    for place in places(log, _CONDA):
        if "subdir" not in place.before.lower() and len(set(_CONDA_NAMES.findall(place.line))) == 1:
            yield _process(place, place.group(1))


def _process(place: Place, word: str) -> Mention:
    return place.says("process", _WORDS.get(word, word), SEEN)


def _wheels(log: Log) -> Iterator[Mention]:
    """A wheel that an installer took fits the Python that runs it."""
    for place in places(log, _WHEEL):
        if not _TAKEN.search(place.before) or _MIXTURE.search(place.line):
            continue
        tags = place.group(1)
        for word in ("arm64", "x86_64", "aarch64"):
            if tags.endswith(word):
                yield _process(place, word)
        os = "macos" if "macosx" in tags else "windows" if tags.startswith("win") else "linux"
        yield place.says("os", os, SEEN)
