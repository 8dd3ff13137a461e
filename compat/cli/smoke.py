"""``tfcompat smoke``: only the numerical battery."""

from __future__ import annotations

import typer

from compat.cli import options, output
from compat.cli.smoking import Wanted, battery, deliver, listed, measured, reproduced, told
from compat.errors import ExitCode


def smoke(  # noqa: PLR0913 - one parameter an option
    *,
    python: options.Python = None,
    venv: options.Venv = None,
    device: options.Devices = None,
    level: options.SmokeLevel = None,
    only: options.Only = None,
    batch_size: options.BatchSize = None,
    repro: options.Repro = None,
    mode: options.ReproMode = None,
    list_: options.ListThem = False,
    timeout: options.SmokeTimeout = None,
    format: options.SmokeFormatted = options.SmokeFormat.COLUMNS,
    file: options.OutputFile = None,
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
