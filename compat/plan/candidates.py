"""Every combination that the hard facts allow on a machine: wheels, links, minimum macOS, observed failures."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.facts.machine import Machine
from compat.matrix import query
from compat.matrix.applies import issue_applies
from compat.matrix.load import Matrix
from compat.matrix.model import LockEntry, Observation, Target
from compat.matrix.versions import contains, is_final, order
from compat.plan.model import Accelerator, Candidate, Evidence, Wish

BODIES = {
    "macos-arm64": ("tensorflow", "tensorflow-macos"),
    "macos-x86_64": ("tensorflow",),
    "linux-x86_64": ("tensorflow-cpu", "tensorflow"),
    "linux-aarch64": ("tensorflow",),
    "windows-amd64": ("tensorflow-cpu", "tensorflow"),
}
"""Distributions that may carry the code on a platform, the preferred one first."""

OLDEST_TENSORFLOW = "2.9"
"""Older ones have no arm64 wheel for a Python that is still to be had from uv's own builds with a fitting NumPy.

One that a lock is known for is planned all the same.
"""

FIRST_AND_CUDA = "2.14"
"""The first release with the ``and-cuda`` extra."""


def target_of(machine: Machine, python: str) -> Target | None:
    """Return what wheels must fit on that machine; None where its platform is not known."""
    platform = machine.platform
    if platform not in BODIES:
        return None
    macos = known(machine.os_version) if platform.startswith("macos") else None
    glibc = known(machine.glibc) if platform.startswith("linux") else None
    return Target(platform=platform, python=python, macos=macos, glibc=glibc)


def accelerator_kind(machine: Machine) -> str | None:
    """Return how TensorFlow could use a GPU here: ``plugin``, ``cuda``, or None."""
    platform = machine.platform or ""
    if platform.startswith("macos"):
        return "plugin"
    gpus = known(machine.gpus) or ()
    return "cuda" if platform == "linux-x86_64" and any(gpu.vendor == "nvidia" for gpu in gpus) else None


def candidates(wish: Wish, facts: Facts, matrix: Matrix) -> tuple[Candidate, ...]:
    """Return all candidates that meet the wish, best first."""
    found = [candidate for python in _pythons(wish) for candidate in _for_python(python, wish, facts, matrix)]
    return tuple(sorted(found, key=functools.partial(rank, facts=facts)))


def _pythons(wish: Wish) -> tuple[str, ...]:
    return (wish.python,) if wish.python else query.PYTHONS


def _for_python(python: str, wish: Wish, facts: Facts, matrix: Matrix) -> Iterator[Candidate]:
    target = target_of(facts.machine, python)
    if target is None:
        return
    for version, distribution in _tensorflows(target, matrix).items():
        if wish.tensorflow is not None and not contains(wish.tensorflow, version):
            continue
        if wish.gpu is not False:
            for accelerator in _accelerators(version, target, facts.machine, matrix):
                yield from _candidate(target, distribution, version, accelerator, facts, matrix)
        if not wish.gpu:
            yield from _candidate(target, distribution, version, None, facts, matrix)


def _tensorflows(target: Target, matrix: Matrix) -> dict[str, str]:
    """TensorFlow versions with code for the target, and the distribution that carries it."""
    found: dict[str, str] = {}
    locked = {
        row.tensorflow for row in matrix.locks() if (row.platform, row.python) == (target.platform, target.python)
    }
    for distribution in BODIES[target.platform]:
        for version in query.versions_for(matrix, distribution, target, bodies=True):
            if order(version) >= order(OLDEST_TENSORFLOW) or version in locked:
                found.setdefault(version, distribution)
    return found


def _accelerators(version: str, target: Target, machine: Machine, matrix: Matrix) -> Iterator[Accelerator]:
    kind = accelerator_kind(machine)
    if kind == "cuda" and order(version) >= order(FIRST_AND_CUDA):
        yield Accelerator(kind="cuda", distribution="tensorflow[and-cuda]", version=version)
    if kind == "plugin":
        for plugin_version in plugins_that_fit(version, target, matrix):
            yield Accelerator(kind="plugin", distribution=query.APPLE_PLUGIN, version=plugin_version)


def plugins_that_fit(version: str, target: Target, matrix: Matrix) -> tuple[str, ...]:
    """Return Apple's plugin releases that load on that TensorFlow, have a wheel, and were built for this macOS."""
    arch = target.platform.partition("-")[2]
    return tuple(
        plugin
        for plugin in query.loadable_plugins(matrix, version, arch)
        if is_final(plugin)
        and query.has_wheel(matrix, query.APPLE_PLUGIN, plugin, target)
        and not built_for_newer_macos(plugin, target, matrix)
        and not observed_failing(version, plugin, target, matrix)
    )


def built_for_newer_macos(plugin_version: str, target: Target, matrix: Matrix) -> bool:
    """Tell whether the plugin's binary asks for a macOS above the target's (its wheel's tag may not say so)."""
    binary = query.plugin_binary(matrix, query.APPLE_PLUGIN, plugin_version, target.platform.partition("-")[2])
    if binary is None or binary.minimum_macos is None or target.macos is None:
        return False
    return order(binary.minimum_macos) > order(target.macos)


def observed_failing(tensorflow: str, plugin_version: str, target: Target, matrix: Matrix) -> bool:
    """Tell whether somebody saw exactly this pair fail to load or run, and nobody saw it work."""
    rows = _seen_on(target, query.observations_of(matrix, tensorflow, plugin_version))
    failing = [row for row in rows if row.result in ("fails-to-load", "fails-to-run")]
    return bool(failing) and not query.pairs_seen(rows)


def _candidate(
    target: Target, distribution: str, version: str, accelerator: Accelerator | None, facts: Facts, matrix: Matrix
) -> Iterator[Candidate]:
    carrier = "tensorflow" if accelerator and accelerator.kind == "cuda" else distribution
    lock = lock_for(matrix, target, version, accelerator)
    if lock and lock.minimum_macos and target.macos and order(lock.minimum_macos) > order(target.macos):
        lock = None
    yield Candidate(
        target=target,
        distribution=carrier,
        tensorflow=version,
        accelerator=accelerator,
        evidence=evidence(target, version, accelerator, lock, facts, matrix),
        lock=lock,
        requirements=requirements(matrix, carrier, version, target.python, accelerator),
    )


def lock_for(matrix: Matrix, target: Target, version: str, accelerator: Accelerator | None) -> LockEntry | None:
    """Return the shipped pins for exactly that combination."""
    plugin = accelerator.version if accelerator and accelerator.kind == "plugin" else None
    cuda = accelerator is not None and accelerator.kind == "cuda"
    wanted = (target.platform, target.python, version, plugin, cuda)
    return next((row for row in matrix.locks() if _lock_key(row) == wanted), None)


def _lock_key(row: LockEntry) -> tuple[str, str, str, str | None, bool]:
    return (row.platform, row.python, row.tensorflow, row.plugin_version, row.cuda)


def requirements(
    matrix: Matrix, distribution: str, version: str, python: str, accelerator: Accelerator | None
) -> tuple[str, ...]:
    """Return the pair and the repairs its TensorFlow needs, as requirements to resolve."""
    extra = "[and-cuda]" if accelerator and accelerator.kind == "cuda" else ""
    pair = [f"{distribution}{extra}=={version}"]
    if accelerator and accelerator.kind == "plugin":
        pair.append(f"{accelerator.distribution}=={accelerator.version}")
    repairs = (row.requirement for row in query.repairs_for(matrix, distribution, version, python))
    return (*pair, *dict.fromkeys(repairs))


def evidence(
    target: Target,
    version: str,
    accelerator: Accelerator | None,
    lock: LockEntry | None,
    facts: Facts,
    matrix: Matrix,
) -> Evidence:
    """Return how well the combination is known: the lock's own record, the links, and runs people described."""
    plugin = accelerator.version if accelerator and accelerator.kind == "plugin" else None
    seen = query.pairs_seen(_seen_on(target, query.observations_of(matrix, version, plugin))) if plugin else ()
    applying = [row for row in matrix.issues() if issue_applies(row, version, plugin, target, facts.machine)]
    return Evidence(
        tier=_tier(plugin, lock, seen),
        reports=len(seen),
        on_this_chip=sum(_same_chip(row, facts.machine) for row in seen),
        errors=tuple(row.id for row in applying if row.severity == "error"),
        warnings=tuple(row.id for row in applying if row.severity == "warning"),
        sources=tuple(source.url for row in seen for source in row.sources[:1]),
    )


def _seen_on(target: Target, rows: Iterable[Observation]) -> tuple[Observation, ...]:
    """Only the runs on the target's architecture: what an M1 did says nothing of an Intel Mac's GPU."""
    intel = target.platform.endswith("x86_64")
    return tuple(row for row in rows if (row.chip or "Apple").startswith("Intel") == intel)


def _tier(plugin: str | None, lock: LockEntry | None, seen: Iterable[Observation]) -> str:
    if any(seen):
        return "runs"
    if plugin:
        return "links"
    return lock.tier if lock else "installs"


def _same_chip(row: Observation, machine: Machine) -> bool:
    chip = known(machine.chip)
    return chip is not None and row.chip is not None and row.chip.split()[:2] == chip.split()[:2]


def rank(candidate: Candidate, *, facts: Facts) -> tuple[object, ...]:
    """Sort key: GPU before CPU, then evidence tier, shipped pins, known issues, newness, the Python at hand."""
    tiers = ("agrees", "runs", "imports", "links", "installs")
    version = order(candidate.tensorflow)
    plugin = order(candidate.accelerator.version) if candidate.accelerator else order("0")
    return (
        candidate.accelerator is None,
        tiers.index(candidate.evidence.tier),
        candidate.lock is None,
        len(candidate.evidence.errors),
        _Descending(version),
        _Descending(plugin),
        *python_preference(candidate.python, facts),
    )


def python_preference(python: str, facts: Facts) -> tuple[bool, bool, object]:
    """Prefer the Python of the environment at hand, then one that is on this machine, then the newest."""
    interpreter = known(facts.interpreter)
    current = known(interpreter.version) if interpreter else None
    here = {".".join(v.split(".")[:2]) for v in (known(found.version) for found in facts.found) if v}
    same = current is not None and ".".join(current.split(".")[:2]) == python
    return (not same, python not in here, _Descending(order(python)))


@functools.total_ordering
class _Descending:
    """Turns an order around inside a sort key."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and bool(self.value == other.value)

    def __lt__(self, other: _Descending) -> bool:
        return bool(other.value < self.value)  # type: ignore[operator]

    def __hash__(self) -> int:
        return hash(self.value)
