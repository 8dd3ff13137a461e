"""Smoke results told as text and as JSON, and what every way of telling them says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

from compat.errors import one_line
from compat.facts.codec import encode
from compat.facts.numerics import Check, Numerics, time_that_ran_out
from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.report.style import Style

BAD = ("fails", "crashed")
COMMAND = "tfcompat smoke"
SHOWN = 5
"""Operations that a remark names of many."""
EACH = 3
"""Failing checks that are shown of one operation on one device in one mode; one fault fails dozens."""
OFF_SCALE = 1e12
"""From here on a figure tells nothing more: what was to be exactly 0 was not."""
WORDS = {
    "precision": "computes with fewer significant bits than the type has",
    "cpu": "runs on the CPU for want of a kernel",
    "order": "answers differently when asked again: sums in varying order",
    "convention": "decides by another convention (ties, equal values, integer wrap-around)",
    "speed": "takes its time",
}
"""Why a check is an `info`, said of operations on a device; a reason that is not here is left to its details."""
NO_KERNEL = "has no kernel in this TensorFlow"
"""The same as `cpu`, of the CPU itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What is worth saying of a device and is no fault."""

    device: str
    reason: str
    text: str
    checks: tuple[Check, ...]


def passed(numerics: Numerics) -> bool:
    """Tell whether the battery ran, compared something on every device it was asked for, and no check failed."""
    if numerics.outcome != "ran" or failing(numerics) or not _compared(numerics):
        return False
    return not idle(numerics)


def idle(numerics: Numerics) -> list[str]:
    """Return the devices on which nothing was compared: absent, or without a kernel for all that was to run."""
    busy = {check.device for check in numerics.checks if check.status == "passes"}
    return [name for name in dict.fromkeys(check.device for check in numerics.checks) if name and name not in busy]


def failing(numerics: Numerics) -> list[Check]:
    """Return the checks that failed or crashed, in their order."""
    return [check for check in numerics.checks if check.status in BAD]


def headline(numerics: Numerics) -> str:
    """Return what the run says as a whole; never more than was measured."""
    if numerics.outcome != "ran":
        return _ended(numerics)
    bad = failing(numerics)
    if bad:
        where = f" on {_devices(bad)}" if _devices(bad) else ""  # the battery as a whole is on none
        return f"{len(bad)} of {_compared(numerics) + len(bad)} checks failed{where}"
    good = [check for check in numerics.checks if check.status == "passes"]
    if not _compared(numerics):
        return f"nothing was compared on {_devices(numerics.checks) or 'any device'}: this says nothing"
    compared = f" ({_count(numerics.comparisons, 'comparison')})" if numerics.comparisons is not None else ""
    rest = f"; nothing was compared on {', '.join(map(one_line, idle(numerics)))}" if idle(numerics) else ""
    return f"no numerical fault found by {_count(len(good), 'check')}{compared} on {_devices(good)}{rest}"


def remarks(numerics: Numerics) -> tuple[Remark, ...]:
    """Return the infos of each device by their reason, in the order they came."""
    found: dict[tuple[str, str], list[Check]] = {}
    for check in numerics.checks:
        if check.status == "info":
            found.setdefault((check.device, check.reason), []).append(check)
    return tuple(
        Remark(device=device, reason=reason, text=_remark(device, reason, checks), checks=tuple(checks))
        for (device, reason), checks in found.items()
    )


def as_json(numerics: Numerics) -> str:
    """Return ``smoke --format json``; its shape is ``report/schemas/smoke.schema.json``."""
    devices = list(dict.fromkeys(check.device for check in numerics.checks))
    return json.text(
        {
            "schema_version": SCHEMA_VERSION,
            "outcome": numerics.outcome,
            "device": devices[-1] if devices else None,
            "devices": devices,
            "ok": passed(numerics),
            "message": headline(numerics),
            "checks": [encode(check) for check in numerics.checks],
            "remarks": [
                {"device": one.device, "reason": one.reason, "text": one.text, "checks": [c.id for c in one.checks]}
                for one in remarks(numerics)
            ],
            "numerics": {key: value for key, value in encode(numerics).items() if key != "checks"},
        }
    )


def as_text(numerics: Numerics, style: Style, *, command: str = COMMAND) -> str:
    """Return the results, failing checks first, one line each; passing ones with -v.

    ``command`` is what a further command begins with: it names the environment, so that it can be pasted.
    """
    return "\n".join(_lines(numerics, style, command)) + "\n"


def error_text(check: Check) -> str:
    """Return the error of a check in words; empty where nothing was compared."""
    ratio = check.error_in_bounds
    if ratio is None:
        return ""
    return f"error {ratio:.3g} of its bound" if ratio < OFF_SCALE else f"error more than {OFF_SCALE:g} of its bound"


def reproduction(bad: Check, command: str = COMMAND) -> str:
    """Return the command that prints a program of a failing check, ready to be pasted."""
    return f"{command} --repro {quote(one_line(bad.id))} --device {quote(one_line(bad.device) or 'CPU:0')}"


def _lines(numerics: Numerics, style: Style, command: str) -> Iterator[str]:
    if numerics.outcome != "ran":
        yield f"{style.sign('fails')} {headline(numerics)}"
        yield from (f"    {one_line(line)}" for line in numerics.stderr_tail[-8:])
    bad = failing(numerics)
    rest = [check for check in numerics.checks if check.status not in BAD]
    yield from (_line(check, style) for check in bad) if style.verbose else _folded(bad, style)
    for check in rest if style.verbose else [check for check in rest if check.status == "skipped"]:
        yield _line(check, style)
    if not (style.quiet or style.verbose):
        names = ", ".join(f"{one.name}={one.value}" for one in numerics.variables)
        yield from [f"{style.sign('info')} {one_line(f'measured with {names}')}"] if names else ()
        yield from (f"{style.sign('info')} {one_line(remark.text)}" for remark in remarks(numerics) if remark.reason)
    if bad:
        yield f"{reproduction(bad[0], command)} prints a program that shows it alone"
    if numerics.outcome == "out-of-time":
        seconds = f"{2 * numerics.time_limit:g}" if numerics.time_limit else "SECONDS"
        yield f"{command} --timeout {seconds} gives it more time, --only ID less to do"
    if numerics.outcome == "ran":
        yield style.paint(headline(numerics), "1;32" if passed(numerics) else "1;31")


def _folded(bad: Sequence[Check], style: Style) -> Iterator[str]:
    """The first of each operation, and how many more there are."""
    groups: dict[tuple[str, str, str], list[Check]] = {}
    for check in bad:
        groups.setdefault((check.device, check.mode, check.op), []).append(check)
    for (device, mode, op), checks in groups.items():
        yield from (_line(check, style) for check in checks[:EACH])
        if len(checks) > EACH:
            yield f"    and {len(checks) - EACH} more of {one_line(op) or 'these'} ({mode} on {device}); -v shows all"


def _line(check: Check, style: Style) -> str:
    error = f"  {error_text(check)}" if check.error_in_bounds is not None else ""
    why = f"  [{check.reason}]" if check.reason else ""
    detail = f"  {one_line(check.detail)}" if check.detail else ""
    return f"{style.sign(check.status)} {check.device:<6} {check.mode:<7} {one_line(check.id)}{error}{why}{detail}"


def _ended(numerics: Numerics) -> str:
    if numerics.outcome == "out-of-time":
        bad = f"{len(failing(numerics))} of them failed; " if failing(numerics) else ""
        return f"{one_line(time_that_ran_out(numerics))}: {bad}what was left did not run"
    why = numerics.key_line or numerics.error
    told = f"{numerics.outcome}{f' ({one_line(why)})' if why else ''}"
    if not numerics.checks:
        return f"the battery did not run: {told}"
    place = f" in {one_line(numerics.last_check)}" if numerics.last_check else ""
    return f"the battery did not end{place}, after {_count(len(numerics.checks), 'check')}: {told}"


def _remark(device: str, reason: str, checks: Sequence[Check]) -> str:
    ops = list(dict.fromkeys(check.op or check.id for check in checks))
    more = f" and {len(ops) - SHOWN} more" if len(ops) > SHOWN else ""
    words = NO_KERNEL if reason == "cpu" and device.startswith("CPU") else WORDS.get(reason, "is worth a look")
    detail = f": {checks[0].detail}" if reason == "speed" and checks[0].detail else ""
    return f"{device}: {', '.join(ops[:SHOWN])}{more} {words}{detail}"


def _compared(numerics: Numerics) -> int:
    """How many checks passed: an info alone shows nothing to be right."""
    return sum(check.status == "passes" for check in numerics.checks)


def _devices(checks: Sequence[Check]) -> str:
    return ", ".join(dict.fromkeys(one_line(check.device) for check in checks if check.device))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
