"""``tfcompat bundle``: a folder with all that a machine without a network needs."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Annotated, Optional

import typer

from compat import __version__
from compat.cli import export as exports
from compat.cli import knowledge, options, output
from compat.cli.building import check_space
from compat.cli.fix import told
from compat.cli.words import as_set, check_target, check_words, minor_of
from compat.errors import ExitCode, UsageError
from compat.matrix.load import Matrix
from compat.plan.bundled import PLATFORMS, Manifest
from compat.plan.model import Candidate, Refusal
from compat.plan.resolve import decide, default_wish

SPARE_BYTES = 100_000_000
"""The interpreter and tfcompat itself, 60 MB together."""

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")]
For = Annotated[
    Optional[str],  # noqa: UP045 - typer reads these on Python 3.10
    typer.Option("--for", metavar="PLATFORM", help=f"The target: {', '.join(PLATFORMS)} (default: as this machine)."),
]
Replace = Annotated[bool, typer.Option("--yes", "-y", help="Replace a bundle that is there once the new one is whole.")]


def bundle(  # noqa: PLR0913 - one parameter an option
    directory: Folder,
    *,
    platform: For = None,
    python: options.WantedPython = None,
    tensorflow: options.WantedTensorFlow = None,
    cpu: options.CpuOnly = False,
    gpu: options.GpuOnly = False,
    requirements: options.Requirements = None,
    yes: Replace = False,
    format: options.PlainFormatted = options.PlainFormat.COLUMNS,
    quiet: options.Quiet = False,
) -> None:
    """Put a whole environment into a folder: lock, wheels, interpreter; the target needs no network."""
    from compat.builder.bundle import check_folder
    from compat.report.bundled import as_json, as_text

    if cpu and gpu:
        raise UsageError("--cpu and --gpu contradict each other", hint="give one of them")
    wanted = tuple(path.absolute() for path in requirements or ())
    check_words(wanted, None)
    check_target(directory)
    target = directory.absolute()
    check_folder(target, replace=yes)
    machine = exports.machine_of(platform_of(platform), None)
    matrix = knowledge.matrix()
    decision = decide(
        default_wish(machine, cpu=cpu, gpu=gpu, python=minor_of(python), tensorflow=as_set(tensorflow)), machine, matrix
    )
    if isinstance(decision, Refusal):
        output.emit(told(decision, matrix, format))
        raise typer.Exit(ExitCode.FINDINGS)
    made = make(target, decision.best, matrix, files=wanted, replace=yes, quiet=quiet)
    tell = as_json if format is options.PlainFormat.JSON else as_text
    output.emit(tell(made, str(directory)))


def platform_of(name: str | None) -> str:
    """Return the target's platform, this machine's where none is named. Raises UsageError."""
    if name is None:
        from compat.probe import machine

        name = machine.look(gpus=False).platform or "this system"
    if name not in PLATFORMS:
        raise UsageError(f"no bundle is for {name}", hint=f"--for one of {', '.join(PLATFORMS)}")
    return name


def make(
    target: Path, best: Candidate, matrix: Matrix, *, files: tuple[Path, ...], replace: bool, quiet: bool
) -> Manifest:
    """Put the bundle together, telling how far it is. Raises CannotAct, UsageError."""
    from compat.builder import uv
    from compat.builder.bundle import Job
    from compat.builder.bundle import make as made
    from compat.builder.shelf import Shelf, cache_folder
    from compat.report.bundled import readme

    if best.lock is not None and best.lock.download_bytes:
        check_space(target, best.lock.download_bytes + SPARE_BYTES)
    with output.progress(quiet=quiet) as (step, detail):
        step(f"bundling {best.title} for {best.target.platform}")
        job = Job(
            directory=target,
            candidate=best,
            uv=uv.find(on_line=detail),
            matrix=matrix,
            shelf=Shelf(folder=cache_folder(), got=lambda file, count: detail(f"{file}: {count / 1e6:.0f} MB")),
            say=step,
            readme=readme,
            variables=os.environ,
            tool_version=__version__,
            day=date.today().isoformat(),  # noqa: DTZ011 - the maker's own day
            files=files,
            replace=replace,
        )
        return made(job)
