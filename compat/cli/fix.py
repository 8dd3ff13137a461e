"""``tfcompat fix``: decide, and with ``--create-venv`` or ``--in-place`` act."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from compat.cli import export as exports
from compat.cli import from_bundle as bundles
from compat.cli import knowledge, options, output, session
from compat.cli.building import Order, carry_out
from compat.cli.in_place import Place, find, roll_back
from compat.cli.words import as_set, check_together, check_words, minor_of
from compat.errors import ExitCode
from compat.facts.capture import Facts
from compat.matrix.load import Matrix
from compat.plan.carry import Carried
from compat.plan.model import Decision, Plan, Refusal
from compat.plan.resolve import decide, default_wish

DEFAULT_FOLDER = Path(".venv-tf")
CHOICES = ("--python", "--tensorflow", "--cpu", "--gpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The words of one command."""

    directory: Path | None
    create_venv: bool
    in_place: bool
    rollback: bool
    python: str | None
    tensorflow: str | None
    cpu: bool
    gpu: bool
    requirements: tuple[Path, ...]
    kernel: str | None
    facts: Path | None
    yes: bool
    offline: bool
    bundle: Path | None
    accept_failing: bool
    platform: str | None
    format: options.PlainFormat
    quiet: bool

    @property
    def acting(self) -> dict[str, object]:
        """What is to be done."""
        return {"--create-venv": self.create_venv, "--in-place": self.in_place, "--rollback": self.rollback}

    @property
    def choosing(self) -> dict[str, object]:
        """What says which environment."""
        chosen = {"--python": self.python, "--tensorflow": self.tensorflow, "--cpu": self.cpu, "--gpu": self.gpu}
        return {**chosen, "--facts": self.facts}

    @property
    def building(self) -> dict[str, object]:
        """What says how."""
        how = {"--with": self.requirements, "--kernel": self.kernel, "--offline": self.offline, "--yes": self.yes}
        json = self.format is not options.PlainFormat.COLUMNS
        return {**how, "--accept-failing": self.accept_failing, "--format json": json}


def fix(  # noqa: PLR0913 - one parameter an option
    *,
    directory: options.BuildDirectory = None,
    create_venv: options.CreateVenv = False,
    in_place: options.InPlace = False,
    rollback: options.Rollback = False,
    python: options.WantedPython = None,
    tensorflow: options.WantedTensorFlow = None,
    cpu: options.CpuOnly = False,
    gpu: options.GpuOnly = False,
    requirements: options.Requirements = None,
    kernel: options.KernelName = None,
    facts: options.FactsFile = None,
    yes: options.Yes = False,
    offline: options.Offline = False,
    bundle: options.FromBundle = None,
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
    asked = Asked(
        directory=directory,
        create_venv=create_venv,
        in_place=in_place,
        rollback=rollback,
        python=python,
        tensorflow=tensorflow,
        cpu=cpu,
        gpu=gpu,
        requirements=tuple(requirements or ()),
        kernel=kernel,
        facts=facts,
        yes=yes,
        offline=offline,
        bundle=bundle,
        accept_failing=accept_failing,
        platform=platform,
        format=format,
        quiet=quiet,
    )
    exporting = exports.asked(export, directory=output_folder, lock=lock, platform=platform, force=force)
    check(asked, exporting)
    if rollback:
        roll_back(directory)
    else:
        answer(asked, exporting)


def check(asked: Asked, exporting: exports.Export | None) -> None:
    """Raise UsageError for words that make no sense, alone or together."""
    check_together(asked.directory, asked.acting, {**asked.choosing, **asked.building})
    check_words(asked.requirements, asked.kernel)
    others = {"--with": asked.requirements, "--export": exporting}
    bundles.check(asked.bundle, {**asked.acting, **asked.choosing, **others})
    choosing = {name: asked.choosing[name] for name in CHOICES}
    exports.check(exporting, {**asked.acting, **asked.building}, choosing)


def answer(asked: Asked, exporting: exports.Export | None) -> None:
    """Look, decide; then write a lock out, tell the plan, or build it."""
    matrix = knowledge.matrix()
    if exporting is not None and exporting.lock is not None:
        exports.write(exports.named(exporting, matrix, lambda: look(asked.facts)), exporting, matrix)
        return
    place = find(asked.directory) if asked.in_place else None
    looked = looked_at(asked, place)
    bundle = bundles.opened(asked.bundle, looked, kernel=asked.kernel) if asked.bundle is not None else None
    if bundle is not None:
        decision, matrix = bundles.plan_of(bundle, looked, matrix)
    else:
        decision = chosen(asked, place, looked, matrix)
    if exporting is not None:
        exports.write(exports.lock_of(decision, lambda: told(decision, matrix, asked.format)), exporting, matrix)
        return
    if isinstance(decision, Refusal) or not (asked.create_venv or asked.in_place):
        output.emit(told(decision, matrix, asked.format, bundle=bundle))
        raise typer.Exit(ExitCode.FINDINGS if isinstance(decision, Refusal) else ExitCode.HEALTHY)
    shown = told(decision, matrix, options.PlainFormat.COLUMNS, building=True, bundle=bundle)
    carry_out(ordered(asked, place, bundle), decision, looked, matrix, shown)


def looked_at(asked: Asked, place: Place | None) -> Facts:
    """Return what is known of the machine that is meant, and of the environment to be replaced where one is."""
    if asked.platform is not None:
        return exports.machine_of(asked.platform, asked.facts)
    return look(asked.facts) if place is None else place.facts


def chosen(asked: Asked, place: Place | None, facts: Facts, matrix: Matrix) -> Decision:
    """Return the plan for what was asked; an environment that is replaced keeps its Python where none is named."""
    python = minor_of(asked.python) or (place.python if place else None)
    wish = default_wish(facts, cpu=asked.cpu, gpu=asked.gpu, python=python, tensorflow=as_set(asked.tensorflow))
    return decide(wish, facts, matrix)


def ordered(asked: Asked, place: Place | None, bundle: bundles.Bundle | None) -> Order:
    """Return what is to be built where."""
    return Order(
        target=place.folder if place else (asked.directory or DEFAULT_FOLDER).absolute(),
        requirements=asked.requirements,
        kernel=asked.kernel,
        carried=place.carried if place else Carried(),
        in_place=asked.in_place,
        yes=asked.yes,
        offline=asked.offline,
        bundle=bundle,
        accept_failing=asked.accept_failing,
        quiet=asked.quiet,
        format=asked.format,
    )


def look(facts_file: Path | None) -> Facts:
    """Return the machine, and the environment at hand where there is one (a fix must work without any)."""
    if facts_file is not None:
        return session.look(session.Subject(facts_file=facts_file))
    return session.look_for_fix()


def told(
    decision: Plan | Refusal,
    matrix: Matrix,
    format: options.PlainFormat,
    *,
    building: bool = False,
    bundle: bundles.Bundle | None = None,
) -> str:
    """Return the plan or the refusal in the wished format; with the command that builds it, unless that is running."""
    from compat.report.planned import BUILD, as_json, as_text

    pins = pins_of(decision, matrix)
    if format is options.PlainFormat.JSON:
        return as_json(decision, pins)
    from compat.builder.apply import needed_bytes

    needed = needed_bytes(decision.best) if isinstance(decision, Plan) else None
    style, where = output.style(verbose=0, quiet=False), "in the bundle" if bundle else "to download"
    command = None if building else bundle.command if bundle else BUILD
    return as_text(decision, pins, needed_bytes=needed, style=style, command=command, where=where)


def pins_of(decision: Plan | Refusal, matrix: Matrix) -> tuple[str, ...]:
    """Return the pins of the shipped lock, or the requirements that will be resolved."""
    if isinstance(decision, Refusal):
        return ()
    if decision.best.lock is None:
        return decision.best.requirements
    lock = matrix.lock(decision.best.lock)
    return tuple(f"{package.name}=={package.version}" for package in lock.packages)
