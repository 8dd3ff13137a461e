"""``tfcompat doctor``: its options, as typer reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from compat.cli import options, session
from compat.cli.examine import FULL_SECONDS, SMOKE_SECONDS, Examination, examine


def doctor(  # noqa: PLR0913 - one parameter an option
    *,
    python: options.Python = None,
    venv: options.Venv = None,
    facts: options.FactsFile = None,
    target: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--target", metavar="DIR", help="A folder installed for another platform (uv pip install --target)."
        ),
    ] = None,
    platform: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--platform", metavar="PLATFORM", help="What --target was installed for: macos-arm64, macos-x86_64."
        ),
    ] = None,
    python_version: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--python-version", metavar="X.Y", help="The Python that --target was installed for."),
    ] = None,
    no_smoke: Annotated[bool, typer.Option("--no-smoke", help="Do not run the numerical smoke test.")] = False,
    level: Annotated[
        options.Level, typer.Option("--level", help="How much the smoke test runs.")
    ] = options.Level.QUICK,
    timeout: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            "--timeout",
            min=1,
            help=f"Seconds the smoke test may take (default: {SMOKE_SECONDS:g}; full: {FULL_SECONDS:g}).",
        ),
    ] = None,
    format: Annotated[options.Format, typer.Option("--format", help="How to tell it.")] = options.Format.COLUMNS,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings and crashed checks fail too.")] = False,
    list_checks: Annotated[bool, typer.Option("--list-checks", help="List the checks and stop.")] = False,
    select: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--select", metavar="ID", help="Only checks whose id starts so (BIN, TF3…); repeatable."),
    ] = None,
    ignore: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--ignore", metavar="ID", help="Leave out checks whose id starts so; repeatable."),
    ] = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
) -> None:
    """Look at this machine and an environment, judge, run the smoke test, and say what to do."""
    subject = session.Subject(
        python=python, venv=venv, facts_file=facts, target=target, platform=platform, python_version=python_version
    )
    examination = Examination(
        subject=subject,
        smoke=not no_smoke,
        level=level.value,
        timeout=timeout,
        format=format.value,
        strict=strict,
        list_checks=list_checks,
        select=tuple(select or ()),
        ignore=tuple(ignore or ()),
        verbose=verbose,
        quiet=quiet,
    )
    raise typer.Exit(examine(examination))
