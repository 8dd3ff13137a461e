"""What installers said they could not get, and what they could choose from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import SEEN, Offered
from compat.matrix.signatures import plain
from compat.probe.pasted.lines import Log, unframed
from compat.probe.pasted.mention import Mention
from compat.probe.pasted.packages import normalized

_REACH = 6000
"""Bytes within which pip's list of versions ends; the longest of TensorFlow's family is below 2,000."""
_W = rb"[\s\xe2\x94\x82>|]{1,60}"
"""White space with the box lines and quoting that wrapping puts into it."""
_LISTED = re.compile(
    rb"satisf(?:y|ies)" + _W + rb"the" + _W + rb"requirement" + _W + rb"([A-Za-z][\w.-]{1,60})",
)
_NO_MATCH = re.compile(rb"matching distribution found for ([A-Za-z][\w.-]{1,60})(?:\[[\w,-]{1,40}\])?([^\s;(]{0,60})")
_NO_WHEEL = re.compile(
    rb"has" + _W + rb"no" + _W + rb"wheels?" + _W + rb"with" + _W + rb"a" + _W + rb"matching([^`]{1,120}`[\w.]{3,40}`)?"
)
_BEFORE_NO_WHEEL = re.compile(rb"([A-Za-z][\w.-]{1,60})(==[\w.]{1,20})?" + _W + rb"$")
_TAG = re.compile(rb"`(?:cp(\d)(\d{1,2})t?|(macosx|manylinux|win)\w*?_(arm64|x86_64|aarch64|amd64))`")
_VERSIONS = re.compile(r"\(from versions?:\s*([^)]*)\)")
_ASKED = re.compile(r"requirement\s+[A-Za-z][\w.-]*(?:\[[^\]]{0,60}\])?\s*([^\s(;]*)")


def offered(log: Log) -> Iterator[Offered]:
    """Yield each complaint of pip, pipenv, poetry or uv that nothing fits, with its list of versions if any."""
    seen: set[tuple[str, str]] = set()
    for match in _LISTED.finditer(log.data):
        text = _joined(log, match.start())
        listed, asked = _VERSIONS.search(text), _ASKED.search(text)
        name, specifier = normalized(match[1].decode()), (asked[1] if asked else "").rstrip(",.:")
        versions = tuple(part.strip() for part in listed[1].split(",")) if listed else ()
        seen.add((name, specifier))
        yield Offered(
            name=name,
            specifier=specifier,
            versions=tuple(version for version in versions if version[:1].isdigit()),
            line=log.line(match.start()),
            is_list=listed is not None,
        )
    for at, match in _without_list(log):
        key = normalized(match[1].decode()), (match[2] or b"").decode().rstrip(",.:")
        if key not in seen:
            seen.add(key)
            yield Offered(name=key[0], specifier=key[1], versions=(), line=log.line(at), is_list=False)


def _without_list(log: Log) -> Iterator[tuple[int, re.Match[bytes]]]:
    for match in _NO_MATCH.finditer(log.data):
        yield match.start(), match
    for verb in _NO_WHEEL.finditer(log.data):
        subject = _BEFORE_NO_WHEEL.search(log.data[max(0, verb.start() - 160) : verb.start()])
        if subject:
            yield verb.start(), subject


def tags(log: Log) -> Iterator[Mention]:
    """Yield the Python, or the system and architecture, that uv names because a package has no wheel for it."""
    for verb in _NO_WHEEL.finditer(log.data):
        tag = _TAG.search(verb[1] or b"")
        if tag is None:
            continue
        if tag[1]:
            yield Mention("python", f"{tag[1].decode()}.{tag[2].decode()}", SEEN, verb.start())
        else:
            systems = {b"macosx": "macos", b"manylinux": "linux", b"win": "windows"}
            yield Mention("os", systems[tag[3]], SEEN, verb.start())
            yield Mention("process", tag[4].decode().replace("amd64", "x86_64"), SEEN, verb.start())


def _joined(log: Log, at: int) -> str:
    """Return the complaint as one line: terminals and issue forms wrap and quote it."""
    start, _ = log.bounds(at)
    text = log.data[start : at + _REACH].decode("utf-8", "replace")
    end = text.find(")", text.find("from version"))
    whole = text[: end + 1] if end >= 0 and text.find("from version") >= 0 else text[:600]
    lines = [unframed(line) for line in whole.split("\n")]
    return plain(" ".join(lines)).replace("satisfies the requirement", "requirement", 1)
