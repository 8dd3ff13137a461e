"""The smallest set of repairs that makes an environment whole, found by looking.

Fail, add what the failure calls for, look again; at the end leave each one out once, and keep it only if the
environment then fails.
"""

from __future__ import annotations

from collections.abc import Callable

from locking.cures import Cure, find
from locking.records import LockingError, Observation, Target

Observe = Callable[[Target, tuple[str, ...]], Observation]


def mend(target: Target, observe: Observe) -> tuple[tuple[Cure, Observation], ...]:
    """Each needed cure with the observation of the environment without it; empty where plain is whole.

    Raises LockingError for a failure that no cure is known for, and for a cure that did not help.
    """
    needed: list[tuple[Cure, Observation]] = []
    while (failure := (seen := observe(target, _requirements(needed))).failure) is not None:
        step, line = failure
        cure = find(line, target.distribution, target.tensorflow, target.python)
        if cure is None or any(cure is one for one, _ in needed):
            raise LockingError(f"{target.name} with {list(_requirements(needed))}: {step}: {line}")
        needed.append((cure, seen))
    return tuple(_only_needed(target, needed, observe))


def _only_needed(
    target: Target, found: list[tuple[Cure, Observation]], observe: Observe
) -> list[tuple[Cure, Observation]]:
    # The last one was seen to be needed beside all the others; only the earlier ones may have become idle.
    kept = list(found)
    for pair in found[:-1]:
        others = [one for one in kept if one is not pair]
        if not observe(target, _requirements(others)).failure:
            kept = others
    return kept


def _requirements(needed: list[tuple[Cure, Observation]]) -> tuple[str, ...]:
    return tuple(sorted(cure.repair.requirement for cure, _ in needed))
