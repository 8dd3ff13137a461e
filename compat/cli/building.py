"""From a plan to an environment: ask, build, say how it went."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from compat import __version__
from compat.cli import options, output
from compat.cli.from_bundle import Bundle
from compat.errors import CannotAct, Interrupted, UsageError, UvMissing
from compat.facts.capture import Facts
from compat.matrix.load import Matrix
from compat.plan.carry import Carried
from compat.plan.model import Plan

if TYPE_CHECKING:
    from compat.builder.apply import Terms
    from compat.builder.outcome import Built, Outcome
    from compat.builder.resolving import Wanted

CACHE = "not everything is in uv's cache: run once without --offline"
UNCACHED = ("create", "resolve", "install")
"""The steps at which uv needs what may not be there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be built where, as the command's words say it."""

    target: Path
    requirements: tuple[Path, ...] = ()
    kernel: str | None = None
    carried: Carried = field(default_factory=Carried)
    in_place: bool = False
    yes: bool = False
    offline: bool = False
    bundle: Bundle | None = None
    """Where everything comes from, in place of an index and the network."""
    accept_failing: bool = False
    quiet: bool = False
    format: options.PlainFormat = options.PlainFormat.COLUMNS


def carry_out(order: Order, plan: Plan, facts: Facts, matrix: Matrix, told: str) -> None:
    """Ask, build, tell; what an interrupted run left is finished or undone first.

    Raises UsageError without a yes, CannotAct where nothing was built.
    """
    from compat.builder.apply import resumed
    from compat.builder.replacing import check_folder
    from compat.cli.handover import register_kernel

    outcome: Outcome | None = resumed(plan, order.target, wanted(order), terms(order), output.talk)
    if outcome is None:
        check_folder(order.target, replace=order.yes, in_place=order.in_place)
        if order.bundle is not None:
            order.bundle.verify()
        agreed(order, plan, told)
        outcome = build(order, plan, facts, matrix)
    if order.kernel:
        register_kernel(outcome, order.kernel, output.talk)
    finish(outcome, plan, order)


def wanted(order: Order) -> Wanted:
    """Return what the environment is to hold besides the pair."""
    from compat.builder.resolving import Wanted

    return Wanted(
        files=tuple(path.absolute() for path in order.requirements),
        names=("pip", "ipykernel") if order.kernel else ("pip",),
        carried=order.carried.requirements,
        present=order.carried.present,
    )


def terms(order: Order) -> Terms:
    """Return what may be replaced and handed over."""
    from compat.builder.apply import Terms

    return Terms(replace=order.yes, in_place=order.in_place, accept_failing=order.accept_failing)


def agreed(order: Order, plan: Plan, told: str) -> None:
    """Show the plan and get a yes. Raises UsageError without one, or where there is nobody to ask."""
    from compat.builder.apply import needed_bytes

    check_space(order.target, needed_bytes(plan.best))
    output.talk(told.rstrip())
    for name, source in order.carried.left:
        output.talk(f"{name} does not come along, since no index has it as it is; afterwards: {again(source)}")
    if order.yes:
        return
    if not output.at_terminal():
        raise UsageError("there is no terminal to ask on", hint="add --yes to build without asking")
    place = _shown(order.target)
    if not output.ask(f"replace {place} once it has passed?" if order.in_place else f"build it in {place}?"):
        raise UsageError("nothing was built", hint="run it again and answer y, or add --yes")


def again(source: str) -> str:
    """Return the command that installs what came from an address, or has a name only."""
    place = unquote(source.removeprefix("file://")) if source.startswith("file://") else source
    return f"pip install {shlex.quote(place)}"


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


def build(order: Order, plan: Plan, facts: Facts, matrix: Matrix) -> Outcome:
    """Carry the plan out. Raises CannotAct, UsageError."""
    from compat.builder import uv
    from compat.builder.apply import Job, carry_out
    from compat.cli import handover

    with output.progress(quiet=order.quiet) as (step, detail), saying_the_state(order.target):
        tool = uv.find(offline=order.offline or order.bundle is not None, on_line=detail)
        if order.bundle is not None:
            order.bundle.supply(tool)
        job = Job(
            directory=order.target,
            uv=tool,
            matrix=matrix,
            python_for=lambda candidate: handover.python_for(candidate, facts),
            verify=lambda interpreter, candidate: handover.verify(interpreter, candidate, detail),
            say=step,
            wanted=wanted(order),
            terms=terms(order),
            tool_version=__version__,
        )
        return carry_out(plan, job)


@contextmanager
def saying_the_state(target: Path) -> Iterator[None]:
    """Let what stops us before a build has begun say, too, that nothing has changed."""
    from compat.builder.transaction import as_it_was

    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {as_it_was(target)}") from None
    except UvMissing as error:
        raise UvMissing(f"{error.message}; {as_it_was(target)}", hint=error.hint) from error


def finish(outcome: Outcome, plan: Plan, order: Order) -> None:
    """Tell how it went; exit 0 only for an environment that passed."""
    from compat.builder.outcome import NothingBuilt
    from compat.builder.transaction import as_it_was
    from compat.report.planned import built_json, built_text, failed_text

    attempts = tuple((attempt.candidate.title, attempt.step, attempt.message) for attempt in outcome.attempts)
    if isinstance(outcome, NothingBuilt):
        output.emit(failed_text(attempts))
        state = as_it_was(order.target)
        hint = _what_was_lacking(order, tuple(step for _, step, _ in attempts))
        raise CannotAct(f"no candidate passed its verification; nothing was left behind: {state}", hint=hint)
    if order.format is options.PlainFormat.JSON:
        text = built_json(plan, outcome.candidate, outcome.path, outcome.lock_file, attempts, timings(outcome))
        output.emit(text, done=f"{outcome.path} is {outcome.candidate.title} now")
        return
    back = f"tfcompat fix --rollback {_quoted(order.target)}" if order.in_place else None
    message = outcome.verification.message
    text = built_text(outcome.candidate, outcome.path, outcome.lock_file, message, attempts, back)
    output.emit(text, done=f"{outcome.path} is {outcome.candidate.title} now")


def _what_was_lacking(order: Order, steps: tuple[str, ...]) -> str:
    """Without a network uv has what is in the bundle, or in its cache; say what to do where that was too little."""
    if order.bundle is not None:
        manifest = order.bundle.manifest
        bare = manifest.interpreter is None and "create" in steps
        return f"install Python {manifest.python} on this machine: the bundle has none" if bare else ""
    return CACHE if order.offline and any(step in UNCACHED for step in steps) else ""


def timings(outcome: Built) -> dict[str, float]:
    """Return where the time of the successful attempt went, in seconds."""
    last = outcome.attempts[-1]
    own = last.seconds - last.uv_seconds - last.verify_seconds
    return {"total": last.seconds, "uv": last.uv_seconds, "verification": last.verify_seconds, "own": own}


def _shown(path: Path) -> str:
    """Return a path as a person would have written it: relative where it lies below the current folder."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
