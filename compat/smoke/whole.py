"""The "works whole" check of a built environment, run in it and read back as one record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat.errors import BadFacts
from compat.facts.codec import decode
from compat.facts.whole import Whole
from compat.smoke.child import ask, key_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compat.process import Completed

TIMEOUT = 300.0
"""Seconds; a first import compiles bytecode."""


def check_whole(
    interpreter: str, timeout: float | None = TIMEOUT, *, environment: Mapping[str, str] | None = None
) -> Whole:
    """Import, fit, save and load in each format, and TensorBoard, in the interpreter.

    Never raises on what happens there: a death or a hang is the error line of ``imports``.
    """
    completed, answer = ask("whole.py", interpreter, (), timeout, environment)
    if answer is not None:
        try:
            return decode(Whole, answer)
        except BadFacts as error:
            return Whole(imports=f"an answer that makes no sense: {error.message}")
    return Whole(imports=_ended(completed, timeout))


def _ended(completed: Completed, timeout: float | None) -> str:
    """How a process that did not answer ended; which step it was in is not known."""
    if completed.timed_out:
        ended = f"killed after {timeout:g} s"
    elif completed.signal is not None:
        ended = f"ended by signal {completed.signal}"
    else:
        ended = f"ended with code {completed.returncode} and no answer"
    said = key_line(completed.stderr)
    return f"{ended}: {said}" if said else ended
