"""``tfcompat fix``: decide, and with ``--create-venv`` act."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from compat import __version__
from compat.cli import export as exports
from compat.cli import knowledge, options, output, session
from compat.errors import CannotAct, ExitCode, UsageError
from compat.facts.capture import Facts
from compat.matrix.load import Matrix
from compat.plan.model import Plan, Refusal
from compat.plan.resolve import decide, default_wish

if TYPE_CHECKING:
    from compat.builder.outcome import Built, Outcome

DEFAULT_FOLDER = Path(".venv-tf")
PYTHON = re.compile(r"([0-9]+\.[0-9]+)(?:\.[0-9]+)?")
KERNEL = re.compile(r"[A-Za-z0-9._-]+")
"""Jupyter refuses other names (jupyter_client.kernelspec), and would only do so after the build."""


def fix(  # noqa: PLR0913 - one parameter an option
    *,
    directory: options.BuildDirectory = None,
    create_venv: options.CreateVenv = False,
    python: options.WantedPython = None,
    tensorflow: options.WantedTensorFlow = None,
    cpu: options.CpuOnly = False,
    gpu: options.GpuOnly = False,
    requirements: options.Requirements = None,
    kernel: options.KernelName = None,
    facts: options.FactsFile = None,
    yes: options.Yes = False,
    offline: options.Offline = False,
    accept_failing: options.AcceptFailing = False,
    export: options.Export = None,
    output_folder: options.Output = None,
    lock: options.LockName = None,
    platform: options.LockPlatform = None,
    force: options.Force = False,
    format: options.PlainFormatted = options.PlainFormat.COLUMNS,
    quiet: options.Quiet = False,
) -> None:
    """Say which pinned environment fits this machine; with --create-venv build it and hand it over once it passed."""
    if directory is not None and not create_venv:
        raise UsageError(f"{directory} is a place to build", hint=f"tfcompat fix --create-venv {directory}")
    if cpu and gpu:
        raise UsageError("--cpu and --gpu contradict each other", hint="give one of them")
    wanted = tuple(requirements or ())
    check_words(wanted, kernel)
    exporting = exports.asked(export, directory=output_folder, lock=lock, platform=platform, force=force)
    building = {"--create-venv": create_venv, "--with": wanted, "--kernel": kernel, "--offline": offline, "--yes": yes}
    telling = {"--accept-failing": accept_failing, "--format json": format is not options.PlainFormat.COLUMNS}
    choosing = {"--python": python, "--tensorflow": tensorflow, "--cpu": cpu, "--gpu": gpu}
    exports.check(exporting, {**building, **telling}, choosing)
    matrix = knowledge.matrix()
    if exporting is not None and exporting.lock is not None:
        exports.write(exports.named(exporting, matrix, lambda: look(facts)), exporting, matrix)
        return
    looked = exports.machine_of(platform, facts) if platform is not None else look(facts)
    wish = default_wish(looked, cpu=cpu, gpu=gpu, python=minor(python), tensorflow=as_set(tensorflow))
    decision = decide(wish, looked, matrix)
    if exporting is not None:
        exports.write(exports.lock_of(decision, lambda: told(decision, matrix, format)), exporting, matrix)
        return
    if not create_venv or isinstance(decision, Refusal):
        output.emit(told(decision, matrix, format))
        raise typer.Exit(ExitCode.FINDINGS if isinstance(decision, Refusal) else ExitCode.HEALTHY)
    target = directory or DEFAULT_FOLDER
    agreed(decision, target, matrix, yes=yes)
    outcome = build(
        decision,
        target,
        looked,
        matrix,
        extra=wanted,
        kernel=kernel,
        yes=yes,
        offline=offline,
        accept_failing=accept_failing,
        quiet=quiet,
    )
    finish(outcome, decision, format)


def check_words(requirements: Sequence[Path], kernel: str | None) -> None:
    """Raise UsageError for what could only fail later: a requirements file that is none, a kernel's impossible name."""
    for path in requirements:
        if not path.is_file():
            raise UsageError(f"--with {path}: no such file", hint="name a requirements file")
    if kernel is not None and not KERNEL.fullmatch(kernel):
        raise UsageError(
            f"--kernel {kernel} is no name for a Jupyter kernel",
            hint="use letters, digits, dots, dashes and underscores",
        )


def look(facts_file: Path | None) -> Facts:
    """Return the machine, and the environment at hand where there is one (a fix must work without any)."""
    if facts_file is not None:
        return session.look(session.Subject(facts_file=facts_file))
    return session.look_for_fix()


def minor(python: str | None) -> str | None:
    """Return ``3.12`` of what was written after --python. Raises UsageError."""
    if python is None:
        return None
    version = PYTHON.fullmatch(python)
    if version is None:
        raise UsageError(f"--python {python} is not a version", hint="write it as 3.12")
    return version[1]


def as_set(tensorflow: str | None) -> str | None:
    """Return a PEP 440 set of what was written after --tensorflow (``2.18`` means any 2.18). Raises UsageError."""
    from compat.matrix.versions import parse, specifiers

    if tensorflow is None:
        return None
    text = tensorflow
    if parse(tensorflow) is not None:
        text = f"=={tensorflow}.*" if tensorflow.count(".") < 2 else f"=={tensorflow}"  # noqa: PLR2004 - X.Y or X.Y.Z
    if not text.strip() or specifiers(text) is None:
        raise UsageError(
            f"--tensorflow {tensorflow} is not a version or a set of versions", hint="write 2.18.1 or '>=2.16'"
        )
    return text


def told(decision: Plan | Refusal, matrix: Matrix, format: options.PlainFormat, *, building: bool = False) -> str:
    """Return the plan or the refusal in the wished format; with the command that builds it, unless that is running."""
    from compat.report.planned import BUILD, as_json, as_text

    pins = pins_of(decision, matrix)
    if format is options.PlainFormat.JSON:
        return as_json(decision, pins)
    from compat.builder.apply import needed_bytes

    needed = needed_bytes(decision.best) if isinstance(decision, Plan) else None
    style, command = output.style(verbose=0, quiet=False), None if building else BUILD
    return as_text(decision, pins, needed_bytes=needed, style=style, command=command)


def pins_of(decision: Plan | Refusal, matrix: Matrix) -> tuple[str, ...]:
    """Return the pins of the shipped lock, or the requirements that will be resolved."""
    if isinstance(decision, Refusal):
        return ()
    if decision.best.lock is None:
        return decision.best.requirements
    lock = matrix.lock(decision.best.lock)
    return tuple(f"{package.name}=={package.version}" for package in lock.packages)


def agreed(plan: Plan, target: Path, matrix: Matrix, *, yes: bool) -> None:
    """Show the plan and get a yes. Raises UsageError without one, or where there is nobody to ask."""
    from compat.builder.apply import check_folder, needed_bytes

    check_folder(target, replace=yes)
    check_space(target, needed_bytes(plan.best))
    output.talk(told(plan, matrix, options.PlainFormat.COLUMNS, building=True).rstrip())
    if yes:
        return
    if not output.at_terminal():
        raise UsageError("there is no terminal to ask on", hint="add --yes to build without asking")
    if not output.ask(f"build it in {target}?"):
        raise UsageError("nothing was built", hint="run it again and answer y, or add --yes")


def check_space(target: Path, needed: int | None) -> None:
    """Raise CannotAct where the disk has less free than the build needs."""
    place = target.absolute().parent
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if needed is not None and free < needed:
        raise CannotAct(
            f"{free / 1e9:.1f} GB free on the disk of {place}, about {needed / 1e9:.1f} GB are needed",
            hint="free some disk space, or name a folder on another disk",
        )


def build(  # noqa: PLR0913 - the options of one command
    plan: Plan,
    target: Path,
    facts: Facts,
    matrix: Matrix,
    *,
    extra: tuple[Path, ...],
    kernel: str | None,
    yes: bool,
    offline: bool,
    accept_failing: bool,
    quiet: bool,
) -> Outcome:
    """Carry the plan out and register the kernel. Raises CannotAct, UsageError."""
    from compat.builder import uv
    from compat.builder.apply import Job, carry_out
    from compat.cli.handover import python_for, register_kernel, verify

    with output.progress(quiet=quiet) as (step, detail):
        job = Job(
            directory=target.absolute(),
            uv=uv.find(offline=offline, on_line=detail),
            matrix=matrix,
            python_for=lambda candidate: python_for(candidate, facts),
            verify=lambda interpreter, candidate: verify(interpreter, candidate, detail),
            say=step,
            extra_requirements=tuple(path.absolute() for path in extra),
            extra_names=("pip", "ipykernel") if kernel else ("pip",),
            replace=yes,
            accept_failing=accept_failing,
            tool_version=__version__,
        )
        outcome = carry_out(plan, job)
        if kernel:
            register_kernel(outcome, kernel, step)
        return outcome


def finish(outcome: Outcome, plan: Plan, format: options.PlainFormat) -> None:
    """Tell how it went; exit 0 only for an environment that passed."""
    from compat.builder.outcome import NothingBuilt
    from compat.report.planned import built_json, built_text, failed_text

    attempts = tuple((attempt.candidate.title, attempt.step, attempt.message) for attempt in outcome.attempts)
    if isinstance(outcome, NothingBuilt):
        output.emit(failed_text(attempts))
        raise CannotAct("no candidate passed its verification; nothing was left behind")
    if format is options.PlainFormat.JSON:
        output.emit(built_json(plan, outcome.candidate, outcome.path, outcome.lock_file, attempts, timings(outcome)))
    else:
        output.emit(
            built_text(outcome.candidate, outcome.path, outcome.lock_file, outcome.verification.message, attempts)
        )


def timings(outcome: Built) -> dict[str, float]:
    """Return where the time of the successful attempt went, in seconds."""
    last = outcome.attempts[-1]
    own = last.seconds - last.uv_seconds - last.verify_seconds
    return {"total": last.seconds, "uv": last.uv_seconds, "verification": last.verify_seconds, "own": own}
