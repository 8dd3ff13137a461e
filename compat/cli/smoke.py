"""``tfcompat smoke``: only the numerical battery."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from compat.cli import options, output, session
from compat.cli.examine import SMOKE_SECONDS
from compat.errors import CannotLook, ExitCode
from compat.facts.known import known


def smoke(
    *,
    python: options.Python = None,
    venv: options.Venv = None,
    device: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--device", metavar="DEVICE", help="CPU, GPU:0…; repeatable (default: every device)."),
    ] = None,
    level: Annotated[options.Level, typer.Option("--level", help="How much runs.")] = options.Level.QUICK,
    timeout: Annotated[float, typer.Option("--timeout", min=1, help="Seconds it may take.")] = SMOKE_SECONDS,
    format: Annotated[
        options.PlainFormat, typer.Option("--format", help="How to tell it.")
    ] = options.PlainFormat.COLUMNS,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
) -> None:
    """Run the numerical smoke test in an environment and compare every value with a float64 reference."""
    from compat.report.measured import as_json, as_text, passed

    looked = session.look(session.Subject(python=python, venv=venv), found=False)
    with output.progress(quiet=quiet) as (_, detail):
        detail("running the numerical smoke test")
        measured = session.measure(looked, level=level.value, timeout=timeout, devices=device or ())
    numerics = known(measured.numerics)
    if numerics is None:
        raise CannotLook("TensorFlow is not installed in this environment", hint="tfcompat fix --create-venv")
    if format is options.PlainFormat.JSON:
        output.emit(as_json(numerics))
    else:
        output.emit(as_text(numerics, output.style(verbose=verbose, quiet=quiet)))
    raise typer.Exit(ExitCode.HEALTHY if passed(numerics) else ExitCode.FINDINGS)
