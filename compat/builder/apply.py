"""Carry a plan out: build beside, verify, hand over; undo and take the next candidate when one fails."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from compat.builder import journal
from compat.builder.outcome import Attempt, Built, NothingBuilt, Outcome, Verification
from compat.builder.uv import Uv
from compat.errors import CannotAct, UsageError
from compat.matrix.load import Matrix
from compat.matrix.model import Lock
from compat.plan import export
from compat.plan.model import Candidate, Plan

Say = Callable[[str], None]
Verify = Callable[[str, Candidate], Verification]
"""Examines a built environment by its interpreter; given by the session, because building does not measure."""

INSTALLED_RATIO = 4.5
"""Bytes on disk for a byte downloaded, bytecode included: 3.7 for tensorflow-cpu 2.10.1, 4.4 for 2.18.1 and 2.21.0,
measured on Linux; a little more is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to build where, and how to look at the result."""

    directory: Path
    uv: Uv
    matrix: Matrix
    python_for: Callable[[Candidate], str]
    """The interpreter to build with: an absolute path, or a version for uv to provide."""
    verify: Verify
    say: Say
    extra_requirements: tuple[Path, ...] = ()
    """The user's own requirement files, resolved together with the pair."""
    extra_names: tuple[str, ...] = ("pip",)
    """Further distributions: pip, which people expect in an environment, and ``ipykernel`` for a kernel."""
    replace: bool = False
    accept_failing: bool = False
    tool_version: str = ""


def carry_out(plan: Plan, job: Job) -> Outcome:
    """Build the best candidate that passes its own verification.

    Raises UsageError where the folder is not ours to replace, CannotAct where no candidate could have been built
    (no disk, no network). Whatever happens, the folder is either as it was or finished.
    """
    check_folder(job.directory, replace=job.replace)
    attempts: list[Attempt] = []
    for candidate in _in_order(plan, attempts):
        job.say(f"building {candidate.title}")
        result = _attempt(candidate, job)
        if isinstance(result, Built):
            return replace(result, attempts=(*attempts, *result.attempts))
        attempts.append(result)
        job.say(f"{candidate.title}: {result.message}")
    return NothingBuilt(attempts=tuple(attempts))


def check_folder(directory: Path, *, replace: bool) -> None:
    """Refuse to touch what is not ours. Raises UsageError."""
    if not directory.exists() and not directory.is_symlink():
        return
    if not journal.is_ours(directory):
        raise UsageError(
            f"{directory} exists and was not made by tfcompat",
            hint="name another folder: tfcompat fix --create-venv DIR",
        )
    if not replace:
        raise UsageError(f"{directory} exists already", hint="add --yes to replace it once the new one has passed")


def _in_order(plan: Plan, attempts: list[Attempt]) -> Iterator[Candidate]:
    """The best and its fallbacks, leaving out plugins that were seen to compute wrong numbers."""
    for candidate in (plan.best, *plan.fallbacks):
        wrong = {a.candidate.accelerator.version for a in attempts if a.step == "numerics" and a.candidate.accelerator}
        if candidate.accelerator is None or candidate.accelerator.version not in wrong:
            yield candidate


def _attempt(candidate: Candidate, job: Job) -> Built | Attempt:
    """Build one candidate in a sibling folder; the folder is gone again unless it was handed over."""
    began, inside_uv = time.monotonic(), job.uv.seconds
    building = journal.start(job.directory)
    try:
        step, outcome = _build(candidate, building, job)
        if step != "done" or not isinstance(outcome, Verification):
            return _failed(candidate, step, str(outcome), began, job.uv.seconds - inside_uv)
        lock_file = _hand_over(building, candidate, job)
        return Built(
            path=str(job.directory),
            interpreter=str(python_in(job.directory)),
            lock_file=str(lock_file),
            candidate=candidate,
            verification=outcome,
            attempts=(
                Attempt(
                    candidate=candidate,
                    step="done",
                    message=outcome.message,
                    seconds=time.monotonic() - began,
                    uv_seconds=job.uv.seconds - inside_uv,
                    verify_seconds=outcome.seconds,
                ),
            ),
        )
    finally:
        journal.discard(building)


def _failed(candidate: Candidate, step: str, message: str, began: float, uv_seconds: float) -> Attempt:
    return Attempt(
        candidate=candidate, step=step, message=message, seconds=time.monotonic() - began, uv_seconds=uv_seconds
    )


def _build(candidate: Candidate, building: Path, job: Job) -> tuple[str, Verification | str]:
    """Create, resolve, install, verify; return the step reached and its verification or what went wrong there."""
    environment = building / "env"
    step = "create"
    try:
        job.say("creating the environment")
        job.uv.venv(environment, job.python_for(candidate))
        step = "resolve"
        lock = _lock(candidate, building, environment, job)
        step = "install"
        job.say("installing hash-checked pins")
        job.uv.install(lock, python=str(python_in(environment)))
    except CannotAct as error:
        _give_up_if_hopeless(error)
        return step, error.message
    job.say("verifying")
    verification = _verified(candidate, environment, job)
    if not verification.ok and not (verification.numeric_failure and job.accept_failing):
        return ("numerics" if verification.numeric_failure else "verify"), verification.message
    return "done", verification


def _give_up_if_hopeless(error: CannotAct) -> None:
    """No other candidate can succeed on a full disk, without a network, or in a folder that cannot be written.

    Offline one may: its files may be in the cache where another's are not.
    """
    hopeless = ("disk space", "check the network", "may write to")
    if any(words in error.hint for words in hopeless):
        raise error


def _verified(candidate: Candidate, environment: Path, job: Job) -> Verification:
    problem = job.uv.check(python=str(python_in(environment)), folder=environment.parent)
    if problem is not None:
        return Verification(ok=False, stage="dependencies", message=f"declared dependencies conflict: {problem}")
    return job.verify(str(python_in(environment)), candidate)


def _lock(candidate: Candidate, building: Path, environment: Path, job: Job) -> Path:
    """The hashed pins to install: the shipped ones, or a resolution of the pair with what the user wants besides."""
    output = building / "requirements.lock"
    shipped = job.matrix.lock(candidate.lock) if candidate.lock else None
    if shipped is not None and not job.extra_requirements and covers(shipped, job.extra_names):
        journal.write(output, export.requirements(shipped))
        return output
    job.say("resolving requirements together")
    wanted = building / "pair.in"
    journal.write(wanted, "\n".join((*candidate.requirements, *job.extra_names)) + "\n")
    files = (wanted, *job.extra_requirements)
    python = str(python_in(environment))
    if shipped is not None:
        pins = building / "pins.txt"
        journal.write(pins, export.constraints(shipped))
        try:
            job.uv.compile(files, python=python, output=output, constraints=pins)
        except CannotAct:
            job.say("the shipped pins do not go with these requirements: resolving around the pair")
        else:
            return output
    job.uv.compile(files, python=python, output=output)
    return output


def covers(lock: Lock, names: tuple[str, ...]) -> bool:
    """Tell whether a lock already pins every one of some distributions."""
    return set(names) <= {package.name for package in lock.packages}


def _hand_over(building: Path, candidate: Candidate, job: Job) -> Path:
    environment = building / "env"
    lock_text = (building / "requirements.lock").read_text("utf-8")
    journal.mark(
        environment,
        {
            "made_by": f"tfcompat {job.tool_version}",
            "candidate": candidate.title,
            "uv": job.uv.version,
            "python": candidate.python,
        },
    )
    lock_file = job.directory.with_name(f"{job.directory.name}.requirements.txt")
    journal.hand_over(environment, job.directory)
    journal.write(lock_file, lock_text)
    return lock_file


def python_in(environment: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def needed_bytes(candidate: Candidate) -> int | None:
    """Return the free disk a build needs (downloads kept in the cache and the environment), None where not known."""
    if candidate.lock is None or not candidate.lock.download_bytes:
        return None
    return int(candidate.lock.download_bytes * (1 + INSTALLED_RATIO))
