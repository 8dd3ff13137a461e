"""What the dynamic loader missed, in dyld's words of several macOS releases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import Unlinked
from compat.matrix.signatures import plain
from compat.probe.pasted.lines import Log

_SYMBOL = re.compile(rb"ymbol not found(?: in flat namespace)?:?\s{1,20}[(]?'?\(?([_A-Za-z$][\w$@.]{2,400})")
_FLAT = re.compile(rb"ymbol not found in flat namespace[^\n]{0,20}?'([_A-Za-z$][\w$@.]{2,400})'")
_UNDEFINED = re.compile(rb"undefined symbol: ([_A-Za-z$][\w$@.]{2,400})")
_LIBRARY = re.compile(rb"ibrary not loaded: ['\"]?([^\s'\",)]{3,300})")
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


def _wanted_by(log: Log, at: int) -> str:
    text = log.window(at, 1, 3)
    found = _WANTED_BY.search(text) or _OPENED.search(text)
    path = plain(found[1]) if found else ""
    return path.replace("\\", "/").rpartition("/")[2].strip()[:120]
