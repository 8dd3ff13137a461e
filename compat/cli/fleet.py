"""``tfcompat fleet``: reports gathered from many machines as one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from compat import __version__
from compat.cli import options, output, session
from compat.cli.smoking import deliver
from compat.errors import ExitCode, UsageError
from compat.probe.gathered.read import Answer, Captured, read
from compat.report.style import Style
from compat.verdict.fleet.machine import Seen, Unseen, roots
from compat.verdict.fleet.merge import Fleet, merge


class FleetFormat(str, Enum):
    """How a fleet is told."""

    COLUMNS = "columns"
    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"


def fleet(
    reports: Annotated[
        list[Path],
        typer.Argument(
            metavar="REPORTS…",
            help="Files of `tfcompat doctor --format json` or `tfcompat facts`, or folders of such *.json.",
        ),
    ],
    *,
    format: Annotated[FleetFormat, typer.Option("--format", help="How to tell it.")] = FleetFormat.COLUMNS,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings and crashed checks count as errors.")] = False,
    file: options.OutputFile = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
) -> None:
    """Merge reports gathered from many machines: who shares which root cause, and which fix helps most."""
    if Path("-") in reports:
        raise UsageError("- is no report: fleet reads files and folders", hint="tfcompat fleet reports/")
    table = merge(_judged(read(reports)), strict=strict)
    style = output.style(verbose=verbose, quiet=quiet)
    deliver(told(table, format.value, style if file is None else replace(style, colour=False)), file)
    raise typer.Exit(code(table))


def _judged(answers: Iterable[Answer]) -> Iterator[Seen | Unseen]:
    """Judge captures here and now; reports were judged where they come from."""
    for answer in answers:
        if isinstance(answer, Captured):
            document = session.judged(answer.facts)
            yield replace(answer.seen, ok=document.ok, faults=roots(document.verdict.findings))
        else:
            yield answer


def told(table: Fleet, format: str, style: Style) -> str:
    """Return the table in one of the formats."""
    if format == "json":
        from compat.report.fleet.values import as_json

        return as_json(table, __version__)
    if format == "html":
        from compat.report.fleet.page import as_html

        return as_html(table, __version__)
    if format == "markdown":
        from compat.report.fleet.markdown import markdown

        return markdown(table, __version__)
    from compat.report.fleet.columns import columns

    return columns(table, style)


def code(table: Fleet) -> ExitCode:
    """Return the exit code: 3 where nothing could be read; a machine that was not seen is not a healthy one."""
    if not any(isinstance(machine, Seen) for machine in table.machines):
        return ExitCode.CANNOT
    return ExitCode.HEALTHY if table.ok else ExitCode.FINDINGS
