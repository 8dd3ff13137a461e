"""Exceptions: problems that stay, each with a reason and a day; one that excuses nothing is a problem itself."""

from __future__ import annotations

from collections.abc import Iterator

from compat.matrix.lint import rows
from compat.matrix.lint.problem import CHECKS, Complaint, Problem
from compat.matrix.lint.shapes import ExceptionRow, decoded, unknown_key
from compat.matrix.lint.tree import EXCEPTIONS, Row, Tree


def excused(tree: Tree, problems: list[Problem], today: str | None) -> list[Problem]:
    """Return the problems that no row of ``exceptions.toml`` excuses, and those of the exceptions themselves."""
    found: list[Problem] = []
    exceptions = list(_exceptions(tree, found))
    for row in exceptions:
        found += rows.told(row.at, _complaints(row.record, today))
    wanted = {(row.record.address, row.record.problem) for row in exceptions if _silences(row.record)}
    there = {(problem.address, problem.check) for problem in problems}
    found += (
        Problem(address=row.at, check="stale-exception", text=f"no problem {row.record.problem} there any more")
        for row in exceptions
        if _silences(row.record) and (row.record.address, row.record.problem) not in there
    )
    return [problem for problem in problems if (problem.address, problem.check) not in wanted] + found


def _silences(row: ExceptionRow) -> bool:
    return row.problem in CHECKS and CHECKS[row.problem].excusable


def _complaints(row: ExceptionRow, today: str | None) -> Iterator[Complaint]:
    yield from rows.filled(row, ("address", "reason"))
    yield from rows.day(row.day, "day", today)
    if row.problem not in CHECKS:
        yield "problem", "unknown-check", f"no check is called {row.problem!r}"
    elif not _silences(row):
        yield "problem", "not-excusable", f"{row.problem} has no exceptions"


def _exceptions(tree: Tree, found: list[Problem]) -> Iterator[Row[ExceptionRow]]:
    raw = tree.raw.get(EXCEPTIONS) or {}
    found += (unknown_key(f"{EXCEPTIONS}: {key}") for key in raw if key != "exceptions")
    listed = raw.get("exceptions", [])
    if not isinstance(listed, list):
        found.append(Problem(address=f"{EXCEPTIONS}: exceptions", check="wrong-type", text="expected a list of tables"))
        return
    for index, value in enumerate(listed):
        at = f"{EXCEPTIONS}: exceptions[{index}]"
        record = decoded(ExceptionRow, value, at, found)
        if record is not None:
            yield Row(at=at, record=record)
