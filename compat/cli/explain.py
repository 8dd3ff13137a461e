"""``tfcompat explain``: its words, as typer reads them."""

from __future__ import annotations

from typing import Annotated

import typer

from compat.cli import options
from compat.cli.explaining import Question, answer, diagnose_text

__all__ = ["diagnose_text", "explain"]


def explain(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="ID|FILE|TEXT|-",
            help="A rule id (BIN401), an issue id (ISS001), a log file, a pasted error, or - for the standard input.",
        ),
    ],
    *,
    format: Annotated[options.Format, typer.Option("--format", help="How to tell it.")] = options.Format.COLUMNS,
) -> None:
    """Explain a rule, a known issue, or an error: cause, evidence, remedy."""
    raise typer.Exit(answer(Question(words=tuple(what), format=format.value)))
