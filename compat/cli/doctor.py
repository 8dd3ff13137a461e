"""``tfcompat doctor``: look, judge, measure, tell."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from compat.cli import options, output, session
from compat.errors import ExitCode
from compat.facts.capture import Facts
from compat.facts.known import Unknown
from compat.report.document import Document

SMOKE_SECONDS = 300.0
"""A cold import of TensorFlow has taken more than a minute on a busy laptop; longer than this is a hang."""


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
        float, typer.Option("--timeout", min=1, help="Seconds the smoke test may take.")
    ] = SMOKE_SECONDS,
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
    if list_checks:
        output.emit(checks())
        return
    subject = session.Subject(
        python=python, venv=venv, facts_file=facts, target=target, platform=platform, python_version=python_version
    )
    looked = session.look(subject)
    looked = _measured(looked, subject, no_smoke=no_smoke, level=level.value, timeout=timeout, quiet=quiet)
    document = session.judged(looked, select=select or (), ignore=ignore or (), strict=strict)
    output.emit(rendered(document, format, verbose=verbose, quiet=quiet))
    raise typer.Exit(ExitCode.HEALTHY if document.ok else ExitCode.FINDINGS)


def _measured(
    facts: Facts, subject: session.Subject, *, no_smoke: bool, level: str, timeout: float, quiet: bool
) -> Facts:
    """Run the smoke test where there is something to run it in."""
    static = subject.target is not None or (subject.facts_file is not None and not (subject.python or subject.venv))
    if static or not session.has_tensorflow(facts):
        return facts
    if no_smoke:
        from dataclasses import replace

        return replace(facts, numerics=Unknown("switched off by --no-smoke"))
    with output.progress(quiet=quiet) as (_, detail):
        detail("running the numerical smoke test")
        return session.measure(facts, level=level, timeout=timeout)


def rendered(document: Document, format: options.Format, *, verbose: int, quiet: bool) -> str:
    """Return the judgement in the wished format."""
    if format is options.Format.JSON:
        from compat.report.json import doctor as as_json

        return as_json(session.masked(document))
    if format is options.Format.MARKDOWN:
        from compat.probe.masking import mask_text
        from compat.report.markdown import markdown

        return mask_text(markdown(session.masked(document)))
    from compat.report.columns import columns

    return columns(document, output.style(verbose=verbose, quiet=quiet))


def checks() -> str:
    """Return the list of checks."""
    from compat.verdict.rules import RULES

    return "".join(f"{rule.id}  {rule.title}\n" for rule in RULES)
