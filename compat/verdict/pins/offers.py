"""What the index offers a set of pins in one place: candidates, what carries TensorFlow's code, what each requires."""

from __future__ import annotations

import functools

from packaging.requirements import Requirement

from compat.matrix import query, requires
from compat.matrix.load import Matrix
from compat.matrix.model import Release, Target, Wheel
from compat.matrix.tags import wheel_for
from compat.matrix.versions import contains, is_final, order, specifiers

PLUGINS = (query.APPLE_PLUGIN, "tensorflow-metal-plugin")
FOREIGN = ("tensorflow-gpu", "tensorflow-rocm", "tf-nightly", "tf-nightly-macos", "tensorflow-cpu-aws")
"""Distributions of TensorFlow that the matrix does not follow; none has a wheel for Apple silicon but the nightly."""

ELSEWHERE = frozenset(("tensorflow-cpu", "tensorflow-intel", *FOREIGN))
"""Distributions of TensorFlow made for other platforms than Macs."""


class Offers:
    """The index as one place sees it, each answer worked out once."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self._followed_names = frozenset(matrix.distributions)
        self._rows: dict[str, dict[str, Release]] = {}
        self._all: dict[str, tuple[str, ...]] = {}
        self._here: dict[tuple[str, Target], tuple[str, ...]] = {}
        self._needs: dict[tuple[str, str, Target], tuple[Requirement, ...]] = {}

    def follows(self, name: str) -> bool:
        """Tell whether the matrix knows the distribution's releases."""
        return name in self._followed_names

    def release(self, name: str, version: str) -> Release | None:
        """Return one release."""
        return self._table(name).get(version)

    def _table(self, name: str) -> dict[str, Release]:
        if name not in self._rows:
            self._rows[name] = {row.version: row for row in self.matrix.releases(name)}
        return self._rows[name]

    def everywhere(self, name: str) -> tuple[str, ...]:
        """Return every release, newest first, whatever it has wheels for."""
        if name not in self._all:
            self._all[name] = tuple(sorted(self._table(name), key=order, reverse=True))
        return self._all[name]

    def installable(self, name: str, target: Target) -> tuple[str, ...]:
        """Return every release with a wheel for the target, newest first; with sources, where no release has wheels."""
        key = (name, target)
        if key not in self._here:
            rows = self._table(name)
            self._here[key] = tuple(version for version in self.everywhere(name) if _installs(rows[version], target))
        return self._here[key]

    def needs(self, name: str, version: str, target: Target) -> tuple[Requirement, ...]:
        """Return what a release requires there."""
        key = (name, version, target)
        if key not in self._needs:
            wheel = self._wheel(name, version, target)
            self._needs[key] = tuple(requires.requirements(wheel, target)) if wheel else ()
        return self._needs[key]

    def named(self, name: str, version: str, target: Target, extras: tuple[str, ...]) -> tuple[Requirement, ...]:
        """Return the TensorFlows a release names under one of some extras, which installers do not look at."""
        wheel = self._wheel(name, version, target)
        lines = [line for line in (wheel.requires or () if wheel else ()) if line.startswith("tensorflow")]
        found = (Requirement(line) for line in lines if "extra ==" in line)
        return tuple(need for need in found if str(need.marker).rpartition("extra == ")[2].strip("\"' )") in extras)

    def body(self, name: str, version: str, target: Target) -> tuple[str, str] | None:
        """Return the distribution and version whose wheel carries the code a release stands for, None for none.

        tensorflow 2.13–2.15.0 on Apple silicon requires tensorflow-macos, which from 2.16 on requires tensorflow;
        tensorflow-macos 2.15.1 requires itself and brings no TensorFlow at all.
        """
        seen: set[tuple[str, str]] = set()
        while (name, version) not in seen:
            seen.add((name, version))
            wheel = self._wheel(name, version, target)
            if wheel is None:
                return None
            if wheel.size >= query.SHELL_BYTES:
                return name, version
            following = self._followed(name, version, target)
            if following is None:
                return None
            name, version = following
        return None

    def _wheel(self, name: str, version: str, target: Target) -> Wheel | None:
        row = self.release(name, version)
        return wheel_for(row, target) if row else None

    def _followed(self, name: str, version: str, target: Target) -> tuple[str, str] | None:
        for need in self.needs(name, version, target):
            if need.name in query.TENSORFLOWS:
                found = newest(self.installable(need.name, target), (str(need.specifier),))
                return (need.name, found[0]) if found else None
        return None


def _installs(row: Release, target: Target) -> bool:
    if wheel_for(row, target) is not None:
        return True
    if row.wheels or not row.has_sdist:
        return False
    return row.requires_python is None or contains(row.requires_python, f"{target.python}.0")


@functools.lru_cache(maxsize=4096)
def newest(versions: tuple[str, ...], sets: tuple[str, ...], yanked: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the versions any of the sets admits, in the order given; pre-releases only as PEP 440 has it.

    A yanked release counts where it is pinned exactly (PEP 592).
    """
    gone = set(yanked)
    exact = any(part.startswith("==") and "*" not in part and "," not in part for part in sets)
    found = [
        version
        for version in versions
        if (version not in gone or exact) and (not sets or any(not part or contains(part, version) for part in sets))
    ]
    finals = [version for version in found if is_final(version)]
    named = any(_names_prerelease(part) for part in sets)
    return tuple(found if named else finals)


def _names_prerelease(part: str) -> bool:
    wanted = specifiers(part)
    return bool(wanted is not None and wanted.prereleases)
