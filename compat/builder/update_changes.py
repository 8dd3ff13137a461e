"""What one matrix has that another has not, in counts: enough to see that an update did what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compat.matrix.lint import link_reference
from compat.matrix.load import Matrix

Rows = Mapping[str, Mapping[str, object]]
"""Rows of each kind, by what tells them apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The rows of one kind."""

    kind: str
    total: int
    new: int
    gone: int
    changed: int


def rows_of(matrix: Matrix) -> Rows:
    """Read a matrix whole. Raises BadMatrix."""
    names = matrix.distributions
    return {
        "releases": {f"{name} {row.version}": row for name in names for row in matrix.releases(name)},
        "links": {link_reference(row): row for row in matrix.links()},
        "observed": {row.id: row for row in matrix.observed()},
        "issues": {row.id: row for row in matrix.issues()},
        "repairs": {row.id: row for row in matrix.repairs()},
        "locks": {entry.file: matrix.lock(entry) for entry in matrix.locks()},
        "platforms": {row.name or row.version: row for row in matrix.macos()}
        | {row.name: row for row in matrix.chips()}
        | {f"{row.version} {row.origin}": row for row in matrix.pythons()},
    }


def changes(before: Rows, after: Rows) -> tuple[Change, ...]:
    """Compare two matrices, kind by kind."""
    return tuple(_change(kind, before.get(kind, {}), rows) for kind, rows in after.items())


def _change(kind: str, before: Mapping[str, object], after: Mapping[str, object]) -> Change:
    both = before.keys() & after.keys()
    return Change(
        kind=kind,
        total=len(after),
        new=len(after.keys() - before.keys()),
        gone=len(before.keys() - after.keys()),
        changed=sum(before[key] != after[key] for key in both),
    )
