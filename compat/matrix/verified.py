"""What was run for a lock: its ``[verified]`` and ``[twin]`` tables, of which the head of the lock only has a day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat.matrix.files import read_toml
from compat.matrix.load import Matrix
from compat.matrix.model import LockEntry

OK = "ok"
"""What a step says that ended well."""
RUN_WHOLE = ("runs", "agrees")
"""Tiers of a lock that was installed and run; a Mac's lock claims at most ``links``."""


def steps(matrix: Matrix, entry: LockEntry) -> tuple[str, ...]:
    """Return the steps that were run and ended well, in order; none for a lock nobody ran. Raises BadMatrix."""
    if entry.tier not in RUN_WHOLE or entry.verified_day is None:
        return ()
    return tuple(name for name, result in _table(matrix, entry, "verified").items() if result == OK)


def twin(matrix: Matrix, entry: LockEntry) -> tuple[LockEntry, str] | None:
    """Return the lock of the same TensorFlow and Python that ran whole on Linux, and in which packages it differs.

    The one the lock names, else any without a plugin; None where there is none. Raises BadMatrix.
    """
    named = _table(matrix, entry, "twin")
    for row in matrix.locks():
        if named.get("file") == row.file:
            return row, str(named.get("has", ""))
    return next(((row, "") for row in matrix.locks() if _is_twin(row, entry)), None)


def _is_twin(row: LockEntry, entry: LockEntry) -> bool:
    ran = row.tier in RUN_WHOLE and row.verified_day is not None
    same = (row.tensorflow, row.python) == (entry.tensorflow, entry.python)
    linux = row.platform.startswith("linux-") and not entry.platform.startswith("linux-")
    return ran and same and linux and row.plugin is None and not row.cuda


def _table(matrix: Matrix, entry: LockEntry, name: str) -> Mapping[str, Any]:
    """One table of the lock's file; empty where only the compiled heads are at hand."""
    path = matrix.root / "locks" / entry.file
    table = read_toml(path).get(name, {}) if path.is_file() else {}
    return table if isinstance(table, dict) else {}
