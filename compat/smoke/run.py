"""The smoke battery, run in a target interpreter and read back as one record, however it ends."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from compat.errors import BadFacts, one_line
from compat.facts.codec import decode
from compat.facts.numerics import Check, Numerics
from compat.smoke.child import ask, key_line, tail

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compat.process import Completed

TIMEOUT = 300.0
"""Seconds; a cold import from a slow disk has taken more than 60."""


def run_smoke(
    interpreter: str,
    *,
    devices: Sequence[str] | None = None,
    level: str = "quick",
    timeout: float | None = TIMEOUT,
    only: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Numerics:
    """Import TensorFlow in the interpreter and compute on its devices (None: the CPU, then every other one).

    ``level`` is ``quick`` or ``standard``; ``only`` a check id or its beginning; ``environment`` replaces our own
    variables. Never raises on what happens there: an abort, a hang, an exit and silence are each their own outcome.
    """
    with TemporaryDirectory(prefix="tfcompat-", ignore_cleanup_errors=True) as folder:
        progress = Path(folder) / "progress"
        arguments = ["--progress", str(progress), "--level", level]
        arguments += ["--devices", ",".join(devices)] if devices is not None else []
        arguments += ["--only", only] if only else []
        completed, answer = ask("numerics.py", interpreter, arguments, timeout, environment)
        events = _events(progress)
    answered = _answered(completed, answer) if answer is not None else None
    return answered or _unanswered(completed, events)


def _answered(completed: Completed, answer: Mapping[str, Any]) -> Numerics | None:
    """The record of an answer, None if it is not one: a process that answers and then dies has still answered."""
    given = dict(answer, outcome=answer.get("kind"))
    variables = answer.get("variables")
    if isinstance(variables, dict):
        given["variables"] = [{"name": name, "value": value} for name, value in variables.items()]
    given["stderr_tail"] = list(tail(completed.stderr))
    if answer.get("kind") != "ran":
        given["key_line"] = key_line(f"{completed.stderr}\n{answer.get('error', '')}")
    try:
        return decode(Numerics, given)
    except BadFacts:
        return None


def _unanswered(completed: Completed, events: Sequence[Mapping[str, Any]]) -> Numerics:
    under_way = [event for event in events if event.get("event") == "start"]
    return Numerics(
        outcome=_outcome(completed),
        checks=tuple(_checks(events)),
        signal=completed.signal,
        exit_code=None if completed.signal is not None or completed.timed_out else completed.returncode,
        last_check=_name(under_way[-1]) if under_way else None,
        error=None if completed.started else one_line(completed.stderr),
        stderr_tail=tail(completed.stderr),
        key_line=key_line(completed.stderr),
    )


def _outcome(completed: Completed) -> str:
    if completed.timed_out:
        return "hung"
    if completed.signal is not None:
        return "aborted"
    return "exited" if completed.returncode else "no-answer"


def _events(progress: Path) -> list[dict[str, Any]]:
    """The progress lines; a last one cut short by the death is left out."""
    try:
        lines = progress.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [event for event in map(_parsed, lines) if isinstance(event, dict)]


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _checks(events: Sequence[Mapping[str, Any]]) -> list[Check]:
    return [check for event in events if (check := _check(event)) is not None]


def _check(event: Mapping[str, Any]) -> Check | None:
    try:
        return decode(Check, event.get("check"))
    except BadFacts:
        return None


def _name(event: Mapping[str, Any]) -> str:
    mode, device = event.get("mode"), event.get("device")
    return f"{event.get('id')}" + (f" ({mode} on {device})" if mode else "")
