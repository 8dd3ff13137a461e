"""What an expression of a setup.py can stand for, as far as reading it tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Union

from compat.probe.pins.requirement import both


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A string, and where its characters begin in the file; what is not known in it is ``{x}``."""

    text: str
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class Many:
    """A list, tuple or set."""

    items: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A dict with strings as its keys."""

    entries: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """Something of the machine or the interpreter, by its marker's name."""

    name: str
    lower: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A condition as a marker, and its opposite."""

    yes: str
    no: str
    open: bool = False
    """It hangs on something else as well: ``yes`` is needed, not enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """Anything else."""

    at: int
    why: str = "made when the code runs"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a condition: its marker, or where the branch stands if it is about something else."""

    marker: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """What a name stands for after a condition."""

    options: tuple[tuple[Side, Value], ...]


Value = Union[Text, Many, Table, Fact, Test, Unknown, Either]  # noqa: UP007 - the types name one another
Leaf = Union[Text, Unknown]  # noqa: UP007
Sides = tuple[Side, Side]


class SpentError(Exception):
    """The code asks for more steps than any setup.py needs."""


@dataclass(slots=True)
class Budget:
    """Steps that are left."""

    left: int = 300_000

    def spend(self, steps: int = 1) -> None:
        """Take steps. Raises SpentError."""
        self.left -= steps
        if self.left < 0:
            raise SpentError


def sides(test: Value | None, line: int, other: int) -> Sides:
    """Return the two sides of a condition that stands in these lines."""
    here, there = f"branch at line {line}", f"branch at line {other}, else"
    if not isinstance(test, Test):
        return Side(branch=here), Side(branch=there)
    if test.open:
        return Side(test.yes, here), Side(branch=there)
    return Side(test.yes), Side(test.no)


def within(outer: Side, inner: Side) -> Side:
    """Return the side that is inside another one."""
    return Side(both(outer.marker, inner.marker), " in ".join(part for part in (inner.branch, outer.branch) if part))


def joined(first: Value | None, second: Value | None, where: Sides, budget: Budget) -> Value | None:
    """Return what a name stands for after a condition; lists that begin alike differ only in their ends."""
    budget.spend()
    if first is second:
        return first
    if isinstance(first, Many) and isinstance(second, Many):
        return _lists(first, second, where, budget)
    if isinstance(first, Table) and isinstance(second, Table):
        keys = dict.fromkeys((*first.entries, *second.entries))
        budget.spend(len(keys))
        both_sides = ((key, joined(first.entries.get(key), second.entries.get(key), where, budget)) for key in keys)
        return Table({key: value for key, value in both_sides if value is not None})
    given = tuple(
        option
        for side, value in zip(where, (first, second), strict=True)
        if value is not None
        for option in _options(side, value)
    )
    budget.spend(len(given))
    return Either(given[:_OPTIONS]) if given else None


def _options(side: Side, value: Value) -> tuple[tuple[Side, Value], ...]:
    """A choice within a choice is one of more options."""
    if isinstance(value, Either):
        return tuple((within(side, inner), option) for inner, option in value.options)
    return ((side, value),)


def leaves(value: Value | None, budget: Budget, side: Side = Side(), depth: int = 0) -> Iterator[tuple[Leaf, Side]]:
    """Yield the strings in a value, each with the conditions it stands under, and what is not known."""
    budget.spend()
    if depth > _DEPTH:
        raise SpentError
    if isinstance(value, (Text, Unknown)):
        yield value, side
    elif isinstance(value, Many):
        for item in value.items:
            yield from leaves(item, budget, side, depth + 1)
    elif isinstance(value, Either):
        for inner, option in value.options:
            yield from leaves(option, budget, within(side, inner), depth + 1)


_DEPTH = 60
"""Lists in lists and conditions in conditions."""
_OPTIONS = 50
"""What one name can stand for."""


def _lists(first: Many, second: Many, where: Sides, budget: Budget) -> Value:
    same = 0
    for left, right in zip(first.items, second.items, strict=False):
        if left is not right:
            break
        same += 1
    budget.spend(same + 1)
    rests = (first.items[same:], second.items[same:])
    options = tuple((side, Many(rest)) for side, rest in zip(where, rests, strict=True) if rest)
    return Many((*first.items[:same], Either(options)))
