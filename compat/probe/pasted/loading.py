"""What the dynamic loader missed, in dyld's words of several macOS releases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import Unlinked
from compat.matrix.signatures import plain
from compat.probe.pasted.lines import Log
from compat.probe.pasted.mention import told

_SYMBOL = re.compile(rb"ymbol not found(?: in flat namespace)?:?\s{1,20}[(]?'?\(?([_A-Za-z$][\w$@.]{2,400})")
_FLAT = re.compile(rb"ymbol not found in flat namespace[^\n]{0,20}?'([_A-Za-z$][\w$@.]{2,400})'")
_UNDEFINED = re.compile(rb"undefined symbol: ([_A-Za-z$][\w$@.]{2,400})")
_LIBRARY = re.compile(rb"ibrary not loaded: ['\"]?([^\s'\",)]{3,300})")
_SAID = (
    re.compile(
        rb"([\w@./-]{3,120}\.(?:so|dylib))['\"`]? (?:[A-Za-z]{2,12} ){0,2}"
        rb"(?:not found|NotFoundError|missing|not loaded)"
    ),
    re.compile(rb"(?:[Mm]issing|find|lacks|without) (?:[A-Za-z]{2,12} ){0,3}['\"`]?([\w@./-]{3,120}\.(?:so|dylib))\b"),
)
"""A person's words for it."""
_WANTED_BY = re.compile(
    r"Referenced from:\s*(?:<[^>]{0,80}>)?\s*['\"]?([^'\"\n]{1,400}?)['\"]?\s*(?:Expected in|Reason|$)"
)
_OPENED = re.compile(r"dlopen\(([^,)\n]{1,400})")
_MOST = 20
"""Complaints that are kept; dyld names one at a time."""


def unlinked(log: Log) -> Iterator[Unlinked]:
    """Yield each library or symbol that was missed, once, with the file that wanted it."""
    seen: set[str] = set()
    for pattern in (_FLAT, _SYMBOL, _UNDEFINED, _LIBRARY):
        for match in pattern.finditer(log.data):
            name = match[1].decode("utf-8", "replace").rstrip(".'")
            if name in seen or name == "in" or len(seen) >= _MOST:
                continue
            seen.add(name)
            yield Unlinked(
                name=name,
                line=log.line(match.start()),
                wanted_by=_wanted_by(log, match.start()),
                is_library=pattern is _LIBRARY,
            )
    for match in (match for pattern in _SAID for match in told(log, pattern)):
        name = match[1].decode("utf-8", "replace").rpartition("/")[2]
        if not any(other.endswith(name) for other in seen) and len(seen) < _MOST:
            seen.add(name)
            yield Unlinked(name=name, line=log.line(match.start()), is_library=True)


def _wanted_by(log: Log, at: int) -> str:
    text = log.window(at, 1, 3)
    found = _WANTED_BY.search(text) or _OPENED.search(text)
    path = plain(found[1]) if found else ""
    return path.replace("\\", "/").rpartition("/")[2].strip()[:120]
