"""Ask another interpreter what it is and what is installed beside it, without believing that it will answer.

The stand-alone script runs isolated in it; the answer comes between cookies that only this call knows. Everything else
that can happen (nothing there, a hang, garbage, a signal, a Python too old) becomes one ``CannotLook``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat import project
from compat.errors import BadFacts, CannotLook, one_line
from compat.facts.codec import decode
from compat.facts.environment import Environment
from compat.facts.interpreter import Interpreter
from compat.process import Child, Completed, environment, start

SCRIPT = Path(__file__).parent / "scripts" / "interpreter.py"
TIMEOUT = 20.0
"""Seconds; a cold disk and a virus scanner have taken 6 s for what takes 60 ms warm."""
DERIVED_FROM = (
    "PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONUSERBASE", "TF_PLUGGABLE_DEVICE_LIBRARY_PATH", "SYSTEM_VERSION_COMPAT",
    "PYENV_ROOT", "PYENV_VERSION", "PYENV_DIR", "ASDF_DIR", "ASDF_DATA_DIR",
)  # fmt: skip
"""Variables that decide what ordinary runs see, or which interpreter a shim starts."""
SHOWN = 300
"""Characters shown of what a program said instead of answering."""


class Interrogation:
    """A question under way: the interpreter works while the caller does something else."""

    def __init__(self, interpreter: str, *arguments: str) -> None:
        self.interpreter = interpreter
        self._cookie = os.urandom(16).hex()
        argv = (interpreter, "-IS", "-B", str(SCRIPT), "--cookie", self._cookie, *arguments)
        self._child: Child = start(argv, env=project.left_out(environment(DERIVED_FROM)))

    def answer(self, timeout: float = TIMEOUT) -> tuple[Interpreter, Environment]:
        """Wait for the facts, at most ``timeout`` seconds from now. Raises CannotLook."""
        found = self.collect(timeout)
        try:
            return decode(Interpreter, found.get("interpreter")), decode(Environment, found.get("environment"))
        except BadFacts as error:
            raise _cannot(self.interpreter, f"gave an answer that makes no sense: {error.message}") from error

    def collect(self, timeout: float = TIMEOUT) -> Mapping[str, Any]:
        """Wait for the answer as it came. Raises CannotLook."""
        completed = self._child.wait(timeout=timeout)
        text = _between(completed.stdout, self._cookie)
        if text is None:
            raise _no_answer(self.interpreter, completed, timeout)
        try:
            found = json.loads(text)
        except ValueError as error:
            raise _cannot(self.interpreter, f"gave an answer that is no JSON: {error}") from error
        if not isinstance(found, dict) or found.get("result") != "answer":
            raise _known_problem(self.interpreter, found)
        return found


def start_interrogation(interpreter: str) -> Interrogation:
    """Start asking an interpreter; collect the facts with ``answer``. Never raises here."""
    return Interrogation(interpreter)


def interrogate(interpreter: str, timeout: float = TIMEOUT) -> tuple[Interpreter, Environment]:
    """Return what an interpreter says about itself and its environment. Raises CannotLook."""
    return start_interrogation(interpreter).answer(timeout)


def interrogate_target(directory: str, system: str, timeout: float = TIMEOUT) -> Environment:
    """Return what is installed in a folder for another platform, read by our own interpreter. Raises CannotLook."""
    found = Interrogation(sys.executable, "--target", directory, "--system", system).collect(timeout)
    return decode(Environment, found.get("environment"))


def _between(text: str, cookie: str) -> str | None:
    _, opened, rest = text.partition(cookie)
    inner, closed, _ = rest.partition(cookie)
    return inner if opened and closed else None


def _cannot(interpreter: str, what: str, hint: str = "") -> CannotLook:
    return CannotLook(
        f"{interpreter} {what}", hint=hint or "name another interpreter with --python, or an environment with --venv"
    )


def _known_problem(interpreter: str, found: object) -> CannotLook:
    problem = found if isinstance(found, dict) else {}
    if problem.get("kind") == "too-old":
        return _cannot(interpreter, f"is Python {problem.get('detail')}; tfcompat looks into Python 3.8 and newer")
    return _cannot(interpreter, f"could not describe itself: {problem.get('detail', 'no reason given')}")


def _no_answer(interpreter: str, completed: Completed, timeout: float) -> CannotLook:
    if not completed.started:
        return _not_started(interpreter, completed.stderr)
    if completed.timed_out:
        return _cannot(interpreter, f"did not answer within {timeout:g} s")
    if completed.signal is not None:
        return _cannot(interpreter, f"died of {_signal_name(completed.signal)}{_said(completed.stderr)}")
    if "unknown option: -i" in completed.stderr.lower():
        return _cannot(interpreter, "is Python 2 or older than 3.4; tfcompat looks into Python 3.8 and newer")
    if completed.returncode != 0:
        return _cannot(
            interpreter, f"ended with code {completed.returncode}{_said(completed.stderr or completed.stdout)}"
        )
    return _cannot(
        interpreter, f"is no Python, or one that does not answer{_said(completed.stdout or completed.stderr)}"
    )


def _not_started(interpreter: str, why: str) -> CannotLook:
    path = Path(interpreter)
    if path.is_symlink() and not path.exists():
        target = path.readlink()
        return _cannot(interpreter, f"is a link to {target}, which is gone", "create the environment anew")
    if os.path.dirname(interpreter) and not path.exists():  # noqa: PTH120 - a bare name has no folder
        return _cannot(interpreter, "does not exist")
    if path.is_dir():
        return _cannot(interpreter, "is a folder, not an interpreter", "name an environment's folder with --venv")
    if path.is_file() and not os.access(path, os.X_OK):
        return _cannot(interpreter, "is not executable")
    return _cannot(interpreter, f"could not be started{_said(why)}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _said(text: str) -> str:
    """Quote the last line of what a program said, where Python and shells put the reason."""
    lines = [line for line in text.splitlines() if line.strip()]
    return f": {one_line(lines[-1], SHOWN)}" if lines else ""
