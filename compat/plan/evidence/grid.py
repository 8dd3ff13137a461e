"""TensorFlow × plugin for one place: what is known of each pair, and of each TensorFlow alone, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compat.matrix import query
from compat.matrix.load import Matrix
from compat.matrix.model import LockEntry
from compat.matrix.versions import is_final, order
from compat.plan.candidates import BODIES
from compat.plan.evidence.ground import Ground
from compat.plan.evidence.standing import PLUGINS, Pair, Place, Standing

Plugin = tuple[str, str]
"""Distribution and version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One TensorFlow."""

    tensorflow: str
    alone: Standing
    cells: tuple[Standing, ...]
    """One for each plugin of the grid, in its order."""
    locks: tuple[LockEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What is known for one place."""

    place: Place
    matrix_date: str
    plugins: tuple[Plugin, ...]
    rows: tuple[Row, ...]
    beyond: tuple[str, ...]
    """Releases newer than any with a wheel for this kind of machine."""


def grid(place: Place, matrix: Matrix, *, everything: bool = False) -> Grid:
    """Return the grid; ``everything`` adds pre-releases, yanked releases and plugins of others than the vendor."""
    ground = Ground(place, matrix)
    plugins = _plugins(matrix, everything=everything) if place.is_mac else ()
    versions = _versions(matrix, BODIES[place.platform], everything=everything)
    anywhere = Ground(Place(platform=place.platform), matrix)
    here = [version for version in versions if anywhere.carrier(version)]
    newest = order(here[0]) if here else order("0")
    return Grid(
        place=place,
        matrix_date=matrix.date,
        plugins=plugins,
        rows=tuple(_row(version, plugins, ground) for version in here),
        beyond=tuple(version for version in versions if order(version) > newest),
    )


def _row(version: str, plugins: Iterable[Plugin], ground: Ground) -> Row:
    alone = ground.standing(Pair(tensorflow=version))
    pairs = (Pair(tensorflow=version, plugin=name, plugin_version=release) for name, release in plugins)
    cells = tuple(ground.standing(pair) for pair in pairs)
    locks = (row for row in ground.matrix.locks() if row.cuda and _is_here(row, version, ground.place))
    shipped = (*alone.locks, *(lock for cell in cells for lock in cell.locks), *locks)
    return Row(tensorflow=version, alone=alone, cells=cells, locks=shipped)


def _is_here(row: LockEntry, version: str, place: Place) -> bool:
    return (row.platform, row.tensorflow) == (place.platform, version) and place.python in (None, row.python)


def _plugins(matrix: Matrix, *, everything: bool) -> tuple[Plugin, ...]:
    names = PLUGINS if everything else (query.APPLE_PLUGIN,)
    return tuple((name, version) for name in names for version in _versions(matrix, (name,), everything=everything))


def _versions(matrix: Matrix, names: Iterable[str], *, everything: bool) -> tuple[str, ...]:
    """Releases of any of the names, newest first."""
    found = {
        row.version
        for name in names
        for row in matrix.releases(name)
        if everything or (is_final(row.version) and row.yanked is None)
    }
    return tuple(sorted(found, key=order, reverse=True))
