"""A lock by its name, as a person writes it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath

from compat.errors import UsageError
from compat.matrix.model import LockEntry

NEAR = 3
"""Names offered after a miss."""


def named(name: str, locks: Sequence[LockEntry]) -> tuple[LockEntry, ...]:
    """Return the locks of that name: a file's stem, which several platforms may share, or with its platform in front.

    Raises UsageError with near names where there is none.
    """
    wanted = name.removesuffix(".toml")
    found = tuple(lock for lock in locks if wanted in (_stem(lock), _path(lock)))
    if not found:
        raise UsageError(f"there is no lock {name}", hint=_near(wanted, locks))
    return found


def _near(wanted: str, locks: Sequence[LockEntry]) -> str:
    known = sorted({_path(lock) for lock in locks} if "/" in wanted else {_stem(lock) for lock in locks})
    near = get_close_matches(wanted, known, NEAR)
    if near:
        return f"near it: {', '.join(near)}"
    return f"a name looks like {known[0]}" if known else ""


def _path(lock: LockEntry) -> str:
    return lock.file.removesuffix(".toml")


def _stem(lock: LockEntry) -> str:
    return PurePosixPath(lock.file).stem
