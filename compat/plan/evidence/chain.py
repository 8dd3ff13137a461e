"""One fact of a chain at a time: a wheel, a proof, a run, a known problem, shipped pins, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from compat.matrix import addresses, query, verified
from compat.matrix.model import TIERS, Issue, LockEntry, Observation
from compat.matrix.versions import contains, is_final, minor, order, ranges
from compat.plan.evidence.ground import Ground
from compat.plan.evidence.standing import Place, Standing
from compat.plan.reasons import first_missing


class Stands(str, Enum):
    """What a fact says to the question."""

    FOR = "for"
    AGAINST = "against"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact, where it stands written, and what it rests on."""

    stands: Stands
    text: str
    source: str
    """File and row of the matrix."""
    url: str = ""
    tier: str | None = None


def wheel(name: str, version: str, ground: Ground, *, body: bool = False) -> Iterator[Fact]:
    """Yield which Pythons a release has wheels for here, or why it has none."""
    pythons = ground.pythons(name, version, least=query.SHELL_BYTES if body else 0)
    row = query.release(ground.matrix, name, version)
    source, url = addresses.release(name, version), addresses.release_url(name, version)
    if pythons:
        text = f"{name} {version} has wheels for {words(ground.place)}, Python {ranges(pythons)}"
        yanked = f"; it was yanked: {row.yanked}" if row and row.yanked else ""
        yield Fact(stands=Stands.FOR, text=text + yanked, source=source, url=url, tier="installs")
    elif row is None:
        yield Fact(stands=Stands.AGAINST, text=f"there is no {name} {version}", source=source, url=url, tier="installs")
    else:
        text = f"{name} {version} {_no_wheel(name, version, ground, body=body)}"
        asks = row.requires_python if ground.place.python and row.requires_python else None
        if asks and not contains(asks, ground.place.python or ""):
            text += f", and asks for Python {asks}"
        stands = Stands.NOTE if row.has_sdist and not row.wheels else Stands.AGAINST
        yield Fact(stands=stands, text=text, source=source, url=url, tier="installs")


def _no_wheel(name: str, version: str, ground: Ground, *, body: bool) -> str:
    """Say which condition leaves no wheel: the Python, the macOS, or the platform."""
    place, least = ground.place, query.SHELL_BYTES if body else 0
    any_python = Ground(replace(place, python=None), ground.matrix).pythons(name, version, least=least)
    if any_python:
        return f"has no wheel for Python {place.python} on {words(place)}, only for Python {ranges(any_python)}"
    anywhere = Ground(Place(platform=place.platform), ground.matrix)
    if anywhere.pythons(name, version, least=least):
        return f"has wheels for {place.platform}, but none for a system as old as {words(place)}"
    if body and anywhere.pythons(name, version):
        return f"is a shell of a few KB on {place.platform}, without TensorFlow's code"
    row = query.release(ground.matrix, name, version)
    if row is not None and row.has_sdist and not row.wheels:
        return "is published as source only"
    return f"has no wheel for {place.platform}"


def carried(standing: Standing, ground: Ground) -> Iterator[Fact]:
    """Yield that the TensorFlow asked for is another distribution's wheel here (tensorflow-macos up to 2.15.0)."""
    asked, carrier, version = ground.carriers[0], standing.distribution, standing.pair.tensorflow
    if carrier is None or carrier == asked:
        return
    if ground.pythons(asked, version):
        text = f"{asked} {version} is a shell of a few KB on {ground.place.platform}: it installs {carrier} {version}"
    else:
        text = f"{asked} {version} has no wheel for {ground.place.platform}: TensorFlow {version} is {carrier} there"
    where, url = addresses.release(asked, version), addresses.release_url(asked, version)
    yield Fact(stands=Stands.NOTE, text=text, source=where, url=url, tier="installs")


def common_python(standing: Standing, ground: Ground) -> Iterator[Fact]:
    """Yield that no Python serves both, where each alone has wheels."""
    pair = standing.pair
    if standing.pythons or standing.distribution is None or pair.plugin is None or pair.plugin_version is None:
        return
    own = ground.pythons(standing.distribution, pair.tensorflow, least=query.SHELL_BYTES)
    other = ground.pythons(pair.plugin, pair.plugin_version)
    if own and other:
        yield Fact(
            stands=Stands.AGAINST,
            text=f"no Python has a wheel of both: {standing.distribution} {pair.tensorflow} for {ranges(own)},"
            f" {pair.plugin} {pair.plugin_version} for {ranges(other)}",
            source=addresses.release(pair.plugin, pair.plugin_version),
            url=addresses.release_url(pair.plugin, pair.plugin_version),
            tier="installs",
        )


def link(standing: Standing) -> Iterator[Fact]:
    """Yield what the binaries say of the pair."""
    row = standing.link
    if row is None or row.loads is None:
        if standing.pair.plugin is not None:
            why = row.reason if row else "no row says so"
            text = f"whether {_plugin(standing)} loads on TensorFlow {standing.pair.tensorflow} was not judged: {why}"
            where = addresses.pair(row) if row else addresses.pairs_of(standing.pair.plugin, "*")
            yield Fact(stands=Stands.NOTE, text=text, source=where, url=row.source if row else "", tier="links")
        return
    if row.loads:
        text = f"{_plugin(standing)} finds every library and symbol it needs in {row.distribution} {row.tensorflow}"
    else:
        more = f" and {len(row.missing) - 1} more" if len(row.missing) > 1 else ""
        text = f"{_plugin(standing)} cannot load on {row.distribution} {row.tensorflow}"
        text += f" (layer {row.layer}): {first_missing(row)}{more} is not there"
    stands = Stands.FOR if row.loads else Stands.AGAINST
    yield Fact(stands=stands, text=text, source=addresses.pair(row), url=row.source, tier="links")


def minimum_macos(standing: Standing, place: Place) -> Iterator[Fact]:
    """Yield which macOS the plugin's own binary was built for (its wheel's tag may name an older one)."""
    binary = standing.binary
    if binary is None or binary.minimum_macos is None:
        return
    text = f"the binary of {_plugin(standing)} was built for macOS {binary.minimum_macos} and newer"
    stands = Stands.NOTE if place.macos is None else Stands.FOR
    if standing.needs_macos is not None:
        text, stands = f"{text}; this is {place.macos}", Stands.AGAINST
    url = standing.link.source if standing.link else addresses.release_url(binary.plugin, binary.version)
    yield Fact(stands=stands, text=text, source=addresses.binary(binary), url=url, tier="links")


def runs_for(standing: Standing, place: Place) -> Iterator[Fact]:
    """Yield the run that says most for the pair, one on this chip before others; and that there is none on it."""
    worked = [row for row in standing.seen if row.result == "works"]
    if not worked:
        return
    best = max(worked, key=lambda row: (same_chip(row, place), TIERS.index(row.tier), _public(row)))
    yield _run(best, Stands.FOR, len(worked) - 1)
    if place.chip is not None and not any(same_chip(row, place) for row in standing.seen):
        text = f"no run of this pair on {place.chip} is on record"
        yield Fact(stands=Stands.NOTE, text=text, source="observed")


def runs_against(standing: Standing, place: Place, *, most: int = 2) -> Iterator[Fact]:
    """Yield runs that failed, those on this chip and at the lowest tier first."""
    failed = sorted(
        (row for row in standing.seen if row.result != "works"),
        key=lambda row: (not same_chip(row, place), TIERS.index(row.tier)),
    )
    for number, row in enumerate(failed[:most]):
        yield _run(row, Stands.AGAINST, len(failed) - most if number == most - 1 else 0)


def claims(standing: Standing, ground: Ground) -> Iterator[Fact]:
    """Yield what the plugin's vendor says of the pair: a claim, never counted as a run."""
    if standing.pair.plugin is None:
        return
    for row in ground.matrix.observed():
        same = (row.plugin, row.plugin_version) == (standing.pair.plugin, standing.pair.plugin_version)
        if row.kind == "claim" and same and contains(row.tensorflow, standing.pair.tensorflow):
            text = f"the vendor says it {row.result.replace('-', ' ')}"
            more = f" and {len(row.contradicted_by) - 2} more" if len(row.contradicted_by) > 2 else ""  # noqa: PLR2004
            against = f"; contradicted by {', '.join(row.contradicted_by[:2])}{more}"
            text += against if row.contradicted_by else " (a claim, no run)"
            yield Fact(stands=Stands.NOTE, text=text, source=addresses.observation(row), url=addresses.first_url(row))


def _run(row: Observation, stands: Stands, more: int) -> Fact:
    where = ", ".join(
        part
        for part in (
            row.chip,
            f"macOS {row.macos}" if row.macos else None,
            f"Python {row.python}" if row.python else None,
        )
        if part
    )
    text = f"seen{f' on {where}' if where else ''}: {row.result.replace('-', ' ')} at tier {row.tier} ({row.what})"
    rest = f", and {more} more like it" if more > 0 else ""
    return Fact(
        stands=stands, text=text + rest, source=addresses.observation(row), url=addresses.first_url(row), tier=row.tier
    )


def _public(row: Observation) -> bool:
    """Whether anyone can read the source; the address of a note was not kept."""
    return addresses.first_url(row).startswith("https:")


def same_chip(row: Observation, place: Place) -> bool:
    """Tell whether a run was on the place's family of chips (``Apple M1`` of ``Apple M1 Pro``)."""
    return place.chip is not None and row.chip is not None and row.chip.split()[:2] == place.chip.split()[:2]


def issues(rows: Sequence[Issue], *, blocking: Sequence[Issue] = ()) -> Iterator[Fact]:
    """Yield the known problems that hold here: those that decide, then warnings; remarks are left to ``explain``."""
    for row in sorted(rows, key=lambda row: (row not in blocking, row.severity, row.id)):
        if row.severity != "info":
            stands = Stands.AGAINST if row in blocking else Stands.NOTE
            text = f"known problem {row.id} ({row.severity}): {row.title}"
            yield Fact(stands=stands, text=text, source=addresses.issue(row), url=addresses.first_url(row))


def lock(standing: Standing, ground: Ground) -> Iterator[Fact]:
    """Yield the pins that are shipped, what was run with them, and what their Linux twin ran."""
    if not standing.locks:
        return
    best = max(standing.locks, key=lambda row: (TIERS.index(row.tier), row.recommended, order(row.python)))
    pythons = ranges(row.python for row in standing.locks)
    ran = _ran(best, ground)
    text = f"pins are shipped for Python {pythons}; those for {best.python} are known up to tier {best.tier}"
    text += f" and {ran}" if ran else ""
    yield Fact(stands=Stands.FOR, text=text, source=addresses.lock(best), tier=best.tier)
    found = None if ran else verified.twin(ground.matrix, best)
    if found is not None:
        twin, differs = found
        text = f"their Linux twin (the same TensorFlow and Python, no plugin) {_ran(twin, ground)}"
        text += f"; it differs in {differs}" if differs else ""
        yield Fact(stands=Stands.NOTE, text=text, source=addresses.lock(twin), tier=twin.tier)


def _ran(entry: LockEntry, ground: Ground) -> str:
    if entry.tier not in verified.RUN_WHOLE:
        return ""
    steps = verified.steps(ground.matrix, entry)
    return f"ran whole on {entry.verified_day}" + (f": {', '.join(steps)}" if steps else "")


def loads_elsewhere(standing: Standing, ground: Ground) -> Iterator[Fact]:
    """Yield on which TensorFlow releases the plugin does load."""
    pair = standing.pair
    if pair.plugin is None or pair.plugin_version is None:
        return
    arch = ground.place.architecture
    found = query.tensorflows_for_plugin(ground.matrix, pair.plugin_version, arch, pair.plugin)
    here = {minor(version) for version in found if is_final(version) and ground.carrier(version)}
    if here:
        text = f"{_plugin(standing)} loads on TensorFlow {ranges(here)}"
        where, url = addresses.pairs_of(pair.plugin, arch), standing.link.source if standing.link else ""
        yield Fact(stands=Stands.NOTE, text=text, source=where, url=url, tier="links")


def _plugin(standing: Standing) -> str:
    return f"{standing.pair.plugin} {standing.pair.plugin_version}"


def words(place: Place) -> str:
    """Return ``macOS 14.5 arm64``, ``Linux x86_64``."""
    system, _, architecture = place.platform.partition("-")
    name = {"macos": "macOS", "linux": "Linux", "windows": "Windows"}.get(system, system)
    floor = f" {place.macos}" if place.macos else f" (glibc {place.glibc})" if place.glibc else ""
    return f"{name}{floor} {architecture}"
