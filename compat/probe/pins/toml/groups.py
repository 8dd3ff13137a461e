"""Groups of pins: what one includes, and how a pin is told that belongs to several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from compat.facts.pins import Included, Pin, StatedPython, Unread

LIMIT_EDGES = 2_000
"""Includes of groups in one file; what has more wants to be expensive, and is told without its sets."""

Found = Pin | Unread | Included


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one tool's tables of a file say."""

    found: tuple[Found, ...] = ()
    requires_python: str | None = None
    pythons: tuple[StatedPython, ...] = ()
    scopes: tuple[tuple[str, ...], ...] = ()
    platforms: tuple[str, ...] = ()
    platforms_why: str = ""
    channels: tuple[str, ...] = ()


def place(pin: Pin) -> tuple[int, int]:
    """Return where a pin stands: pins are told in the file's order."""
    return pin.line, pin.column


def joined(groups: Iterable[str]) -> str:
    """Return the name of what is installed with any of these groups."""
    return ", ".join(sorted(set(groups)))


def shared(memberships: Iterable[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the scopes for pins that belong to several groups: with each group come all that are joined with it."""
    names: dict[str, set[str]] = {}
    for groups in set(memberships):
        for group in groups:
            names.setdefault(group, set()).add(joined(groups))
    return tuple(dict.fromkeys(tuple(sorted(row)) for _, row in sorted(names.items()) if len(row) > 1))


def closures(includes: Mapping[str, Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Return for each group that includes others the set that is installed with it."""
    edges = {group: tuple(others) for group, others in includes.items()}
    if sum(map(len, edges.values())) > LIMIT_EDGES:
        return ()
    return tuple(tuple(sorted(reached(group, edges))) for group, others in edges.items() if others)


def reached(group: str, includes: Mapping[str, Iterable[str]]) -> set[str]:
    """Return a group and all it includes, through others too."""
    seen, waiting = {group}, [group]
    while waiting:
        for other in includes.get(waiting.pop(), ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen
