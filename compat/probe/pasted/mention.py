"""A statement where it was found, before its line is read: a log makes the same one thousands of times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from compat.probe.pasted.lines import Log

SAME_TEXT = 6
"""Places of one and the same piece of text that are looked at: a log repeats itself."""


ENDS = 1 << 16
"""Bytes at each end of a text within which people's sentences are looked for: between stands a program's log."""


class Mention(NamedTuple):
    """As ``facts.pasted.Stated``, with the place in the log."""

    name: str
    value: str
    how: str
    at: int


class Place(NamedTuple):
    """A pattern's match with the rest of its line."""

    match: re.Match[bytes]
    before: str
    after: str

    def group(self, number: int) -> str:
        """Return a group as text; empty where it took no part."""
        return (self.match[number] or b"").decode("utf-8", "replace")

    @property
    def line(self) -> str:
        """Return the whole line."""
        return self.before + self.group(0) + self.after

    def says(self, name: str, value: str, how: str) -> Mention:
        """Return the statement made here."""
        return Mention(name, value, how, self.match.start())


def places(log: Log, pattern: re.Pattern[bytes]) -> Iterator[Place]:
    """Yield where a pattern stands; of one and the same text the first few."""
    seen: Counter[bytes] = Counter()
    for match in pattern.finditer(log.data):
        seen[match[0]] += 1
        if seen[match[0]] <= SAME_TEXT:
            start, end = log.bounds(match.start())
            before = log.data[start : match.start()].decode("utf-8", "replace")
            yield Place(match, before, log.data[match.end() : end].decode("utf-8", "replace"))


def told(log: Log, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    """Yield where a pattern of people's words stands at the two ends of a text."""
    size = len(log.data)
    yield from pattern.finditer(log.data, 0, min(size, ENDS))
    yield from pattern.finditer(log.data, max(ENDS, size - ENDS), size)
