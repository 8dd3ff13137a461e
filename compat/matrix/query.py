"""Questions to the matrix: which wheels fit, what links, which problems and repairs apply.

Nothing here looks at the machine: the target is an argument.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from compat.matrix.load import Matrix
from compat.matrix.model import LinkRow, Observation, PluginBinary, Release, Repair, Target, Wheel
from compat.matrix.versions import contains, is_final, order

if TYPE_CHECKING:
    from packaging.tags import Tag  # its import costs more than all of doctor's questions, which need no tags

PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
"""Pythons that a TensorFlow of the matrix has a wheel for."""

TENSORFLOWS = ("tensorflow", "tensorflow-macos", "tensorflow-cpu", "tensorflow-intel")
"""Distributions that carry, or stand for, TensorFlow itself."""

APPLE_PLUGIN = "tensorflow-metal"

SHELL_BYTES = 1_000_000
"""A TensorFlow wheel below this holds no TensorFlow: shells are 2–8 KB, bodies 100 MB and more."""

NEWEST_MACOS = "26.9"
_NEWEST_GLIBC = (2, 45)
_LEGACY_MANYLINUX = {(2, 5): "manylinux1", (2, 12): "manylinux2010", (2, 17): "manylinux2014"}


def release(matrix: Matrix, name: str, version: str) -> Release | None:
    """Return one release, None where the matrix does not know it."""
    return next((row for row in matrix.releases(name) if row.version == version), None)


@functools.lru_cache(maxsize=256)
def target_tags(target: Target) -> frozenset[Tag]:
    """Return every wheel tag an installer accepts on the target (``packaging.tags`` decides)."""
    return frozenset(ranked_tags(target))


@functools.lru_cache(maxsize=16)
def ranked_tags(target: Target) -> tuple[Tag, ...]:
    """Return the same, those an installer prefers first."""
    from packaging.tags import compatible_tags, cpython_tags

    version = tuple(int(part) for part in target.python.split(".")[:2])
    platforms = list(_platforms(target))
    interpreter = f"cp{version[0]}{version[1]}"
    native = cpython_tags(version, platforms=platforms)
    return (*native, *compatible_tags(version, interpreter, platforms))


def _platforms(target: Target) -> Iterator[str]:
    from packaging.tags import mac_platforms

    os, _, architecture = target.platform.partition("-")
    if os == "macos":
        major, _, minor = (target.macos or NEWEST_MACOS).partition(".")
        yield from mac_platforms((int(major), int(minor.split(".")[0] or 0)), architecture)
    elif os == "windows":
        yield f"win_{architecture}"
    else:
        yield from _manylinux(target.glibc, architecture)


def _manylinux(glibc: str | None, architecture: str) -> Iterator[str]:
    """Every manylinux tag up to that glibc (PEP 600: 2.x only), the legacy names beside their equals."""
    newest = tuple(int(part) for part in glibc.split(".")[:2]) if glibc else _NEWEST_GLIBC
    for minor in range(newest[1], 4, -1):
        yield f"manylinux_2_{minor}_{architecture}"
        legacy = _LEGACY_MANYLINUX.get((2, minor))
        if legacy:
            yield f"{legacy}_{architecture}"
    yield f"linux_{architecture}"


@functools.lru_cache(maxsize=4096)
def _parsed(tag: str) -> frozenset[Tag]:
    from packaging.tags import parse_tag

    return frozenset(parse_tag(tag))


def fits(wheel: Wheel, target: Target) -> bool:
    """Tell whether an installer on the target would take the wheel."""
    return not _parsed(wheel.tag).isdisjoint(target_tags(target))


def wheel_for(row: Release, target: Target) -> Wheel | None:
    """Return a wheel of the release that fits (any one of several: they hold the same code)."""
    return next((wheel for wheel in row.wheels if fits(wheel, target)), None)


def has_wheel(matrix: Matrix, name: str, version: str, target: Target) -> bool:
    """Tell whether that release installs from a wheel on the target."""
    row = release(matrix, name, version)
    return row is not None and wheel_for(row, target) is not None


def carries_tensorflow(matrix: Matrix, name: str, version: str, target: Target) -> bool:
    """Tell whether the wheel that fits holds TensorFlow's code (shells of a few KB only require another package)."""
    row = release(matrix, name, version)
    wheel = wheel_for(row, target) if row else None
    return wheel is not None and wheel.size >= SHELL_BYTES


def versions_for(matrix: Matrix, name: str, target: Target, *, bodies: bool = False) -> tuple[str, ...]:
    """Return the final, unyanked releases with a wheel for the target, newest first.

    With ``bodies`` shells are left out.
    """
    return tuple(
        row.version
        for row in matrix.releases(name)
        if is_final(row.version) and row.yanked is None and _wheel_of_size(row, target, SHELL_BYTES if bodies else 0)
    )


def _wheel_of_size(row: Release, target: Target, least: int) -> bool:
    wheel = wheel_for(row, target)
    return wheel is not None and wheel.size >= least


def pythons_for(matrix: Matrix, name: str, version: str, target: Target) -> tuple[str, ...]:
    """Return the Pythons for which that release has a wheel on the target's platform."""
    row = release(matrix, name, version)
    if row is None:
        return ()
    return tuple(python for python in PYTHONS if wheel_for(row, on_python(target, python)))


def pythons_with_any(matrix: Matrix, name: str, target: Target) -> tuple[str, ...]:
    """Return the Pythons for which any final release of the distribution has a wheel on the target's platform."""
    return tuple(python for python in PYTHONS if versions_for(matrix, name, on_python(target, python)))


def on_python(target: Target, python: str) -> Target:
    """Return the same target with another Python."""
    return replace(target, python=python)


def link(matrix: Matrix, tensorflow: str, plugin: str, plugin_version: str, arch: str) -> LinkRow | None:
    """Return the judged pair, whichever distribution carries that TensorFlow; None where nobody judged it."""
    found = (row for row in matrix.links() if row.plugin == plugin and row.plugin_version == plugin_version)
    matching = [row for row in found if row.tensorflow == tensorflow and row.arch == arch]
    return next((row for row in matching if row.distribution == "tensorflow"), matching[0] if matching else None)


def loadable_plugins(matrix: Matrix, tensorflow: str, arch: str, plugin: str = APPLE_PLUGIN) -> tuple[str, ...]:
    """Return the plugin releases that load on that TensorFlow, newest first."""
    rows = matrix.links()
    found = {
        row.plugin_version
        for row in rows
        if row.plugin == plugin and row.tensorflow == tensorflow and row.arch == arch and row.loads
    }
    return tuple(sorted(found, key=order, reverse=True))


def tensorflows_for_plugin(
    matrix: Matrix, plugin_version: str, arch: str, plugin: str = APPLE_PLUGIN
) -> tuple[str, ...]:
    """Return the final TensorFlow releases on which that plugin release loads, newest first."""
    found = {
        row.tensorflow
        for row in matrix.links()
        if row.plugin == plugin and row.plugin_version == plugin_version and row.arch == arch and row.loads
    }
    return tuple(sorted(filter(is_final, found), key=order, reverse=True))


def plugin_binary(matrix: Matrix, plugin: str, version: str, arch: str) -> PluginBinary | None:
    """Return what the plugin's own binary says of itself."""
    rows = matrix.plugin_binaries()
    return next((row for row in rows if (row.plugin, row.version, row.arch) == (plugin, version, arch)), None)


def repairs_for(matrix: Matrix, name: str, version: str, python: str | None) -> tuple[Repair, ...]:
    """Return the constraints that release needs to work whole today."""
    return tuple(
        row
        for row in matrix.repairs()
        if name in row.packages
        and contains(row.versions, version)
        and (row.python is None or python is None or contains(row.python, python))
    )


def observations_of(matrix: Matrix, tensorflow: str, plugin_version: str | None) -> tuple[Observation, ...]:
    """Return the runs seen with exactly that pair (claims are not runs)."""
    return tuple(
        row
        for row in matrix.observed()
        if row.kind == "run" and row.tensorflow == tensorflow and row.plugin_version == plugin_version
    )


def pairs_seen(rows: Iterable[Observation]) -> tuple[Observation, ...]:
    """Return only the observations in which the pair worked."""
    return tuple(row for row in rows if row.result == "works")
