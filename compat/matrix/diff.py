"""Two matrices compared fact by fact: what was released, what loads now, which rows came, changed, were withdrawn.

Rows are matched by what they are about (a version, a pair, an id, a file), never by their place in a file, so that
moving or sorting rows is no change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from compat.facts.codec import encode
from compat.matrix.load import Matrix
from compat.matrix.model import Release
from compat.matrix.versions import order

R = TypeVar("R")

UNCOMPARED = frozenset({"source"})
"""Where a pair was computed from is no fact about it."""


class Kind(str, Enum):
    """What happened to a row."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One value of a row that became another; lists are told by what they gained and lost."""

    name: str
    old: Any
    new: Any
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row that came, went or changed."""

    section: str
    key: tuple[str, ...]
    kind: Kind
    old: Any = None
    new: Any = None
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """All that two matrices differ in, in the order of the folders, newest first."""

    old_date: str
    new_date: str
    changes: tuple[Change, ...]
    followed: tuple[str, ...] = ()
    """Distributions only the new one has a table of; their releases are not told one by one."""
    dropped: tuple[str, ...] = ()


def diff(old: Matrix, new: Matrix) -> Difference:
    """Return every fact in which two matrices differ. Raises BadMatrix where one cannot be read."""
    before, after = set(old.distributions), set(new.distributions)
    changes: list[Change] = []
    for name in sorted(before & after):
        changes += _compared("releases", old.releases(name), new.releases(name), lambda row: (row.name, row.version))
    for section, rows, key in _SECTIONS:
        changes += _compared(section, rows(old), rows(new), key)
    changes = list(_with_pins(changes, old, new))
    return Difference(
        old_date=old.date,
        new_date=new.date,
        changes=tuple(changes),
        followed=tuple(sorted(after - before)),
        dropped=tuple(sorted(before - after)),
    )


_SECTIONS: tuple[tuple[str, Callable[[Matrix], Iterable[Any]], Callable[[Any], tuple[str, ...]]], ...] = (
    ("links", Matrix.links, lambda row: (row.plugin, row.plugin_version, row.arch, row.distribution, row.tensorflow)),
    ("binaries", Matrix.plugin_binaries, lambda row: (row.plugin, row.version, row.arch)),
    ("locks", Matrix.locks, lambda row: (row.file,)),
    ("repairs", Matrix.repairs, lambda row: (row.id,)),
    ("observed", Matrix.observed, lambda row: (row.id,)),
    ("issues", Matrix.issues, lambda row: (row.id,)),
    ("macos", Matrix.macos, lambda row: (row.version,)),
    ("chips", Matrix.chips, lambda row: (row.name,)),
    ("pythons", Matrix.pythons, lambda row: (row.version, row.origin)),
)


def _compared(section: str, old: Iterable[R], new: Iterable[R], key: Callable[[R], tuple[str, ...]]) -> list[Change]:
    """Return the rows that differ, the newest versions first."""
    before, after = {key(row): row for row in old}, {key(row): row for row in new}
    found: list[Change] = []
    for at in sorted(before.keys() | after.keys(), key=_newest_first, reverse=True):
        if at not in before:
            found.append(Change(section=section, key=at, kind=Kind.ADDED, new=after[at]))
        elif at not in after:
            found.append(Change(section=section, key=at, kind=Kind.REMOVED, old=before[at]))
        elif before[at] != after[at]:
            fields = tuple(_fields(before[at], after[at]))
            if fields:
                found.append(
                    Change(section=section, key=at, kind=Kind.CHANGED, old=before[at], new=after[at], fields=fields)
                )
    return found if section in ("releases", "links", "binaries") else found[::-1]


def _with_pins(changes: Iterable[Change], old: Matrix, new: Matrix) -> Iterator[Change]:
    """The changes, those of locks with the pins that moved; locks whose pins alone moved stand behind the others."""
    moved = {file: field for file, field in _moved_pins(old, new) if field.gained or field.lost}
    for change in changes:
        pins = moved.pop(change.key[0], None) if change.section == "locks" else None
        yield replace(change, fields=(*change.fields, pins)) if pins is not None else change
    for file, pins in moved.items():
        heads = [next(row for row in matrix.locks() if row.file == file) for matrix in (old, new)]
        yield Change(section="locks", key=(file,), kind=Kind.CHANGED, old=heads[0], new=heads[1], fields=(pins,))


def _moved_pins(old: Matrix, new: Matrix) -> Iterator[tuple[str, FieldChange]]:
    """Pins of the locks both have, where both have the files (a compiled folder alone has only their heads)."""
    after = {row.file: row for row in new.locks()}
    for row in old.locks():
        paths = [matrix.root / "locks" / row.file for matrix in (old, new)]
        if row.file in after and all(path.is_file() for path in paths) and _differ(paths):
            pins = [
                [f"{pin.name}=={pin.version}" for pin in matrix.lock(entry).packages]
                for matrix, entry in ((old, row), (new, after[row.file]))
            ]
            yield row.file, _field("pins", *pins)


def _differ(paths: Sequence[Path]) -> bool:
    return paths[0].read_bytes() != paths[1].read_bytes()


def _newest_first(key: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple((order(part), part) for part in key)


def _fields(old: object, new: object) -> Iterator[FieldChange]:
    if isinstance(old, Release) and isinstance(new, Release):
        yield from _release_fields(old, new)
        return
    before, after = encode(old), encode(new)
    for name in dict.fromkeys((*before, *after)):
        if name not in UNCOMPARED and before.get(name) != after.get(name):
            yield _field(name, before.get(name), after.get(name))


def _release_fields(old: Release, new: Release) -> Iterator[FieldChange]:
    """The head of a release, then its wheels by tag: which came, which went, whose requirements changed."""
    for name in ("uploaded", "requires_python", "yanked", "has_sdist"):
        if getattr(old, name) != getattr(new, name):
            yield _field(name, getattr(old, name), getattr(new, name))
    before = {wheel.tag: wheel for wheel in old.wheels}
    after = {wheel.tag: wheel for wheel in new.wheels}
    if before.keys() != after.keys():
        yield _field("wheels", list(before), list(after))
    changed = [tag for tag in after if tag in before and before[tag] != after[tag]]
    for requires in dict.fromkeys((before[tag].requires, after[tag].requires) for tag in changed):
        if requires[0] != requires[1]:
            yield _field("requires", list(requires[0] or ()), list(requires[1] or ()))
    sizes = [tag for tag in changed if before[tag].size != after[tag].size]
    if sizes:
        yield _field("sizes", {tag: before[tag].size for tag in sizes}, {tag: after[tag].size for tag in sizes})


def _field(name: str, old: object, new: object) -> FieldChange:
    if isinstance(old, list) and isinstance(new, list):
        gained = tuple(_words(item) for item in new if item not in old)
        lost = tuple(_words(item) for item in old if item not in new)
        return FieldChange(name=name, old=old, new=new, gained=gained, lost=lost)
    return FieldChange(name=name, old=old, new=new)


def _words(item: object) -> str:
    """One entry of a list: of a source its address, of a condition its parts that say something."""
    if not isinstance(item, Mapping):
        return str(item)
    if "url" in item:
        return str(item["url"])
    return ", ".join(f"{name} {_plain(value)}" for name, value in item.items() if value not in (None, [], "", ()))


def _plain(value: object) -> str:
    return " or ".join(str(item) for item in value) if isinstance(value, (list, tuple)) else str(value)
