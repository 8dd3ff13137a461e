"""What every telling of a fleet says alike: the headline, machines in few words, a remedy, what is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compat.verdict.fleet.cover import Step
from compat.verdict.fleet.machine import Health, Seen
from compat.verdict.fleet.merge import Count, Fleet

TITLES = {
    "chip": "chips",
    "system": "systems",
    "python": "Pythons",
    "tensorflow": "TensorFlow",
    "plugin": "plugins",
    "together": "together",
    "judged by": "judged by",
}
HEALTH = {
    Health.ERRORS: "errors",
    Health.WARNINGS: "warnings",
    Health.HEALTHY: "no fault found",
    Health.UNSEEN: "not seen",
}
COMMANDS_ARE_THEIRS = "commands are those of the reports; PYTHON and DIR stand for each machine's own"


def headline(fleet: Fleet) -> str:
    """Return the fleet in one line; never more than was seen."""
    parts = {
        "with errors": fleet.of(Health.ERRORS),
        "with warnings": fleet.of(Health.WARNINGS),
        "without a fault found": fleet.of(Health.HEALTHY),
        "not seen or not readable": fleet.of(Health.UNSEEN),
    }
    told = [f"{len(some)} {what}" for what, some in parts.items() if some]
    return f"{machines(len(fleet.machines))}: {', '.join(told) or 'none'}"


def measured(fleet: Fleet) -> str:
    """Return on how many machines numbers were measured: what was not measured is not known to be right."""
    seen = [machine for machine in fleet.machines if isinstance(machine, Seen)]
    return f"numbers measured on {sum(machine.traits.measured for machine in seen)} of {len(seen)} machines seen"


def machines(number: int) -> str:
    """Return a number of machines in words."""
    return f"{number} machine" + ("" if number == 1 else "s")


def names(some: Sequence[str], limit: int) -> str:
    """Return names on one line, at most ``limit`` of them (0: all)."""
    shown = some if limit == 0 else some[:limit]
    more = len(some) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def steps(fleet: Fleet) -> Iterator[tuple[Step, str]]:
    """Yield each remedy with for how many it is, and how many have no other error on record then."""
    sick = len(fleet.of(Health.ERRORS))
    done = 0
    for step in fleet.steps:
        done += len(step.last)
        lack = f"it is all that {len(step.last)} of them lack" if step.last else "each of them lacks more"
        yield step, f"for {len(step.machines)} of {sick} ({', '.join(step.causes)}); {lack}: {done} of {sick} so far"


def shown_counts(counts: Sequence[Count], limit: int) -> str:
    """Return counted values on one line, the commonest first, at most ``limit`` of them (0: all)."""
    shown = counts if limit == 0 else counts[:limit]
    more = len(counts) - len(shown)
    return ", ".join(f"{count.name} ({count.machines})" for count in shown) + (f" and {more} more" if more else "")
