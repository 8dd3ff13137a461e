"""The decoded text of one file, and the places in it."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from pathlib import Path

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text; its line ends are kept as they are."""

    path: Path
    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark the file begins with."""
    _starts: list[int] = field(default_factory=list, compare=False, repr=False)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of a character."""
        if not self._starts:
            self._starts.extend(_line_starts(self.text))
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def start_of(self, line: int) -> int:
        """Return the offset at which a line (from 1) begins."""
        self.place(0)
        return self._starts[min(line, len(self._starts)) - 1]

    @property
    def newline(self) -> str:
        """The line end the file uses first; LF where it has none."""
        end = self.text.find("\n")
        return "\r\n" if end > 0 and self.text[end - 1] == "\r" else "\n"


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def decoded(raw: bytes) -> tuple[str, str, bytes]:
    """Return text, encoding and byte order mark; UTF-8 where there is no mark. Raises UnicodeDecodeError.

    Windows' PowerShell writes ``pip freeze > requirements.txt`` as UTF-16 with a mark; pip reads it.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding), encoding, mark
    return raw.decode("utf-8"), "utf-8", b""
