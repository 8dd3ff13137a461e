"""``tfcompat doctor``: its options, as typer reads them."""

from __future__ import annotations

import typer

from compat.cli import options, session
from compat.cli.examine import Examination, examine


def doctor(  # noqa: PLR0913 - one parameter an option
    *,
    python: options.Python = None,
    venv: options.Venv = None,
    facts: options.FactsFile = None,
    target: options.Target = None,
    platform: options.TargetPlatform = None,
    python_version: options.TargetPython = None,
    no_smoke: options.NoSmoke = False,
    level: options.DoctorLevel = options.Level.QUICK,
    timeout: options.DoctorTimeout = None,
    format: options.ReportFormat = options.Format.COLUMNS,
    strict: options.Strict = False,
    list_checks: options.ListChecks = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
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
