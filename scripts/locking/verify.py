"""Install an environment for real and run the whole check in it (`compat/smoke/scripts/whole.py`)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from packaging.version import Version

from locking import uv as tool
from locking.records import Lock, LockingError, Observation, Resolution, Target
from locking.text import write_atomically

STEPS = (
    "imports",
    "fit",
    "save_h5",
    "load_h5",
    "save_keras",
    "load_keras",
    "savedmodel",
    "tensorboard_callback",
    "tensorboard_cli",
)
FINE = frozenset({"ok", "not supported"})
COOKIE = "tfcompat-locks:"
# One run takes 10-40 s; a machine that does three things at once may need some minutes.
TIMEOUT_SECONDS = 900
HASH_CHECKED = "uv pip sync --require-hashes --only-binary :all:, then compat/smoke/scripts/whole.py"


@contextmanager
def environment(uv: str, folder: Path, python: str) -> Iterator[Path]:
    """A fresh environment's interpreter; the folder is gone afterwards."""
    try:
        yield tool.create(uv, folder, python)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def observe(
    uv: str, interpreter: Path, target: Target, resolved: Resolution, repairs: Sequence[str], script: Path
) -> Observation:
    """Bring the environment to the resolution and run the whole check there."""
    lines = (
        " ".join([f"{name}=={version}", *(f"--hash=sha256:{one}" for one in sorted(hashes))])
        for name, version, hashes in resolved.pins
    )
    answer = _install_and_run(uv, interpreter, lines, script)
    return Observation(
        target=target,
        repairs=tuple(repairs),
        resolved={name: version for name, version, _ in resolved.pins},
        steps={step: answer[step] for step in STEPS},
        python=answer["python"],
        day=today(),
        pip_check=tool.pip_check(uv, interpreter),
    )


def run_lock(uv: str, interpreter: Path, lock: Lock, script: Path) -> dict[str, str]:
    """The lock's own wheels, one hash each, installed and run; the steps' answers, python and pip_check.

    Raises LockingError where what was installed is not what the lock says.
    """
    lines = (f"{one.name}=={one.version} --hash=sha256:{one.sha256}" for one in lock.packages)
    answer = _install_and_run(uv, interpreter, lines, script)
    # A post release says the version it corrects: 2.15.0.post1 is 2.15.0 to itself.
    if str(answer["tensorflow"]) != Version(lock.target.tensorflow).base_version:
        raise LockingError(f"{lock.target.name}: TensorFlow says it is {answer['tensorflow']}: {answer}")
    steps = {step: str(answer[step]) for step in STEPS}
    return {"day": today(), "python": str(answer["python"]), "pip_check": tool.pip_check(uv, interpreter), **steps}


def whole(interpreter: Path, script: Path) -> dict[str, Any]:
    """The check's answer; a child that died without one is an answer of its own, at the step `imports`."""
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [str(interpreter), str(script.resolve()), "--cookie", COOKIE]
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
        env=environ,
        cwd=interpreter.parent,
    )
    return read_answer(ended.stdout, ended.returncode, ended.stderr)


def today() -> str:
    """ISO day, UTC."""
    return datetime.now(tz=timezone.utc).date().isoformat()


def read_answer(stdout: str, code: int, stderr: str) -> dict[str, Any]:
    """The JSON between the cookie and the cookie reversed, checked for all its steps."""
    start = stdout.rfind(COOKIE)
    end = stdout.rfind(COOKIE[::-1])
    if start < 0 or end < start:
        return _died(code, stderr)
    answer: dict[str, Any] = json.loads(stdout[start + len(COOKIE) : end])
    missing = [step for step in STEPS if step not in answer]
    if missing:
        raise LockingError(f"the whole check answered without {missing}")
    return answer


def _died(code: int, stderr: str) -> dict[str, Any]:
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    last = ([line.strip() for line in stderr.splitlines() if line.strip()] or ["nothing on stderr"])[-1]
    return {
        "python": "",
        "tensorflow": None,
        "imports": f"died of {how}: {last[:300]}",
        **dict.fromkeys(STEPS[1:], "not run"),
    }


def _install_and_run(uv: str, interpreter: Path, lines: Iterator[str], script: Path) -> dict[str, Any]:
    hashed = interpreter.parent / "locked.txt"
    write_atomically(hashed, "".join(f"{line}\n" for line in lines))
    tool.sync(uv, interpreter, hashed)
    return whole(interpreter, script)
