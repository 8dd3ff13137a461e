"""How the files are written: line ends, trailing blanks, the order of lists that are sets; each with its fixer.

A fixer returns text, nobody writes here; and it returns none where the values of the file would change with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compat.errors import BadMatrix
from compat.matrix.files import parse_toml
from compat.matrix.lint.problem import Problem
from compat.matrix.lint.tree import Tree

SORTED = ("platforms", "chips")
"""Lists of curated rows whose order says nothing."""

_LIST = re.compile(rf"""\b({"|".join(SORTED)}) = \[("[^"\\\n]*"(?:, "[^"\\\n]*")*)\]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A file as it should be."""

    file: str
    """Below the root."""
    text: str | None
    """None: the file should not be there."""
    what: str


def style(tree: Tree) -> Iterator[Problem]:
    """Yield how the files of a matrix are badly written."""
    for name in tree.raw:
        before = _text(tree.root / name)
        if before is None or tree.raw[name] is None:
            continue
        fixable = _restyled(name, before) is not None
        for check, said in _complaints(name, before):
            yield Problem(address=name, check=check, text=said, fixable=fixable)


def restyled(tree: Tree) -> Iterator[Fix]:
    """Yield the files that can be written better."""
    for name in tree.raw:
        before = _text(tree.root / name)
        if before is None or tree.raw[name] is None:
            continue
        after = _restyled(name, before)
        said = [check for check, _ in _complaints(name, before)]
        if said and after is not None:
            yield Fix(file=name, text=after, what=", ".join(said))


def _text(path: Path) -> str | None:
    """Return the text with its line ends as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _complaints(name: str, text: str) -> Iterator[tuple[str, str]]:
    if "\r" in text:
        yield "line-endings", "lines end with a carriage return"
    blanks = [number for number, line in enumerate(_lines(text), 1) if line != line.rstrip(" \t")]
    if blanks:
        yield "trailing-whitespace", f"blanks at the end of line {', '.join(map(str, blanks[:5]))}"
    if text and not text.endswith("\n"):
        yield "final-newline", "no newline at the end"
    if text.endswith(("\n\n", "\r\n\r\n")):
        yield "final-newline", "empty lines at the end"
    if name.startswith("issues/"):
        yield from (
            ("unsorted-list", f"{found[1]} = [{found[2]}]") for found in _LIST.finditer(text) if _unsorted(found)
        )


def _restyled(name: str, text: str) -> str | None:
    after = "\n".join(line.rstrip(" \t") for line in _lines(text)).rstrip("\n") + "\n"
    if name.startswith("issues/"):
        after = _LIST.sub(_sorted, after)
    try:
        same = _ordered(parse_toml(text.encode(), name)) == _ordered(parse_toml(after.encode(), name))
    except BadMatrix:
        return None
    return after if same else None


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _unsorted(found: re.Match[str]) -> bool:
    return found[0] != _sorted(found)


def _sorted(found: re.Match[str]) -> str:
    return f"{found[1]} = [{', '.join(sorted(found[2].split(', ')))}]"


def _ordered(value: Any, key: str = "") -> Any:  # noqa: ANN401 - TOML is what it is
    """Return values with the lists that are sets in order, to compare by."""
    if isinstance(value, dict):
        return {name: _ordered(item, name) for name, item in value.items()}
    if isinstance(value, list):
        items = [_ordered(item) for item in value]
        return sorted(items, key=str) if key in SORTED else items
    return value
