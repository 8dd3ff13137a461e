"""The record of a smoke run, read for the rules: which devices, which checks, how it ended."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Sequence

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.facts.numerics import Check, Numerics, time_that_ran_out
from compat.verdict.finding import Evidence, Remedy
from compat.verdict.rule import MissingFactError
from compat.verdict.rules import remedies

SHOWN = 5
"""Checks, and lines of stderr, that are shown of many."""
DIED = {"aborted", "hung", "exited", "no-answer"}
OUT_OF_MEMORY = re.compile(
    r"ResourceExhausted|RESOURCE_EXHAUSTED|OOM when allocating|bad_alloc|MemoryError|[Oo]ut of memory"
    r"|[Cc]annot allocate memory(?! in static TLS)|pthread_create\(\) failed"
    r"|failed to map segment from shared object(?!: Operation not permitted)"
)
"""What TensorFlow, C++, Python, the loader and the system say when there is no more, as under `ulimit -v` of 0.2 to 1.3
GB with TensorFlow 2.18.1. Convolutions on the CPU may then give wrong numbers without an error."""
MORE_MEMORY = Remedy(
    text="give it more memory and measure again: end other programs, raise the limit (`ulimit -v`, `ulimit -u`, the"
    " container's or the queue's); another TensorFlow would need as much"
)
HIDE_GPU = "hide the GPU: `tf.config.set_visible_devices([], 'GPU')` at the top of the program"


def smoke_command(facts: Facts) -> str:
    """Return the command that measures this environment again."""
    interpreter = known(facts.interpreter)
    return f"tfcompat smoke --python {remedies.quote(interpreter.path, facts)}" if interpreter else "tfcompat smoke"


def other_devices(numerics: Numerics) -> list[str]:
    """Return the devices beside the CPU that are listed or were computed on, in their order."""
    names = [device.name for device in numerics.devices] + [check.device for check in numerics.checks]
    return [name for name in dict.fromkeys(names) if name and not name.startswith("CPU")]


def device_of_death(numerics: Numerics) -> str | None:
    """Return the device on which the check ran that the process did not survive; None for the import or unknown."""
    last = numerics.last_check or ""
    return last.rpartition(" on ")[2].rstrip(")") if numerics.outcome in DIED and " on " in last else None


def memory_ran_out(numerics: Numerics, checks: Sequence[Check] = ()) -> str | None:
    """Return what says that there was too little memory: a line of the run or of one of the checks, or a kill."""
    said = [numerics.key_line, numerics.error, *(check.detail for check in checks), *reversed(numerics.stderr_tail)]
    line = next((text for text in said if text and OUT_OF_MEMORY.search(text)), None)
    if line is None and numerics.outcome == "aborted" and numerics.signal == signal.SIGKILL:
        return "killed from outside, as the system does with a process when memory runs out"
    return line


def without_variables(numerics: Numerics) -> str:
    """Return the beginning of a remedy: without what may be the cause and is taken away with one word."""
    names = " ".join(variable.name for variable in numerics.variables)
    return f"see first whether it starts without what is set here: `unset {names}`; " if names else ""


def more_time(numerics: Numerics) -> Remedy:
    """Return the remedy for a run that was out of time."""
    seconds = f"{2 * numerics.time_limit:g}" if numerics.time_limit else "SECONDS"
    return Remedy(text=f"give it more time, as `--timeout {seconds}`, or end what keeps the machine busy")


def checks_on(numerics: Numerics, device: str, *statuses: str) -> list[Check]:
    """Return the checks on a device that came out in one of those ways."""
    return [check for check in numerics.checks if check.device == device and check.status in statuses]


def blames_another(check: Check) -> bool:
    """Tell whether a check raised an error that speaks of another device: a copy there failed, not this device."""
    named = set(re.findall(r"device:(\w+:\d+)", check.detail)) if check.status == "crashed" else set()
    return bool(named - {check.device})


def shown(checks: Sequence[Check]) -> list[Evidence]:
    """Return the first checks as evidence, and how many more there are."""
    found = [Evidence(fact=_told(check), source="measured here", tier="runs") for check in checks[:SHOWN]]
    rest = len(checks) - SHOWN
    return [*found, Evidence(fact=f"and {rest} more", source="measured here")] if rest > 0 else found


def _told(check: Check) -> str:
    error = f", error {check.error_in_bounds:.3g} of what is allowed" if check.error_in_bounds is not None else ""
    code = f"; {check.code}" if check.code and check.status == "fails" else ""
    dtype = "" if check.dtype == "float32" else f", {check.dtype}"
    return f"{check.id} ({check.mode}, {check.shape}{dtype}): {check.detail or check.status}{error}{code}"


def names_of(checks: Iterable[Check]) -> str:
    """Return the operations of checks, each once with its modes: ``MatMul (eager, graph), Conv2D (graph)``."""
    modes: dict[str, dict[str, None]] = {}
    for check in checks:
        modes.setdefault(check.op or check.id, {})[check.mode] = None
    names = [f"{op} ({', '.join(found)})" for op, found in modes.items()]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def must_have_run(numerics: Numerics, device: str) -> None:
    """Raise MissingFactError where nothing, or not all, was computed on the device."""
    if numerics.outcome != "ran":
        late = f" ({time_that_ran_out(numerics)})" if numerics.outcome == "out-of-time" else ""
        raise MissingFactError(f"what {device} computes", f"was not measured to the end{late}")
    if not any(check.device.startswith(device) for check in numerics.checks):
        raise MissingFactError(f"what {device} computes", "was not measured")


def signal_name(number: int | None) -> str:
    """Return ``SIGABRT`` for 6; words where the number has no name here, or there is none."""
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}" if number else "a signal"


def ending_of_check(numerics: Numerics) -> str:
    """Say how the check under way ended the process."""
    how = {"aborted": f"killed the process ({signal_name(numerics.signal)})", "hung": "did not come back"}
    line = f": {numerics.key_line}" if numerics.key_line else ""
    return f"{numerics.last_check} {how.get(numerics.outcome, 'ended the process')}{line}"
