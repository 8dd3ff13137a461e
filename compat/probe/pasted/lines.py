"""A log as bytes, and the lines around a place in it: bounded, however long a line is.

Logs repeat themselves: of lines that differ only in figures and bars, the first and the last of each stretch are kept,
so that a megabyte of progress costs little more than a page. Numbers stay those of the whole text.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from itertools import accumulate, repeat

from compat.facts.pasted import Line
from compat.matrix.signatures import plain
from compat.probe.masking import mask_text
from compat.probe.pasted.source import SOFT_BREAK

REACH = 4000
"""Bytes looked at to either side of a place within one line."""
SHOWN = 300
"""Characters of a line that are kept to be shown."""
_STRETCH = 1 << 18
"""Bytes within which one kind of line is kept at its first and last place."""
_WHOLE = 1 << 15
"""Bytes up to which a text is kept whole."""
_END = 1 << 13
"""Bytes of a longer text's end that are kept whole: the error stands there."""
_LONG = 1 << 16
"""Bytes of one line above which only its beginning and its end are kept: no person reads on, no tool prints so."""
_MOST = 1 << 22
"""Bytes of different lines that are kept from each end of a text."""
_VARYING = bytes(range(0x80, 0x100)) + b"0123456789=>.#%- \t"
"""Bytes that do not make lines different in kind: figures, bars, the parts of letters beyond ASCII."""

_FRAME = re.compile(r"^[\s>|│┃║╰╭╮╯├└┌┐─━╌▶×❌•]+|[\s│┃║|]+$")
_HOMES = re.compile(r"(?:/Users|/home)/[^/\s:'\"]+|[A-Za-z]:\\+Users\\+[^\\\s:'\"]+")


class Log:
    """One text, searchable: ``data`` holds the lines that are kept, each ended by a line feed."""

    def __init__(self, whole: bytes) -> None:
        kept, self._numbers = _bounded(*_kept(whole))
        self.data = b"\n".join(kept)
        self._starts = [0, *accumulate(len(line) + 1 for line in kept)]

    def bounds(self, at: int) -> tuple[int, int]:
        """Return where the line around a place begins and ends (at most ``REACH`` away)."""
        low, high = max(0, at - REACH), min(len(self.data), at + REACH)
        start, end = self.data.rfind(b"\n", low, at) + 1, self.data.find(b"\n", at, high)
        return start or low, high if end < 0 else end

    def raw(self, at: int) -> str:
        """Return the line around a place as it stands."""
        start, end = self.bounds(at)
        return self.data[start:end].decode("utf-8", "replace")

    def number(self, at: int) -> int:
        """Return the number of the line around a place."""
        return self._numbers[min(bisect.bisect_right(self._starts, at), len(self._numbers)) - 1]

    def line(self, at: int) -> Line:
        """Return the line around a place, numbered, cleaned and masked."""
        return Line(number=self.number(at), text=shown(self.raw(at)))

    def after(self, at: int, count: int) -> Iterator[tuple[int, str]]:
        """Yield up to ``count`` lines below the one around a place, each with where it begins."""
        _, end = self.bounds(at)
        while count > 0 and end + 1 < len(self.data):
            start, last = self.bounds(end + 1)
            yield start, self.data[start:last].decode("utf-8", "replace")
            end, count = max(last, end + 1), count - 1

    def window(self, at: int, before: int, after: int) -> str:
        """Return the lines around a place as one text."""
        start, end = self.bounds(at)
        for _ in range(before):
            if start > 0:
                start, _ = self.bounds(start - 1)
        for _ in range(after):
            if end + 1 < len(self.data):
                _, end = self.bounds(end + 1)
        return self.data[start:end].decode("utf-8", "replace")


def _bounded(lines: list[bytes], numbers: list[int]) -> tuple[list[bytes], list[int]]:
    """Cut overlong lines, and of very many different ones keep those of the beginning and the end."""
    if any(len(line) > _LONG for line in lines):
        lines = [line if len(line) <= _LONG else line[: _LONG // 2] + b" " + line[-_LONG // 2 :] for line in lines]
    sizes = list(accumulate(len(line) + 1 for line in lines))
    if not sizes or sizes[-1] <= 2 * _MOST:
        return lines, numbers
    first, last = bisect.bisect_left(sizes, _MOST), bisect.bisect_right(sizes, sizes[-1] - _MOST)
    return lines[:first] + lines[last:], numbers[:first] + numbers[last:]


def _kept(whole: bytes) -> tuple[list[bytes], list[int]]:
    """Return the lines worth looking at, and their numbers."""
    tail = whole.rfind(b"\n", 0, len(whole) - _END) + 1 if len(whole) > _WHOLE else 0
    lines: list[bytes] = []
    numbers: list[int] = []
    start, number = 0, 1
    while start < tail:
        end = whole.rfind(b"\n", start, min(start + _STRETCH, tail)) + 1 or whole.find(b"\n", start, tail) + 1 or tail
        part = whole[start:end].removesuffix(b"\n")
        _keep(part, number, lines, numbers)
        number += part.count(b"\n") + 1
        start = end
    for offset, line in enumerate(whole[tail:].split(b"\n")):
        pieces = line.split(SOFT_BREAK)
        lines += pieces
        numbers += repeat(number + offset, len(pieces))
    return lines, numbers


def _keep(part: bytes, number: int, lines: list[bytes], numbers: list[int]) -> None:
    """Add the first and the last line of each kind in a stretch."""
    if SOFT_BREAK in part:
        pairs = [(piece, row) for row, line in enumerate(part.split(b"\n")) for piece in line.split(SOFT_BREAK)]
        part = b"\n".join(piece for piece, _ in pairs)
        rows = [row for _, row in pairs]
    else:
        rows = []
    found = part.split(b"\n")
    kinds = part.translate(None, _VARYING).split(b"\n")
    last = dict(zip(kinds, range(len(kinds)), strict=True))
    first = dict(zip(reversed(kinds), range(len(kinds) - 1, -1, -1), strict=True))
    for index in sorted({*first.values(), *last.values()}):
        lines.append(found[index])
        numbers.append(number + (rows[index] if rows else index))


def unframed(text: str) -> str:
    """Return a line without quoting, box lines and indentation."""
    return plain(_FRAME.sub("", text))


def shown(text: str) -> str:
    """Return a line fit to be shown: one line, no control signs, every home folder as ``~``, secrets hidden."""
    line = _HOMES.sub("~", mask_text(unframed(text[: 4 * SHOWN])))
    safe = line if line.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in line)
    return safe if len(safe) <= SHOWN else safe[: SHOWN - 1] + "…"
