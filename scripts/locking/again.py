"""Resolve the locks on file once more, from nothing, as of the day each records; what comes out otherwise is a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from locking.check import read_lock
from locking.make import Maker
from locking.records import Lock, LockingError, Package, Repair


def differences(maker: Maker, files: Iterable[Path], repairs: tuple[Repair, ...]) -> Iterator[str]:
    """One line a lock that comes out otherwise, or cannot be resolved any more."""
    for path in files:
        lock = read_lock(path)
        maker.day = lock.exclude_newer
        try:
            anew = maker.lock(lock.target, repairs, run=False)
        except LockingError as error:
            yield f"{path.parent.name}/{path.name}: {error}"
            continue
        changed = list(_changed(lock, anew))
        if changed:
            yield f"{path.parent.name}/{path.name}: {', '.join(changed)}"


def _changed(lock: Lock, anew: Lock) -> Iterator[str]:
    before, after = ({one.name: one for one in each.packages} for each in (lock, anew))
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield f"{name} {_told(before.get(name))} → {_told(after.get(name))}"
    if lock.minimum_macos != anew.minimum_macos:
        yield f"macOS {lock.minimum_macos} → {anew.minimum_macos}"


def _told(package: Package | None) -> str:
    return f"{package.version} ({package.file})" if package else "none"
