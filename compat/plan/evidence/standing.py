"""What is known of a TensorFlow, alone or with a plugin, in one place: the tier it reached, and the tier it fails at.

Wheels, link proofs, the plugin binary's own minimum macOS, runs people described, shipped pins and known problems are
put side by side; where they contradict each other, both sides are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from compat.matrix import query
from compat.matrix.applies import affects_these
from compat.matrix.model import TIERS, Issue, LinkRow, LockEntry, Observation, PluginBinary, Target

PLUGINS = (query.APPLE_PLUGIN, "tensorflow-metal-plugin")
"""PluggableDevice libraries the matrix follows, the vendor's first."""

_IMPLIED = {"fails-to-run": "imports", "wrong-numbers": "runs"}
"""What a failure proves of the tier below: what fails to run was imported, what computes wrongly did run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is to run; what is None is open."""

    platform: str
    python: str | None = None
    """``3.12``; None for any the matrix knows."""
    macos: str | None = None
    chip: str | None = None
    """The brand string (``Apple M1 Pro``)."""
    glibc: str | None = None

    @property
    def architecture(self) -> str:
        """The second half of the platform's name."""
        return self.platform.partition("-")[2]

    @property
    def is_mac(self) -> bool:
        """Whether a plugin could be used at all."""
        return self.platform.startswith("macos-")

    def target(self, python: str) -> Target:
        """Return what wheels must fit for one Python."""
        return Target(platform=self.platform, python=python, macos=self.macos, glibc=self.glibc)

    def pythons(self) -> tuple[str, ...]:
        """Return the Pythons that are asked about."""
        return (self.python,) if self.python else query.PYTHONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One TensorFlow, with one plugin release or without."""

    tensorflow: str
    plugin: str | None = None
    plugin_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """All that bears on one pair in one place."""

    pair: Pair
    distribution: str | None
    """The one whose wheel carries TensorFlow's code here; None where none does."""
    pythons: tuple[str, ...]
    """Those with a wheel of every part, among the ones asked about."""
    source_only: bool = False
    """The plugin has no wheel anywhere, only sources to build."""
    link: LinkRow | None = None
    binary: PluginBinary | None = None
    needs_macos: str | None = None
    """The plugin binary's minimum macOS, where the place's macOS is older."""
    seen: tuple[Observation, ...] = ()
    locks: tuple[LockEntry, ...] = ()
    issues: tuple[Issue, ...] = ()
    reached: str | None = None
    """The highest tier there is evidence for."""
    failed: str | None = None
    """The lowest tier there is evidence against."""
    mixed: bool = False
    """Somebody saw it work although there is evidence against it."""


def packages_of(pair: Pair) -> dict[str, str]:
    """Return what is installed with a pair, by name: an issue may name TensorFlow by any of its distributions."""
    found = dict.fromkeys(query.TENSORFLOWS, pair.tensorflow)
    if pair.plugin is not None and pair.plugin_version is not None:
        found[pair.plugin] = pair.plugin_version
    return found


def issue_holds(row: Issue, packages: dict[str, str], place: Place) -> bool:
    """Tell whether an issue is known for those packages in that place."""
    return any(
        affects_these(part, packages, place.platform, place.python, chip=place.chip, macos=place.macos)
        for part in row.affects
    )


def evidence_for(standing: Standing) -> Iterator[str]:
    """Yield each tier there is evidence for."""
    if standing.pythons:
        yield "installs"
    if standing.link is not None and standing.link.loads:
        yield "links"
    for row in standing.seen:
        yield row.tier if row.result == "works" else _IMPLIED.get(row.result, "installs")
    yield from (row.tier for row in standing.locks)


def evidence_against(standing: Standing) -> Iterator[str]:
    """Yield each tier there is evidence against."""
    if standing.link is not None and standing.link.loads is False:
        yield "links"
    yield from (row.tier for row in standing.seen if row.result != "works")


def blocking(standing: Standing, place: Place) -> tuple[Issue, ...]:
    """Return the known errors that hold here and that no run within their own conditions contradicts."""
    packages = packages_of(standing.pair)
    worked = [
        Place(platform=place.platform, python=row.python, macos=row.macos, chip=row.chip)
        for row in standing.seen
        if row.result == "works"
    ]
    return tuple(
        issue
        for issue in standing.issues
        if issue.severity == "error" and not any(issue_holds(issue, packages, seen) for seen in worked)
    )


def highest(tiers: Iterable[str]) -> str | None:
    """Return the highest of some tiers."""
    return max(tiers, key=TIERS.index, default=None)


def lowest(tiers: Iterable[str]) -> str | None:
    """Return the lowest of some tiers."""
    return min(tiers, key=TIERS.index, default=None)
