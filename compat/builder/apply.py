"""Carry a plan out: build beside, verify, hand over; undo and take the next candidate when one fails."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from compat.builder import disk, journal, records, transaction
from compat.builder.outcome import Attempt, Built, NothingBuilt, Outcome, Verification
from compat.builder.replacing import check_folder
from compat.builder.resolving import Wanted, pins
from compat.builder.transaction import Transaction
from compat.builder.uv import Uv, is_hopeless
from compat.errors import CannotAct, UsageError, without_secrets
from compat.matrix.load import Matrix
from compat.plan.model import Candidate, Plan

Say = Callable[[str], None]
Verify = Callable[[str, Candidate], Verification]
"""Examines a built environment by its interpreter; given by the session, because building does not measure."""

INSTALLED_RATIO = 4.5
"""Bytes on disk for a byte downloaded, bytecode included: 3.7 for tensorflow-cpu 2.10.1, 4.4 for 2.18.1 and 2.21.0,
measured on Linux; a little more is asked for."""

_ENVIRONMENT = "env"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What may be replaced, and what may be handed over."""

    replace: bool = False
    """An environment we made may be replaced."""
    in_place: bool = False
    """So may one we did not make; the old one is kept."""
    accept_failing: bool = False


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
    wanted: Wanted = field(default_factory=Wanted)
    """What the environment is to hold besides the pair."""
    terms: Terms = field(default_factory=Terms)
    tool_version: str = ""


def carry_out(plan: Plan, job: Job) -> Outcome:
    """Build the best candidate that passes its own verification.

    Raises UsageError where the folder is not ours to replace, CannotAct where no candidate could have been built
    (no disk, no network) or another run is at work there. Whatever happens, the folder is either as it was or finished.
    """
    check_folder(job.directory, replace=job.terms.replace, in_place=job.terms.in_place)
    attempts: list[Attempt] = []
    with transaction.opened(job.directory) as work:
        job.uv.held = work.handle
        if work.settled.message:
            job.say(work.settled.message)
        for candidate in _in_order(plan, attempts):
            job.say(f"building {candidate.title}")
            result = _attempt(candidate, work, job)
            if isinstance(result, Built):
                return replace(result, attempts=(*attempts, *result.attempts))
            attempts.append(result)
            job.say(f"{candidate.title}: {result.message}")
    return NothingBuilt(attempts=tuple(attempts))


def resumed(plan: Plan, directory: Path, wanted: Wanted, terms: Terms, say: Say) -> Built | None:
    """Finish or undo what an interrupted run left; return what it had built where that is what this one is asked for.

    Raises CannotAct where another run is at work there, and where the target has become another environment than was
    looked at.
    """
    settled = transaction.settle(directory)
    if settled.message:
        say(settled.message)
    if settled.finished is None:
        return None
    made_for, verification = settled.finished.record.get("wish"), _recorded(settled.finished.record)
    asked = [one for one in (plan.best, *plan.fallbacks) if wish(one, wanted, terms) == made_for]
    if asked and verification is not None and python_in(directory).exists():
        attempt = Attempt(candidate=asked[0], step="done", message=settled.message)
        return _built(asked[0], verification, directory, attempt)
    if terms.in_place:
        raise CannotAct(
            f"{directory} is {settled.finished.what} now, which an interrupted run had been asked for",
            hint="run this again to go on from there, or go back with --rollback",
        )
    return None


def wish(candidate: Candidate, wanted: Wanted, terms: Terms) -> str:
    """Return a digest of all that was asked for: another run's result is an answer only to the same question."""
    files = [path.read_text("utf-8", "replace") for path in wanted.files]
    asked = [candidate.title, candidate.lock.file if candidate.lock else "", *wanted.names, *files]
    return hashlib.sha256(json.dumps([*asked, terms.accept_failing, terms.in_place]).encode()).hexdigest()


def _recorded(record: Mapping[str, Any]) -> Verification | None:
    try:
        return Verification(**record["verification"])
    except (KeyError, TypeError):
        return None


def _in_order(plan: Plan, attempts: list[Attempt]) -> Iterator[Candidate]:
    """The best and its fallbacks, leaving out plugins that were seen to compute wrong numbers."""
    for candidate in (plan.best, *plan.fallbacks):
        wrong = {a.candidate.accelerator.version for a in attempts if a.step == "numerics" and a.candidate.accelerator}
        if candidate.accelerator is None or candidate.accelerator.version not in wrong:
            yield candidate


def _attempt(candidate: Candidate, work: Transaction, job: Job) -> Built | Attempt:
    """Build one candidate in the private folder; it is gone again unless it was handed over."""
    began, inside_uv = time.monotonic(), job.uv.seconds
    building = work.start(candidate.title)
    try:
        step, outcome = _build(candidate, building, job)
        verification = outcome if isinstance(outcome, Verification) else None
        if step == "done" and verification is not None:
            _hand_over(building / _ENVIRONMENT, candidate, verification, work, job)
        attempt = Attempt(
            candidate=candidate,
            step=step,
            message=verification.message if verification is not None else str(outcome),
            seconds=time.monotonic() - began,
            uv_seconds=job.uv.seconds - inside_uv,
            verify_seconds=verification.seconds if verification is not None else 0.0,
        )
    finally:
        work.drop(building)
    built = step == "done" and verification is not None
    return _built(candidate, verification, job.directory, attempt) if built and verification else attempt


def _built(candidate: Candidate, verification: Verification, directory: Path, attempt: Attempt) -> Built:
    return Built(
        path=str(directory),
        interpreter=str(python_in(directory)),
        lock_file=str(transaction.pins_beside(directory)),
        candidate=candidate,
        verification=verification,
        attempts=(attempt,),
    )


def _build(candidate: Candidate, building: Path, job: Job) -> tuple[str, Verification | str]:
    """Create, resolve, install, verify; return the step reached and its verification or what went wrong there."""
    environment = building / _ENVIRONMENT
    step = "create"
    try:
        job.say("creating the environment")
        job.uv.venv(environment, job.python_for(candidate))
        step = "resolve"
        lock = pins(candidate, building, str(python_in(environment)), job.wanted, job)
        step = "install"
        job.say("installing hash-checked pins")
        job.uv.install(lock, python=str(python_in(environment)))
    except CannotAct as error:
        if is_hopeless(error):
            raise CannotAct(f"{error.message}; {transaction.as_it_was(job.directory)}", hint=error.hint) from error
        return step, error.message
    _mark(environment, candidate, lock, job)
    verification = _verified(candidate, environment, job)
    if not verification.ok and not (verification.numeric_failure and job.terms.accept_failing):
        return ("numerics" if verification.numeric_failure else "verify"), verification
    return "done", verification


def _mark(environment: Path, candidate: Candidate, lock: Path, job: Job) -> None:
    record = {
        "made_by": f"tfcompat {job.tool_version}",
        "candidate": candidate.title,
        "uv": job.uv.version,
        "python": candidate.python,
    }
    journal.mark(environment, record)
    pins_text = without_secrets(lock.read_text("utf-8"))  # an address among the user's requirements may hold a password
    disk.write(environment / journal.PINS, f"{journal.HEAD}{candidate.title}\n{pins_text}")


def _verified(candidate: Candidate, environment: Path, job: Job) -> Verification:
    """Examine the environment; meanwhile it goes to the disk and its files are held against their RECORD."""
    job.say("verifying")
    changed: list[str] = []
    beside = threading.Thread(target=_settle_files, args=(environment, changed), daemon=True)
    beside.start()
    verification = _declared(environment, job) or job.verify(str(python_in(environment)), candidate)
    began = time.monotonic()
    beside.join()
    if changed and verification.ok:
        message = f"{len(changed)} files are not what their wheels say, {changed[0]} among them"
        return Verification(ok=False, stage="files", message=f"{message}; uv's cache was changed: `uv cache clean`")
    return replace(verification, seconds=verification.seconds + time.monotonic() - began)


def _settle_files(environment: Path, changed: list[str]) -> None:
    """In a thread, which has nobody to raise to: what cannot be read is not what it should be either."""
    disk.flush(environment)
    try:
        changed.extend(records.altered(environment))
    except OSError as error:
        changed.append(f"{error.filename}: {error.strerror}")


def _declared(environment: Path, job: Job) -> Verification | None:
    problem = job.uv.check(python=str(python_in(environment)), folder=environment.parent)
    if problem is None:
        return None
    return Verification(ok=False, stage="dependencies", message=f"declared dependencies conflict: {problem}")


def _hand_over(
    environment: Path, candidate: Candidate, verification: Verification, work: Transaction, job: Job
) -> None:
    check_folder(job.directory, replace=job.terms.replace, in_place=job.terms.in_place)  # hours may have passed
    record = {"verification": asdict(verification), "wish": wish(candidate, job.wanted, job.terms)}
    work.place(environment, candidate.title, keep=job.terms.in_place, record=record)


def roll_back(directory: Path) -> str | None:
    """Exchange an environment with the one that was replaced in its place; return where the other one is now.

    None where there was no other one any more. Raises UsageError where none was kept, CannotAct, Interrupted.
    """
    nothing = UsageError(
        f"nothing is kept to put back at {directory}",
        hint="name the folder that was mended: tfcompat fix --rollback DIR",
    )
    if not transaction.folder_of(directory).is_dir():
        raise nothing
    with transaction.opened(directory, "tfcompat fix --rollback") as work:
        previous = work.previous()
        if previous is None:
            raise nothing
        for folder in (previous, directory):
            if os.path.lexists(folder) and not (folder / "pyvenv.cfg").is_file():
                raise UsageError(f"{folder} is no virtual environment", hint="look at what it is, and move it away")
        work.place(previous, "the environment from before", keep=True)
        return str(previous) if previous.exists() else None


def python_in(environment: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def needed_bytes(candidate: Candidate) -> int | None:
    """Return the free disk a build needs (downloads kept in the cache and the environment), None where not known."""
    if candidate.lock is None or not candidate.lock.download_bytes:
        return None
    return int(candidate.lock.download_bytes * (1 + INSTALLED_RATIO))
