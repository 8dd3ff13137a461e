"""Where every key and string of a TOML text stands: the kept parsers give values and no places.

The text is scanned once. Whether it is TOML at all is the parser's to say (``toml_document``); of a text that is none,
the places found so far are returned.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from typing import Any

from compat.facts.pins import Span

Path = tuple[str | int, ...]
"""Keys and, in arrays, indices from 0: ``("project", "dependencies", 0)``."""

LIMIT_DEPTH = 64
"""Brackets in brackets, and parts of one key; dependency files have five. The parsers take quadratic time for keys of
many parts and recursion for brackets in brackets."""

_BASIC = r'"(?:[^"\\\n]+|\\.)*"?'
_LONG_BASIC = r'"""(?:[^"\\]+|\\[\s\S]|"(?!""))*(?:"""|\\?\Z)'
_LONG_LITERAL = r"'''(?:[^']+|'(?!''))*(?:'''|\Z)"
_TEXT = re.compile(rf"{_LONG_BASIC}|{_LONG_LITERAL}|{_BASIC}|'[^'\n]*'?")
"""A string to its end, or to the text's where it has none: it always matches at a quote and so never goes back."""
_ASIDE = re.compile(rf"{_TEXT.pattern}|#[^\n]*")
_BARE = re.compile(r"[^\s\[\]{}=.,#\"']+")
_SCALAR = re.compile(r"[^,\]}#\r\n]+")
_SPACE = re.compile(r"[ \t\r\n]*(?:#[^\n]*[ \t\r\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_NESTING = re.compile(r"[\[\]{}]")


@dataclass(frozen=True, slots=True)
class Text:
    """A string value: the characters between its quotes as they are written."""

    start: int
    end: int
    quote: str
    """One of the four kinds of quotes."""

    @property
    def outer(self) -> Span:
        """The string with its quotes."""
        return Span(start=self.start - len(self.quote), end=self.end + len(self.quote))


@dataclass(frozen=True, slots=True)
class Key:
    """A key: where its name stands, and the statement that brought it up first."""

    start: int
    """Of the name's first character, behind its quote."""
    begin: int
    """Of the statement, or of the header's bracket."""
    end: int
    """Behind the statement's value, or the header's bracket."""
    form: str
    """``line``, ``inline`` (in an inline table), or ``header``."""


@dataclass(frozen=True, slots=True)
class Places:
    """What stands where."""

    keys: dict[Path, Key] = field(default_factory=dict)
    texts: dict[Path, Text] = field(default_factory=dict)
    bodies: dict[Path, int] = field(default_factory=dict)
    """For a table with a header of its own: the end of the last line that belongs to it."""


class _LostError(Exception):
    """The text is no TOML from here on."""


def loads(text: str) -> dict[str, Any]:
    """Return the values of a TOML text. Raises ValueError."""
    import tomli  # the standard library's own, compiled

    return tomli.loads(text)


def places(text: str) -> Places:
    """Return the places of a TOML text, as far as it is one."""
    scan = _Scan(text)
    with contextlib.suppress(_LostError):
        scan.document()
    return scan.found


def too_deep(text: str) -> int | None:
    """Return the offset at which a text nests deeper than any dependency file does, None for a shallow one."""
    if text.count("[") + text.count("{") <= LIMIT_DEPTH and text.count(".") <= LIMIT_DEPTH:
        return None
    bare = _ASIDE.sub(lambda found: " " * len(found[0]), text)
    depth = 0
    for bracket in _NESTING.finditer(bare):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > LIMIT_DEPTH:
            return bracket.start()
    at = 0
    for line in bare.split("\n"):
        if line.count(".") > LIMIT_DEPTH and any(
            part.count(".") > LIMIT_DEPTH for part in re.split(r"[,\[\]{}]", line)
        ):
            return at
        at += len(line) + 1
    return None


class _Scan:
    """One pass over a text."""

    __slots__ = ("arrays", "at", "found", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found = Places()
        self.arrays: dict[Path, int] = {}
        """Arrays of tables and the index of their last element."""

    def document(self) -> None:
        table: Path = ()
        while True:
            self._pass(_SPACE)
            if self.at >= len(self.text):
                return
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._statement(table, "line", 0)

    def _header(self) -> Path:
        begin, double = self.at, self.text.startswith("[[", self.at)
        self.at += 1 + double
        names = self._key()
        self._expect("]]" if double else "]")
        path: Path = ()
        for number, (name, start) in enumerate(names, 1):
            path = (*path, name)
            self.found.keys.setdefault(path, Key(start, begin, self.at, "header"))
            if double and number == len(names):
                self.arrays[path] = self.arrays.get(path, -1) + 1
            if path in self.arrays:
                path = (*path, self.arrays[path])
        self.found.bodies[path] = self._line_end()
        return path

    def _statement(self, table: Path, form: str, depth: int) -> None:
        begin = self.at
        names = self._key()
        self._expect("=")
        self._pass(_BLANK)
        path = (*table, *(name for name, _ in names))
        self._value(path, depth)
        for number, (_, start) in enumerate(names, 1):
            self.found.keys.setdefault(path[: len(table) + number], Key(start, begin, self.at, form))
        if form == "line":
            self.found.bodies[table] = self._line_end()

    def _key(self) -> list[tuple[str, int]]:
        names: list[tuple[str, int]] = []
        while len(names) <= LIMIT_DEPTH:
            self._pass(_BLANK)
            names.append(self._name())
            self._pass(_BLANK)
            if not self.text.startswith(".", self.at):
                return names
            self.at += 1
        raise _LostError

    def _name(self) -> tuple[str, int]:
        if self.text[self.at : self.at + 1] in {'"', "'"}:
            place = self._string()
            return decoded(self.text, place), place.start
        found = _BARE.match(self.text, self.at)
        if found is None:
            raise _LostError
        self.at = found.end()
        return found[0], found.start()

    def _value(self, path: Path, depth: int) -> None:
        sign = self.text[self.at : self.at + 1]
        if depth > LIMIT_DEPTH or not sign:
            raise _LostError
        if sign in {'"', "'"}:
            self.found.texts[path] = self._string()
        elif sign == "[":
            self._elements(path, depth + 1, "]")
        elif sign == "{":
            self._elements(path, depth + 1, "}")
        else:
            found = _SCALAR.match(self.text, self.at)
            if found is None:
                raise _LostError
            self.at += len(found[0].rstrip())

    def _elements(self, path: Path, depth: int, closing: str) -> None:
        self.at += 1
        number = 0
        while True:
            self._pass(_SPACE)
            if self.text.startswith(closing, self.at):
                self.at += 1
                return
            if closing == "]":
                self._value((*path, number), depth)
            else:
                self._statement(path, "inline", depth)
            number += 1
            self._pass(_SPACE)
            if not self.text.startswith(closing, self.at):
                self._expect(",")

    def _string(self) -> Text:
        found = _TEXT.match(self.text, self.at)
        if found is None:
            raise _LostError
        quote = self.text[self.at] * (3 if found[0].startswith(('"""', "'''")) else 1)
        end = found.end()
        while len(quote) == 3 and self.text.startswith(quote[0], end) and end < found.end() + 2:  # noqa: PLR2004
            end += 1  # one or two quotes may stand before the closing three
        self.at = end
        if end - found.start() < 2 * len(quote) or not self.text.endswith(quote, found.start() + len(quote), end):
            raise _LostError
        return Text(found.start() + len(quote), end - len(quote), quote)

    def _expect(self, sign: str) -> None:
        self._pass(_BLANK)
        if not self.text.startswith(sign, self.at):
            raise _LostError
        self.at += len(sign)

    def _pass(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _line_end(self) -> int:
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        return end - 1 if end > self.at and self.text[end - 1] == "\r" else end


def decoded(text: str, place: Text) -> str:
    """Return what a string says, its escapes resolved."""
    written = text[place.start : place.end]
    if "\\" not in written and "\n" not in written:
        return written
    outer = place.outer
    try:
        return str(loads(f"x = {text[outer.start : outer.end]}")["x"])
    except ValueError:
        return written
