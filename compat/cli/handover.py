"""What stands between building and handing over: which interpreter to build with, and what the result must show."""

from __future__ import annotations

import time
from collections.abc import Callable

from compat import process, project
from compat.builder.outcome import Built, Outcome, Verification
from compat.errors import CannotAct, one_line
from compat.facts.capture import Facts
from compat.facts.interpreter import FoundInterpreter
from compat.facts.known import known
from compat.facts.numerics import Numerics, time_that_ran_out
from compat.plan.model import Candidate
from compat.verdict.rules.measured import MORE_MEMORY, memory_ran_out

SMOKE_SECONDS = 600.0
KERNEL_SECONDS = 120.0

Say = Callable[[str], None]


def python_for(candidate: Candidate, facts: Facts) -> str:
    """Return a local interpreter of the candidate's Python and architecture, or its version for uv to provide."""
    fitting = [found for found in facts.found if fits(found, candidate)]
    return fitting[0].path if fitting else candidate.python


def fits(found: FoundInterpreter, candidate: Candidate) -> bool:
    """Tell whether an interpreter found on this machine can carry the candidate: version, architecture, no problem."""
    version, architectures = known(found.version), known(found.architectures)
    if found.problem or version is None or ".".join(version.split(".")[:2]) != candidate.python:
        return False
    wanted = candidate.target.platform.partition("-")[2]
    names = {"aarch64": {"aarch64", "arm64"}, "amd64": {"amd64", "x86_64"}}.get(wanted, {wanted})
    return architectures is None or bool(names & set(architectures))


def verify(interpreter: str, candidate: Candidate, detail: Say) -> Verification:
    """Examine a built environment: it imports, its numbers are right on every device, it saves, loads and shows.

    The declared dependencies were checked before.
    """
    from compat.smoke.run import run_smoke
    from compat.smoke.whole import check_whole

    began = time.monotonic()
    detail("verifying: import and numerical smoke test")
    numerics = run_smoke(interpreter, timeout=SMOKE_SECONDS)
    problem = _numeric_problem(numerics, candidate)
    if problem is not None:
        return _verdict(problem[0], problem[1], began, numeric=problem[0] == "numerics")
    detail("verifying: fit, save, load, TensorBoard")
    whole = check_whole(interpreter, SMOKE_SECONDS)
    if whole.broken:
        return _verdict("whole", "; ".join(f"{step}: {one_line(text, 200)}" for step, text in whole.broken), began)
    counted = sum(check.status == "passes" for check in numerics.checks)
    devices = ", ".join(dict.fromkeys(check.device for check in numerics.checks if check.status == "passes"))
    return Verification(
        ok=True,
        stage="complete",
        message=f"no numerical fault found by {counted} checks on {devices}; fit, save, load and TensorBoard work",
        seconds=time.monotonic() - began,
    )


def _verdict(stage: str, message: str, began: float, *, numeric: bool = False) -> Verification:
    return Verification(
        ok=False, stage=stage, message=message, seconds=time.monotonic() - began, numeric_failure=numeric
    )


def _numeric_problem(numerics: Numerics, candidate: Candidate) -> tuple[str, str] | None:
    bad = [check for check in numerics.checks if check.status in ("fails", "crashed")]
    memory = memory_ran_out(numerics, bad) if bad or numerics.outcome != "ran" else None
    if memory is not None:  # says nothing of the pair: another release of the plugin is tried
        return "imports", f"memory ran out ({one_line(memory, 200)}): {MORE_MEMORY.text}"
    if numerics.outcome != "ran":
        ended = f"TensorFlow {numerics.outcome}: {numerics.key_line or 'no message'}"
        return "imports", time_that_ran_out(numerics) if numerics.outcome == "out-of-time" else ended
    if bad:
        names = ", ".join(f"{check.id} ({check.mode}, {check.device})" for check in bad[:3])
        return "numerics", f"{len(bad)} numerical checks failed: {names}"
    gpus = [device for device in numerics.devices if device.kind == "GPU"]
    if candidate.accelerator is not None and not gpus:
        return "imports", f"{candidate.accelerator.distribution} is installed, but TensorFlow lists no GPU"
    busy = {check.device for check in numerics.checks if check.status == "passes"}
    idle = [device.name for device in gpus if device.name not in busy]
    if candidate.accelerator is not None and idle:
        return "numerics", f"no operation of the battery ran on {idle[0]}: TensorFlow moved them all to the CPU"
    return None


def register_kernel(outcome: Outcome, name: str, say: Say) -> None:
    """Register a Jupyter kernel of the new environment for this user, through ipykernel's own installer.

    Raises CannotAct; the environment itself is already in its place then.
    """
    if not isinstance(outcome, Built):
        return
    words = ["install", "--user", "--name", name, "--display-name", name]
    argv = [
        outcome.interpreter,
        "-I",
        "-m",
        "ipykernel",
        *words,
    ]  # -I: -m alone would take a module of the current folder
    done = process.run(argv, timeout=KERNEL_SECONDS, env=project.left_out(process.environment()))
    if not done.ok:
        raise CannotAct(
            f"the environment is ready at {outcome.path}, but its kernel could not be registered:"
            f" {one_line(done.stderr, 200)}",
            hint=f"{outcome.interpreter} -m ipykernel install --user --name {name}",
        )
    say(f"registered the Jupyter kernel {name}")
