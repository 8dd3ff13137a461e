"""Notebooks: what code cells install by ``!pip``, ``%pip``, ``%conda`` and ``%%bash``; outputs are never searched.

Source: nbformat's schema (``cells``, ``cell_type``, ``source`` as text or a list of lines); IPython's "System shell
access" and "Built-in magic commands".
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from compat.facts.pins import PinFile
from compat.probe.pins.commands.found import Around, Found, collected
from compat.probe.pins.commands.shell import scripted
from compat.probe.pins.commands.shell_words import Budget, Script
from compat.probe.pins.source import Source

LIMIT_CELLS = 5_000

_DECODER = json.JSONDecoder()
_SOURCE = re.compile(r'"source"\s*:\s*')
_NEXT = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*\]?")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_SHELL_LINE = re.compile(
    r"[ \t]*(?:[A-Za-z_]\w*[ \t]*=[ \t]*)?(!{1,2}|%(?=(?:pip|conda|mamba|micromamba|uv)\b)|%(?:sx|system)\b)"
    r"|[ \t]*(?=(?:pip3?|conda|mamba)[ \t]+install\b)"
)
_SHELL_CELL = re.compile(r"\s*%%(?:bash|sh|zsh|script[ \t]+(?:\S*/)?(?:bash|sh|zsh))\b[^\n]*")
_WORTH = ("install", "conda create", "uv add")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell's text with pairs of an offset in it and one in the file."""

    text: str
    places: tuple[tuple[int, int], ...]


def read(source: Source) -> PinFile:
    """Return what a notebook's cells install."""
    path = str(source.path)
    try:
        document = json.loads(source.text)
    except RecursionError:
        return PinFile(path=path, kind="notebook", problem="nested too deeply")
    except json.JSONDecodeError as error:
        problem = f"not JSON: {error.msg}"
        return PinFile(
            path=path, kind="notebook", problem=problem, problem_line=error.lineno, problem_column=error.colno
        )
    except ValueError:  # an integer of more digits than Python converts
        return PinFile(path=path, kind="notebook", problem="not JSON: a number is too long")
    found: list[Found] = []
    budget = Budget()
    for cell in _cells(source.text, _wanted(document)):
        found.extend(_installed(cell, source, budget))
    return collected(source, "notebook", found)


def commands_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the shell lines of a cell with their offsets; the sign before a command is blanked out."""
    whole = _SHELL_CELL.match(text)
    if whole:
        yield whole.end(), text[whole.end() :]
        return
    at, held = 0, ""
    for line in text.splitlines(keepends=True):
        sign = _SHELL_LINE.match(line) if not held else None
        if held or sign:
            held += line if sign is None else " " * sign.end() + line[sign.end() :]
            if not line.rstrip().endswith("\\"):
                yield at + len(line) - len(held), held
                held = ""
        at += len(line)
    if held:
        yield at - len(held), held


def _wanted(document: object) -> list[tuple[list[str], bool]]:
    """Each cell's source as the file's strings, and whether it may install something."""
    rows = document.get("cells") if isinstance(document, dict) else None
    found = []
    for row in rows[:LIMIT_CELLS] if isinstance(rows, list) else ():
        lines = row.get("source") if isinstance(row, dict) else None
        strings = [lines] if isinstance(lines, str) else lines
        if isinstance(strings, list) and all(isinstance(line, str) for line in strings):
            worth = row.get("cell_type") == "code" and any(word in line for word in _WORTH for line in strings)
            found.append((strings, worth))
    return found


def _cells(text: str, wanted: list[tuple[list[str], bool]]) -> Iterator[_Cell]:
    """Find the cells in the file's text: each ``"source"`` whose value is the next cell's; others are an output's."""
    remaining = iter(wanted if any(worth for _, worth in wanted) else ())
    cell = next(remaining, None)
    for key in _SOURCE.finditer(text):
        if cell is None:
            return
        pieces = _strings(text, key.end())
        if pieces is None or [value for _, value in pieces] != cell[0]:
            continue
        if cell[1]:
            yield _placed(text, pieces)
        cell = next(remaining, None)


def _strings(text: str, at: int) -> list[tuple[int, str]] | None:
    """The strings of a JSON string or list of strings, each with its offset; None for any other value."""
    found: list[tuple[int, str]] = []
    listed = text.startswith("[", at)
    at += 1 if listed else 0
    while True:
        blank = _NEXT.match(text, at)
        at = blank.end() if blank else at
        if not text.startswith('"', at):
            return found if listed and text.startswith("]", at - 1) else None
        value, end = _DECODER.raw_decode(text, at)
        found.append((at + 1, value))
        at = end
        if not listed:
            return found


def _placed(text: str, pieces: list[tuple[int, str]]) -> _Cell:
    """The cell's text with its places: after each escape the two offsets drift apart."""
    places: list[tuple[int, int]] = []
    length = 0
    for start, value in pieces:
        places.append((length, start))
        drift = 0
        for escape in _ESCAPE.finditer(text, start, start + 6 * len(value) + 6):
            inside = escape.start() - start - drift
            if inside >= len(value):
                break
            drift += len(escape[0]) - 1
            places.append((length + inside + 1, escape.end()))
        length += len(value)
    return _Cell("".join(value for _, value in pieces), tuple(places))


def _installed(cell: _Cell, source: Source, budget: Budget) -> Iterator[Found]:
    for at, text in commands_of(cell.text):
        if budget.left <= 0:
            return
        near = max(0, bisect.bisect_right(cell.places, (at, 1 << 62)) - 1)
        begins = (0, cell.places[near][1] + at - cell.places[near][0])
        last = bisect.bisect_right(cell.places, (at + len(text), 1 << 62))
        later = cell.places[near + 1 : last]
        places = (begins, *((index - at, offset) for index, offset in later))
        yield from scripted(Script(text, source, places=places), Around(), budget)[0]
