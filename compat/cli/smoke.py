"""``tfcompat smoke``: only the numerical battery."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from compat.cli import options, output
from compat.cli.examine import FULL_SECONDS, SMOKE_SECONDS
from compat.cli.smoking import Wanted, battery, deliver, listed, measured, reproduced, told
from compat.errors import ExitCode


class Format(str, Enum):
    """How the results are told."""

    COLUMNS = "columns"
    JSON = "json"
    HTML = "html"


class Mode(str, Enum):
    """How an operation is called."""

    EAGER = "eager"
    GRAPH = "graph"
    XLA = "xla"


def smoke(  # noqa: PLR0913 - one parameter an option
    *,
    python: options.Python = None,
    venv: options.Venv = None,
    device: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--device", metavar="DEVICE", help="CPU, GPU:0…; repeatable (default: every device)."),
    ] = None,
    level: Annotated[
        Optional[options.Level],  # noqa: UP045
        typer.Option("--level", help="How much runs (default: quick); standard trains, full takes minutes."),
    ] = None,
    only: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--only", metavar="ID", help="Only checks whose ids begin so: conv2d, conv2d/k3_odd."),
    ] = None,
    batch_size: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--batch-size", min=1, metavar="N", help="With --level full: the batch size that is timed."),
    ] = None,
    repro: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--repro", metavar="ID", help="Print a program that makes this check alone, to file upstream."),
    ] = None,
    mode: Annotated[
        Optional[Mode],  # noqa: UP045
        typer.Option(
            "--mode", help="With --repro: how it calls the operation (default: as it fails here, else graph)."
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the checks of a level (default: all); run none.")] = False,
    timeout: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            "--timeout", min=1, help=f"Seconds it may take (default: {SMOKE_SECONDS:g}; full: {FULL_SECONDS:g})."
        ),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="How to tell it.")] = Format.COLUMNS,
    file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", metavar="FILE", help="Write it there, not to stdout."),
    ] = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
) -> None:
    """Run the numerical smoke test in an environment and compare every value with a float64 reference."""
    wanted = Wanted(
        python=python,
        venv=venv,
        devices=tuple(device or ()),
        level=level.value if level else None,
        only=only,
        batch_size=batch_size,
        repro=repro,
        mode=mode.value if mode else None,
        list=list_,
        timeout=timeout,
        format=format.value,
        file=file,
    )
    wanted.check()
    facts, interpreter = battery(wanted)
    if wanted.list or wanted.repro:
        text = listed(interpreter, wanted) if wanted.list else reproduced(facts, interpreter, wanted, quiet=quiet)
        deliver(text, file)
        raise typer.Exit(ExitCode.HEALTHY)
    results = measured(facts, interpreter, wanted, quiet=quiet)
    text, healthy = told(results, wanted, output.style(verbose=verbose, quiet=quiet))
    deliver(text, file)
    raise typer.Exit(ExitCode.HEALTHY if healthy else ExitCode.FINDINGS)
