"""The matrix as one place sees it: the rows that bear on a pair, found and weighed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from compat.matrix import query
from compat.matrix.load import Matrix
from compat.matrix.model import Issue, LinkRow, LockEntry, Observation, PluginBinary
from compat.matrix.versions import order
from compat.plan.candidates import BODIES
from compat.plan.evidence.standing import (
    Pair,
    Place,
    Standing,
    evidence_against,
    evidence_for,
    highest,
    issue_holds,
    lowest,
    packages_of,
)


class Ground:
    """The matrix as one place sees it; what a whole grid asks again and again is found once.

    ``carriers``: the distributions that may bring TensorFlow, the preferred one first (those of the platform if empty).
    """

    def __init__(self, place: Place, matrix: Matrix, carriers: tuple[str, ...] = ()) -> None:
        self.place, self.matrix = place, matrix
        self.carriers = carriers or BODIES[place.platform]
        self._links = _by_pair(row for row in matrix.links() if row.arch == place.architecture and place.is_mac)
        self._pythons: dict[tuple[str, str, int], tuple[str, ...]] = {}

    def pythons(self, name: str, version: str, *, least: int = 0) -> tuple[str, ...]:
        """Return the Pythons asked about for which a release has a wheel of at least that many bytes here."""
        key = (name, version, least)
        if key not in self._pythons:
            self._pythons[key] = tuple(self._fitting(name, version, least))
        return self._pythons[key]

    def _fitting(self, name: str, version: str, least: int) -> Iterator[str]:
        row = query.release(self.matrix, name, version)
        for python in self.place.pythons() if row else ():
            wheel = query.wheel_for(row, self.place.target(python)) if row else None
            if wheel is not None and wheel.size >= least:
                yield python

    def carrier(self, version: str) -> str | None:
        """Return the distribution whose wheel carries that TensorFlow's code here."""
        found = {name: self.pythons(name, version, least=query.SHELL_BYTES) for name in self.carriers}
        return max((name for name in found if found[name]), key=lambda name: len(found[name]), default=None)

    def link(self, pair: Pair, distribution: str | None) -> LinkRow | None:
        """Return the judged pair, of the distribution that carries the code where it was judged."""
        rows = self._links.get((pair.tensorflow, pair.plugin, pair.plugin_version), ())
        return next((row for row in rows if row.distribution == distribution), rows[0] if rows else None)

    def standing(self, pair: Pair) -> Standing:
        """Return all that bears on one pair."""
        carrier = self.carrier(pair.tensorflow)
        pythons = self.pythons(carrier, pair.tensorflow, least=query.SHELL_BYTES) if carrier else ()
        if pair.plugin is None or pair.plugin_version is None:
            return self._weighed(Standing(pair=pair, distribution=carrier, pythons=pythons))
        both = self.pythons(pair.plugin, pair.plugin_version)
        binary = query.plugin_binary(self.matrix, pair.plugin, pair.plugin_version, self.place.architecture)
        return self._weighed(
            Standing(
                pair=pair,
                distribution=carrier,
                pythons=tuple(python for python in pythons if python in both),
                source_only=_source_only(self.matrix, pair),
                link=self.link(pair, carrier),
                binary=binary,
                needs_macos=_newer(binary, self.place.macos),
            )
        )

    def _weighed(self, bare: Standing) -> Standing:
        whole = replace(
            bare,
            seen=tuple(self._seen(bare.pair)),
            locks=tuple(self._locks(bare.pair)),
            issues=tuple(self._issues(bare.pair)),
        )
        if not whole.pythons:
            return replace(whole, failed=None if whole.source_only else "installs")
        if whole.needs_macos is not None:
            return replace(whole, reached="installs", failed="links")
        against = lowest(evidence_against(whole))
        worked = any(row.result == "works" for row in whole.seen)
        return replace(
            whole, reached=highest(evidence_for(whole)), failed=against, mixed=worked and against is not None
        )

    def _seen(self, pair: Pair) -> Iterator[Observation]:
        """Runs of exactly that pair on the place's kind of Mac: an M1 says nothing of an Intel Mac's GPU."""
        intel = self.place.architecture == "x86_64"
        for row in self.matrix.observed() if self.place.is_mac else ():
            same = (row.tensorflow, row.plugin, row.plugin_version) == _key(pair)
            if row.kind == "run" and same and (row.chip or "Apple").startswith("Intel") == intel:
                yield row

    def _locks(self, pair: Pair) -> Iterator[LockEntry]:
        for row in self.matrix.locks():
            same = (row.tensorflow, row.plugin, row.plugin_version) == _key(pair) and not row.cuda
            here = row.platform == self.place.platform and self.place.python in (None, row.python)
            if same and here and not _older(self.place.macos, row.minimum_macos):
                yield row

    def _issues(self, pair: Pair) -> Iterator[Issue]:
        packages = packages_of(pair)
        for row in self.matrix.issues():
            if row.withdrawn is None and issue_holds(row, packages, self.place):
                yield row


def _key(pair: Pair) -> tuple[str, str | None, str | None]:
    return (pair.tensorflow, pair.plugin, pair.plugin_version)


def _by_pair(rows: Iterable[LinkRow]) -> dict[tuple[str, str | None, str | None], list[LinkRow]]:
    found: dict[tuple[str, str | None, str | None], list[LinkRow]] = {}
    for row in rows:
        found.setdefault((row.tensorflow, row.plugin, row.plugin_version), []).append(row)
    return found


def _source_only(matrix: Matrix, pair: Pair) -> bool:
    row = query.release(matrix, pair.plugin or "", pair.plugin_version or "")
    return row is not None and row.has_sdist and not row.wheels


def _newer(binary: PluginBinary | None, macos: str | None) -> str | None:
    minimum = binary.minimum_macos if binary else None
    return minimum if _older(macos, minimum) else None


def _older(macos: str | None, minimum: str | None) -> bool:
    return macos is not None and minimum is not None and order(macos) < order(minimum)
