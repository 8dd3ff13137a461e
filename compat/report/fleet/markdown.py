"""A fleet for an issue tracker or a wiki."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compat.errors import one_line
from compat.report.fleet.words import COMMANDS_ARE_THEIRS, TITLES, headline, measured, names, shown_counts, steps
from compat.report.markdown import escape
from compat.verdict.fleet.machine import Health, Unseen
from compat.verdict.fleet.merge import Fleet

_NAMES, _ROWS = 12, 50
"""Of a list of names, and of a table; trackers refuse long texts (GitHub's limit is 65 536 characters)."""


def markdown(fleet: Fleet, tool_version: str) -> str:
    """Return the whole as GitHub-flavoured Markdown."""
    parts = (_head(fleet), _causes(fleet), _fixes(fleet), _unseen(fleet))
    return "\n".join([line for part in parts for line in part] + [f"<sub>tfcompat {tool_version}</sub>"]) + "\n"


def _head(fleet: Fleet) -> Iterator[str]:
    yield from ("### tfcompat fleet", "", f"**{escape(headline(fleet))}**; {escape(measured(fleet))}.", "")
    rows = [(TITLES[what], shown_counts(counts, _NAMES)) for what, counts in fleet.counts if counts]
    yield from _table(("what", "machines"), rows)


def _causes(fleet: Fleet) -> Iterator[str]:
    rows = [
        (
            str(len(cause.machines)),
            " ".join(filter(None, (cause.id, cause.issue))),
            cause.severity.value,
            cause.message,
            "; ".join(cause.commands) or cause.text,
            names(cause.machines, _NAMES),
        )
        for cause in fleet.causes
    ]
    yield from _table(("machines", "root cause", "severity", "what", "do", "on"), rows)


def _fixes(fleet: Fleet) -> Iterator[str]:
    told = list(steps(fleet))
    if not told:
        return
    for number, (step, effect) in enumerate(told[:_ROWS], 1):
        shown = [f"`{one_line(command).replace('`', '')}`" for command in step.commands]
        yield f"{number}. {'; '.join(shown) or escape(step.text)}: {escape(effect)}"
    if len(told) > _ROWS:
        yield f"\nand {len(told) - _ROWS} more"
    yield from ("", f"{escape(COMMANDS_ARE_THEIRS)}.", "")


def _unseen(fleet: Fleet) -> Iterator[str]:
    unseen = [machine for machine in fleet.of(Health.UNSEEN) if isinstance(machine, Unseen)]
    yield from _table(("not seen or not readable", "why"), [(machine.name, machine.why) for machine in unseen])


def _table(head: Iterable[str], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    heads = list(head)
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    yield from (f"| {' | '.join(escape(cell) for cell in row)} |" for row in rows[:_ROWS])
    yield ""
    if len(rows) > _ROWS:
        yield from (f"and {len(rows) - _ROWS} more", "")
