"""A wish, the facts and the matrix to a plan, or to a refusal with the shortest honest chain of causes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from compat.facts.capture import Facts
from compat.matrix.load import Matrix
from compat.plan import explain
from compat.plan.candidates import accelerator_kind, candidates
from compat.plan.model import Candidate, Decision, Option, Plan, Refusal, Wish
from compat.plan.reasons import reasons

GPU_ATTEMPTS = 2
"""GPU candidates tried before the CPU is the honest answer."""

CPU_ATTEMPTS = 2


def decide(wish: Wish, facts: Facts, matrix: Matrix) -> Decision:
    """Return a plan that meets the wish, or a refusal that proves it cannot be met and names what can."""
    if facts.machine.platform is None:
        return Refusal(conflict=("machine",), causes=explain.unknown_machine(facts), options=())
    found = candidates(wish, facts, matrix)
    if not found:
        return refuse(wish, facts, matrix)
    best, rest = found[0], found[1:]
    return Plan(
        best=best,
        fallbacks=tuple(fallbacks(best, rest, wish, facts, matrix)),
        reasons=reasons(best, wish, facts, matrix),
    )


def fallbacks(
    best: Candidate, rest: tuple[Candidate, ...], wish: Wish, facts: Facts, matrix: Matrix
) -> Iterator[Candidate]:
    """Yield what to try next: another GPU pair with another plugin (two GPU attempts in all), then CPU only."""
    if best.accelerator is not None:
        plugins = {best.accelerator.version}
        for candidate in rest:
            if len(plugins) < GPU_ATTEMPTS and _is_new_plugin(candidate, plugins):
                plugins.add(candidate.accelerator.version if candidate.accelerator else "")
                yield candidate
    yield from _cpu(best, rest if best.accelerator is None else candidates(replace(wish, gpu=False), facts, matrix))


def _is_new_plugin(candidate: Candidate, plugins: set[str]) -> bool:
    return (
        candidate.accelerator is not None
        and candidate.accelerator.kind == "plugin"
        and candidate.accelerator.version not in plugins
    )


def _cpu(best: Candidate, found: tuple[Candidate, ...]) -> Iterator[Candidate]:
    """CPU candidates of distinct TensorFlow minors, the best one left out."""
    minors = {best.tensorflow} if best.accelerator is None else set()
    for candidate in found:
        if len(minors) >= CPU_ATTEMPTS:
            return
        if candidate.tensorflow not in minors:
            minors.add(candidate.tensorflow)
            yield candidate


def refuse(wish: Wish, facts: Facts, matrix: Matrix) -> Refusal:
    """Return the smallest part of the wish that cannot be met on this machine, why, and what can."""
    conflict = smallest_conflict(wish, facts, matrix)
    return Refusal(
        conflict=conflict,
        causes=explain.causes(conflict, wish, facts, matrix),
        options=options(conflict, wish, facts, matrix),
    )


def smallest_conflict(wish: Wish, facts: Facts, matrix: Matrix) -> tuple[str, ...]:
    """Return the fewest constraints that already leave no candidate (empty: nothing fits this machine at all)."""
    constraints = wish.constraints()
    for size in range(len(constraints) + 1):
        for kept in combinations(constraints, size):
            if not candidates(only(wish, kept), facts, matrix):
                return kept
    return constraints


def only(wish: Wish, kept: tuple[str, ...]) -> Wish:
    """Return the wish with only the named constraints."""
    return Wish(**{name: getattr(wish, name) for name in kept})


def options(conflict: tuple[str, ...], wish: Wish, facts: Facts, matrix: Matrix) -> tuple[Option, ...]:
    """Return the nearby wishes that can be met: each gives up one part of the conflict."""
    found = [option for name in conflict if (option := _without(name, wish, facts, matrix))]
    third_party = explain.third_party_option(wish, facts, matrix) if "gpu" in conflict else None
    return (*found, *([third_party] if third_party else ()))


def _without(name: str, wish: Wish, facts: Facts, matrix: Matrix) -> Option | None:
    nearer = _giving_up(name, wish)
    found = candidates(nearer, facts, matrix)
    if not found:
        return None
    words = {"python": "another Python", "tensorflow": "another TensorFlow", "gpu": "the CPU"}
    return Option(text=f"with {words[name]}: {found[0].title}", candidate=found[0])


def _giving_up(name: str, wish: Wish) -> Wish:
    if name == "gpu":
        return replace(wish, gpu=False)
    return replace(wish, python=None) if name == "python" else replace(wish, tensorflow=None)


def default_wish(
    facts: Facts, *, cpu: bool = False, gpu: bool = False, python: str | None = None, tensorflow: str | None = None
) -> Wish:
    """Return what a person means who did not say: the GPU where Apple silicon or NVIDIA hardware has one.

    An Intel Mac's GPU must be asked for: the last plugin for it goes with TensorFlow 2.13.
    """
    has_one = facts.machine.platform == "macos-arm64" or accelerator_kind(facts.machine) == "cuda"
    return Wish(gpu=gpu or (has_one and not cpu), tensorflow=tensorflow, python=python)
