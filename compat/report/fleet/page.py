"""A fleet as one HTML page that needs nothing else: no network, no scripts, readable in print and by ear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compat.report.drawing import said
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
from compat.report.picture import POLICY
from compat.report.stylesheet import CSS
from compat.verdict.fleet.machine import Seen, health
from compat.verdict.fleet.merge import Cause, Fleet, Machine

_NAMES = 12


def as_html(fleet: Fleet, tool_version: str) -> str:
    """Return ``fleet --format html``."""
    title = headline(fleet)
    body = "\n".join(_body(fleet, title, tool_version))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{said(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _body(fleet: Fleet, title: str, tool_version: str) -> Iterator[str]:
    yield f'<h1 class="{"good" if fleet.ok else "bad"}">{said(title)}</h1>'
    rows = [(TITLES[what], shown_counts(counts, 0)) for what, counts in fleet.counts if counts]
    rows += [("numbers", measured(fleet)), ("merged by", f"tfcompat {tool_version}")]
    yield "<dl>" + "\n".join(f"<dt>{said(name)}</dt><dd>{said(value)}</dd>" for name, value in rows) + "</dl>"
    yield from _causes(fleet.causes)
    yield from _fixes(fleet)
    yield from _machines(fleet)


def _causes(causes: Sequence[Cause]) -> Iterator[str]:
    if not causes:
        return
    yield "<h2>Root causes, and who shares them</h2>"
    yield f"<table><thead>{_cells('th', ('machines', 'cause', 'severity', 'what', 'do', 'on'))}</thead><tbody>"
    for cause in causes:
        name = " ".join(filter(None, (cause.id, cause.issue)))
        told = _cells("td", (name, cause.severity.value, cause.message))
        do = said(cause.text) + _commands(cause.commands)
        row = f'<td class="number">{len(cause.machines)}</td>{told}<td>{do}</td><td>{_some(cause.machines)}</td>'
        yield f"<tr>{row}</tr>"
    yield "</tbody></table>"


def _some(some: Sequence[str]) -> str:
    """A few names, all of them behind a fold."""
    if len(some) <= _NAMES:
        return said(names(some, 0))
    return f"<details><summary>{said(names(some, _NAMES))}</summary>{_long(some)}</details>"


def _long(some: Sequence[str]) -> str:
    return ", ".join(said(name) for name in some)


def _commands(commands: Iterable[str]) -> str:
    shown = "\n".join(said(command) for command in commands)
    return f"<pre><code>{shown}</code></pre>" if shown else ""


def _fixes(fleet: Fleet) -> Iterator[str]:
    if not fleet.steps and not fleet.left:
        return
    yield "<h2>What helps most machines first, taken together</h2>\n<ol>"
    for step, effect in steps(fleet):
        yield f"<li>{_commands(step.commands) or said(step.text)}{said(effect)}: {_some(step.machines)}</li>"
    yield "</ol>"
    if fleet.left:
        yield f"<p>No remedy on record for {_some(fleet.left)}</p>"
    yield f'<p class="soft">{said(COMMANDS_ARE_THEIRS)}.</p>'


def _machines(fleet: Fleet) -> Iterator[str]:
    heads = ("machine", "came out", "root causes", "chip", "system", "Python", "TensorFlow", "plugin", "numbers")
    yield f"<h2>Every machine</h2>\n<table><thead>{_cells('th', heads)}</thead><tbody>"
    for machine in fleet.machines:
        yield f"<tr>{_row(machine, strict=fleet.strict)}</tr>"
    yield "</tbody></table>"


def _row(machine: Machine, *, strict: bool) -> str:
    first = (machine.name, HEALTH[health(machine, strict=strict)])
    if not isinstance(machine, Seen):
        return f'{_cells("td", first)}<td colspan="7">{said(machine.why)}</td>'
    ids = ", ".join(dict.fromkeys(fault.id for fault in machine.faults))
    traits = machine.traits
    kinds = (traits.chip, traits.system, traits.python, traits.tensorflow, traits.plugin)
    return _cells("td", (*first, ids, *kinds, "measured" if traits.measured else "not measured"))


def _cells(kind: str, texts: Iterable[str]) -> str:
    return "".join(f"<{kind}>{said(text)}</{kind}>" for text in texts)
