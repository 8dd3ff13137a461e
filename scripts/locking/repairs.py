"""`matrices/repairs/repairs.toml`: read for resolving, written from what `mend` saw."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from packaging.version import Version

from locking.cures import CURES, Cure, applies
from locking.records import Lock, LockingError, Observation, Repair, Target
from locking.text import inline, quoted, strings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HEAD = """\
# Constraints that mend TensorFlow releases whose declared dependencies have drifted. Made by `scripts/locks --derive`:
# each was seen to be needed (the failure is the line of the environment without it) and seen to help. An id is
# permanent; a repair no longer needed is withdrawn with a reason, never reused.
"""
# Steps of the whole check by the name a repair gives them.
_STEPS = {"imports": "import", "fit": "fit", "tensorboard_callback": "tensorboard", "tensorboard_cli": "tensorboard"}
# What a reader needs to see of a resolution to believe the failure.
_TELLING = ("numpy", "protobuf", "setuptools", "tensorboard")


def read_toml(path: Path) -> dict[str, Any]:
    """One document. Raises LockingError with the file's name where it is missing or broken."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LockingError(f"{path.name}: {error}") from error


def read_repairs(path: Path) -> tuple[Repair, ...]:
    """The repairs on file."""
    fields = ("id", "requirement", "versions", "step", "failure", "adds")
    return tuple(
        Repair(packages=tuple(row["packages"]), python=row.get("python", ""), **{name: row[name] for name in fields})
        for row in read_toml(path).get("repairs", [])
    )


def for_target(repairs: Iterable[Repair], target: Target) -> tuple[Repair, ...]:
    """The repairs meant for a target; of several with one requirement the first is enough."""
    chosen: dict[str, Repair] = {}
    for repair in repairs:
        if applies(repair, target.distribution, target.tensorflow, target.python):
            chosen.setdefault(repair.requirement, repair)
    return tuple(chosen.values())


def repairs_text(seen: Sequence[tuple[Cure, Observation]], day: str, locks: Iterable[Lock] = ()) -> str:
    """The file, from every failure a cure was needed for; a cure never needed is left out.

    Locks that ran whole say on which other combinations leaving it out was seen to fail.
    """
    needing = list(locks)
    rows = []
    for cure in CURES:
        failures = [one for known, one in seen if known is cure]
        if failures:
            rows.append(_row(cure, failures, day, needing))
    return _HEAD + "".join(f"\n{row}" for row in rows)


def _row(cure: Cure, failures: Sequence[Observation], day: str, locks: Sequence[Lock]) -> str:
    shown = max(failures, key=lambda one: (Version(one.target.tensorflow), Version(one.target.python)))
    step, line = shown.failure or ("", "")
    repair = cure.repair
    lines = [
        "[[repairs]]",
        f"id = {quoted(repair.id)}",
        f"requirement = {quoted(repair.requirement)}",
        f"packages = {strings(repair.packages)}",
        f"versions = {quoted(repair.versions)}",
        *([f"python = {quoted(repair.python)}"] if repair.python else []),
        f"step = {quoted(_STEPS.get(step, 'save'))}",
        f"failure = {quoted(line)}",
        f"adds = {str(repair.adds).lower()}",
        f"measured = {inline(_measured(shown, day))}",
        f"seen_on = {strings(_seen_on([one.target for one in failures], locks, repair.id))}",
        f"sources = {strings(cure.sources)}",
    ]
    return "\n".join(lines) + "\n"


def _measured(shown: Observation, day: str) -> dict[str, str]:
    telling = [f"{name} {shown.resolved[name]}" for name in _TELLING if name in shown.resolved]
    target = shown.target
    wishes = " ".join(f'"{one}"' for one in (*target.requirements, *shown.repairs))
    return {
        "day": shown.day,
        "platform": target.platform,
        "environment": ", ".join([f"{target.distribution} {target.tensorflow}", f"CPython {shown.python}", *telling]),
        "command": f"uv pip install --exclude-newer {day}T00:00:00Z {wishes} && python compat/smoke/scripts/whole.py",
    }


def _seen_on(failing: Iterable[Target], locks: Iterable[Lock], repair: str) -> list[str]:
    needing = (one.target for one in locks if repair in one.without)
    seen = {(one.tensorflow, one.python) for one in (*failing, *needing)}
    ordered = sorted(seen, key=lambda one: (Version(one[0]), Version(one[1])))
    return [f"{tensorflow} on {python}" for tensorflow, python in ordered]
