"""A TOML file, parsed by a kept library, with the places of its keys and strings; and pins made of what it holds."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin, PinFile, Span, Unread, Writing
from compat.probe.pins import requirement
from compat.probe.pins.source import Source
from compat.probe.pins.toml.places import Key, Path, Places, loads, places, too_deep

_WHERE = re.compile(r"\s*\((?:at line (\d+), column (\d+)|at end of document)\)\s*$")

_REST = re.compile(r"[ \t]*(,?)[ \t]*((?:#[^\r\n]*)?)(?=\r?\n|\Z)")
LIMIT_ENTRIES = 5_000
"""Entries of one table or array; the locks and manifests read for this had at most some hundreds."""
_LIMIT_REQUIREMENT = 20_000
"""Characters; a marker of uv's has had 4,000."""
_INDENTATION = 200
"""Characters; what stands behind more is taken for one of several on a line."""


@dataclass(frozen=True)
class Document:
    """A parsed file; places are looked up only where somebody asks for one."""

    source: Source
    data: dict[str, Any]

    @functools.cached_property
    def places(self) -> Places:
        """The places of keys and strings."""
        return places(self.source.text)

    def at(self, path: Path) -> tuple[int, int]:
        """Return line and column of a key, or of a string's first character; those of the table around it else."""
        while path:
            if path in self.places.texts:
                return self.source.place(self.places.texts[path].start)
            if path in self.places.keys:
                return self.source.place(self.places.keys[path].start)
            path = path[:-1]
        return 1, 1

    def get(self, *path: str | int) -> object:
        """Return the value there, None where there is none."""
        value: object = self.data
        for part in path:
            in_table = isinstance(value, dict) and part in value
            in_array = isinstance(value, list) and isinstance(part, int) and part < len(value)
            if not in_table and not in_array:
                return None
            value = cast("Any", value)[part]
        return value

    def table(self, *path: str | int) -> dict[str, Any]:
        """Return the table there, an empty one where there is none."""
        value = self.get(*path)
        table = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        return table if len(table) <= LIMIT_ENTRIES else dict(itertools.islice(table.items(), LIMIT_ENTRIES))

    def items(self, *path: str | int) -> list[Any]:
        """Return the array there, an empty one where there is none."""
        value = self.get(*path)
        return value[:LIMIT_ENTRIES] if isinstance(value, list) else []

    def text(self, *path: str | int) -> str:
        """Return the string there, an empty one where there is none."""
        value = self.get(*path)
        return value if isinstance(value, str) else ""


def load(source: Source, kind: str) -> Document | PinFile:
    """Return the parsed file, or the file with the problem that stands in the way."""
    deep = too_deep(source.text)
    if deep is not None:
        line, column = source.place(deep)
        return PinFile(
            path=str(source.path), kind=kind, problem="nested too deeply", problem_line=line, problem_column=column
        )
    try:
        return Document(source, loads(source.text))
    except (ValueError, RecursionError) as error:  # no TOML, or a number of a million digits
        return _broken(source, kind, str(error))


def _broken(source: Source, kind: str, message: str) -> PinFile:
    found = _WHERE.search(message)
    line, column = source.place(len(source.text)) if found else (1, 1)
    if found and found[1]:
        line, column = int(found[1]), int(found[2])
    what = message[: found.start()] if found else message
    what = " ".join(what.split())[:120]
    return PinFile(
        path=str(source.path), kind=kind, problem=f"not TOML: {what}", problem_line=line, problem_column=column
    )


def requirements(document: Document, *path: str | int, **where: Any) -> Iterator[Pin | Unread]:  # noqa: ANN401
    """Yield the PEP 508 requirements of an array; tables in it are not looked at."""
    for number, value in enumerate(document.items(*path)):
        if isinstance(value, str):
            found = required(document, (*path, number), value, requirement.Where(**where))
            if found is not None:
                yield found
        elif not isinstance(value, dict):
            yield unread(document, (*path, number), str(value), "not a requirement")


def required(document: Document, path: Path, value: str, where: requirement.Where) -> Pin | Unread | None:
    """Return what a requirement in an array says, and how it can be rewritten there."""
    if len(value) > _LIMIT_REQUIREMENT:
        return unread(document, path, value, "longer than any requirement")
    try:
        return _required(document, path, value, where)
    except (RecursionError, ValueError):  # brackets without end; a number of a million digits
        return unread(document, path, value, "not a requirement")


def _required(document: Document, path: Path, value: str, where: requirement.Where) -> Pin | Unread | None:
    place = document.places.texts.get(path)
    if place is None:
        line, column = document.at(path)
        found = requirement.parse(value, 0, document.source, where)
        return found and replace(found, line=line, column=column)
    written = document.source.text[place.start : place.end]
    skip = len(written) - len(value) if written.endswith(value) and "\\" not in written else 0  # a first line end
    at = place.start + skip
    found = requirement.parse(value, at, document.source, _entry(document, path, where))
    same = _same(written[skip:], value)
    if isinstance(found, Pin) and found.writing and found.writing.specifier.end > at + same:
        return replace(found, writing=None)
    return found


def _same(written: str, value: str) -> int:
    """How far a string's characters are those it stands for."""
    escape = written.find("\\")
    length = len(written) if escape < 0 else escape
    return length if written[:length] == value[:length] else 0


def unread(document: Document, path: Path, text: str, why: str) -> Unread:
    """Return a piece that was seen and could not be judged."""
    line, column = document.at(path)
    return Unread(line=line, column=column, text=" ".join(text[:400].split())[:200], why=why)


def _entry(document: Document, path: Path, where: requirement.Where) -> requirement.Where:
    """Tell how another element of the same array is written after this one, comments left to their lines."""
    text = document.source.text
    outer = document.places.texts[path].outer
    quote = document.places.texts[path].quote
    start = text.rfind("\n", max(0, outer.start - _INDENTATION), outer.start) + 1
    alone = start > 0 and not text[start : outer.start].strip()
    rest = _REST.match(text, outer.end)
    between = document.source.newline + text[start : outer.start]
    end, joint, opening, closing = outer.end, ", ", quote, quote
    if alone and rest and rest[1]:  # "a",  # why
        end, joint, closing = rest.end(), between, quote + ","
    elif alone and rest and rest[2]:  # "a"  # why: before it, or the comment would change its line
        end, joint, closing = outer.start, "", quote + "," + between
    elif alone:
        joint = "," + between
    return replace(where, quote=quote, entry_end=end, joint=joint, opening=opening, closing=closing)


def keyed(document: Document, path: Path, version: Path | None, spelling: str, pin: Pin) -> Pin:
    """Return a pin whose name is a key (``tensorflow = "^2.15"``), with its place and how it can be rewritten.

    ``version`` is the path of its version string, None where it has none.
    """
    key = document.places.keys.get(_key_of(path))
    line, column = document.source.place(key.start) if key else document.at(path)
    placed = replace(pin, name=canonicalize_name(pin.name), line=line, column=column)
    place = document.places.texts.get(version) if version else None
    if place is None or key is None or pin.admits == ():
        return placed
    if "\\" in (written := document.source.text[place.start : place.end]) or "\n" in written:
        return placed
    writing = _beside(document, path, key)
    if writing is None:
        return placed
    span = Span(start=place.start, end=place.end)
    return replace(placed, writing=replace(writing, specifier=span, spelling=spelling))


def _key_of(path: Path) -> Path:
    """An element of an array of constraints stands under the name's key."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return path


def _beside(document: Document, path: Path, key: Key) -> Writing | None:
    """Tell how another entry of the same table is written."""
    text, nothing = document.source.text, Span(start=0, end=0)
    if key.form == "inline":
        opening = text[key.begin : _name_start(text, key)]
        return Writing(specifier=nothing, spelling="", entry_end=key.end, joint=", ", opening=opening)
    if key.form == "line":
        start = max(text.rfind("\n", 0, key.begin) + 1, key.begin - _INDENTATION)
        joint = document.source.newline + text[start : key.begin]
        end = _line_end(text, key.end)
        opening = text[key.begin : _name_start(text, key)]
        return Writing(specifier=nothing, spelling="", entry_end=end, joint=joint, opening=opening)
    body = document.places.bodies.get(_key_of(path)[:-1])  # a table of its own: beside it, in the table around it
    if body is None:
        return None
    return Writing(specifier=nothing, spelling="", entry_end=body, joint=document.source.newline)


def _name_start(text: str, key: Key) -> int:
    return key.start - 1 if text[key.start - 1 : key.start] in {'"', "'"} else key.start


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end
