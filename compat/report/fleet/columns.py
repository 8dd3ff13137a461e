"""A fleet for a terminal: who shares what, what helps most, who was not seen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from compat.errors import one_line
from compat.report.fleet.words import (
    COMMANDS_ARE_THEIRS,
    HEALTH,
    TITLES,
    headline,
    measured,
    names,
    shown_counts,
    steps,
)
from compat.report.style import Style
from compat.verdict.finding import Severity
from compat.verdict.fleet.machine import Health, Seen, Unseen, health
from compat.verdict.fleet.merge import Cause, Fleet

_SIGNS = {Severity.ERROR: "fails", Severity.WARNING: "warns", Severity.INFO: "info"}
_NAMES, _COUNTS, _STEPS, _UNSEEN = 8, 6, 10, 20
"""How many are shown unless all are asked for."""
_LONG = 10_000_000
"""Characters of one wrapped text: all names of ten thousand machines."""


def columns(fleet: Fleet, style: Style) -> str:
    """Return the whole table as text."""
    lines = [style.paint(headline(fleet), "1")]
    if not style.quiet:
        lines += [measured(fleet), *_kinds(fleet, style)]
    lines += _causes(fleet, style)
    if not style.quiet:
        lines += _fixes(fleet, style)
    lines += _unseen(fleet, style)
    if style.verbose:
        lines += _machines(fleet, style)
    text = "\n".join(lines) + "\n"
    return text if style.unicode else text.encode("ascii", "replace").decode("ascii")


def _limit(number: int, style: Style) -> int:
    return 0 if style.verbose else number


def _kinds(fleet: Fleet, style: Style) -> Iterator[str]:
    for what, counts in fleet.counts:
        if counts:
            yield from _wrapped(shown_counts(counts, _limit(_COUNTS, style)), f"{TITLES[what]:<11}", style)


def _wrapped(text: str, first: str, style: Style, *, pad: int | None = None) -> list[str]:
    """Wrap behind a label, further lines under its beginning; ``pad`` is the visible width of a label with colour."""
    taken = len(first) if pad is None else pad
    folded = one_line(text, limit=_LONG)
    pieces = textwrap.wrap(folded, max(30, style.width - taken), break_long_words=False, break_on_hyphens=False) or [""]
    return [first + pieces[0], *(" " * taken + piece for piece in pieces[1:])]


def _causes(fleet: Fleet, style: Style) -> Iterator[str]:
    shown = [cause for cause in fleet.causes if not (style.quiet and cause.severity is not Severity.ERROR)]
    if not shown:
        return
    yield from ("", style.paint("root causes, and who shares them", "1"))
    for cause in shown:
        yield from _cause(cause, style)


def _cause(cause: Cause, style: Style) -> Iterator[str]:
    name = " ".join(filter(None, (cause.id, cause.issue)))
    label = f"{len(cause.machines):>5} {style.sign(_SIGNS[cause.severity])} {name}  "
    yield from _wrapped(_message(cause), label, style, pad=10 + len(name))
    yield from _wrapped(names(cause.machines, _limit(_NAMES, style)), "        on: ", style)
    if cause.text:
        yield from _wrapped(cause.text, "        do: ", style)
    yield from (f"            {style.paint('$ ' + one_line(command), '1')}" for command in cause.commands)


def _message(cause: Cause) -> str:
    """The commonest message; that there are others is said, for versions differ from machine to machine."""
    others = cause.wordings - 1
    return cause.message + (f" [and {others} like it with other details]" if others else "")


def _fixes(fleet: Fleet, style: Style) -> Iterator[str]:
    if not fleet.steps and not fleet.left:
        return
    yield from ("", style.paint("what helps most machines first, taken together", "1"))
    told = list(steps(fleet))
    shown = told if style.verbose else told[:_STEPS]
    for number, (step, effect) in enumerate(shown, 1):
        heads = [f"$ {command}" for command in step.commands] or [f"by hand: {step.text}"]
        for at, head in enumerate(heads):
            label = f"{number:>4}. " if at == 0 else "      "
            yield from _wrapped(head, label, style) if not step.commands else [label + one_line(head)]
        yield from _wrapped(effect, "      ", style)
    if len(told) > len(shown):
        yield f"      and {len(told) - len(shown)} more (add -v to see them)"
    if fleet.left:
        yield from _wrapped(names(fleet.left, _limit(_NAMES, style)), "   no remedy on record for: ", style)
    if any(step.commands for step in fleet.steps):
        yield f"({COMMANDS_ARE_THEIRS})"


def _unseen(fleet: Fleet, style: Style) -> Iterator[str]:
    unseen = [machine for machine in fleet.of(Health.UNSEEN) if isinstance(machine, Unseen)]
    if not unseen:
        return
    yield from ("", style.paint("not seen or not readable", "1"))
    shown = unseen if style.verbose else unseen[:_UNSEEN]
    for machine in shown:
        yield from _wrapped(f"{machine.name}: {machine.why}", f"    {style.sign('unknown')} ", style, pad=6)
    if len(unseen) > len(shown):
        yield f"      and {len(unseen) - len(shown)} more (add -v to see them)"


def _machines(fleet: Fleet, style: Style) -> Iterator[str]:
    yield from ("", style.paint("every machine", "1"))
    for machine in fleet.machines:
        word = HEALTH[health(machine, strict=fleet.strict)]
        if isinstance(machine, Seen):
            ids = ", ".join(dict.fromkeys(fault.id for fault in machine.faults))
            traits = machine.traits
            kinds = (traits.chip, traits.system, f"Python {traits.python}", traits.tensorflow, traits.plugin)
            yield from _wrapped(
                "; ".join((word, *([ids] if ids else []), ", ".join(kinds))), f"{machine.name}: ", style
            )
        else:
            yield from _wrapped(word, f"{machine.name}: ", style)
