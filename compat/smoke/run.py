"""The smoke battery, run in a target interpreter and read back as one record, however it ends."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from compat.errors import BadFacts, one_line
from compat.facts.codec import decode
from compat.facts.numerics import Check, Numerics, Variable
from compat.smoke.child import ask, key_line, tail
from compat.smoke.watching import name_of, watched

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from compat.process import Completed

TIMEOUT = 300.0
"""Seconds for all; a cold import from a slow disk has taken more than 60."""
STEP_SECONDS = 60.0
"""For one check (the import: twice). A first operation on Metal compiles kernels; nothing healthy takes longer."""
FULL_STEP_SECONDS = 300.0
"""Level ``full`` computes large shapes and trains for a while in one check."""
STUCK = re.compile(r"^Timeout \(\d+:\d\d:\d\d", re.MULTILINE)
"""What the watch inside the child says before it ends a process that is stuck."""


def run_smoke(
    interpreter: str,
    *,
    devices: Sequence[str] | None = None,
    level: str = "quick",
    timeout: float | None = TIMEOUT,
    step: float | None = None,
    only: str | None = None,
    batch_size: int | None = None,
    environment: Mapping[str, str] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Numerics:
    """Import TensorFlow in the interpreter and compute on its devices (None: the CPU, then every other one).

    ``level`` is ``quick``, ``standard`` or ``full``; ``timeout`` bounds the whole run and ``step`` each check, in
    seconds; ``only`` is a check id or its beginning; ``batch_size`` that of the user's training, for the speed that
    level ``full`` measures; ``environment`` replaces our own variables; ``tell`` is told now and then how far it has
    come. Never raises on what happens there: an abort, a hang, the end of the time, an exit and silence are each their
    own outcome.
    """
    limit = step if step is not None else FULL_STEP_SECONDS if level == "full" else STEP_SECONDS
    began = time.monotonic()
    arguments = ["--level", level, "--limit", str(limit)]
    arguments += ["--devices", ",".join(devices)] if devices is not None else []
    arguments += [f"--batch-size={batch_size}"] if batch_size is not None else []
    only_this = [f"--only={only}"] if only else []
    numerics, group = _run(interpreter, [*arguments, *only_this], _Times(timeout, limit), environment, tell)
    if not group or numerics.outcome == "out-of-time":
        return numerics
    rest = None if timeout is None else max(1.0, timeout - (time.monotonic() - began))
    apart = [*arguments, "--apart", f"--only={group}"]
    return _with_culprit(numerics, _run(interpreter, apart, _Times(rest, limit), environment, tell)[0])


class _Times(NamedTuple):
    """Seconds a child may take: for all, and for one check."""

    whole: float | None
    step: float


def _run(
    interpreter: str,
    arguments: Sequence[str],
    times: _Times,
    environment: Mapping[str, str] | None,
    tell: Callable[[str], None] | None,
) -> tuple[Numerics, str]:
    """One child: how it went, and the cases of the compiled group in which it ended without an answer, by comma."""
    with TemporaryDirectory(prefix="tfcompat-", ignore_cleanup_errors=True) as folder:
        progress = Path(folder) / "progress"
        given = ["--progress", str(progress), *arguments]
        with watched(progress, tell):
            completed, answer = ask("numerics.py", interpreter, given, times.whole, environment)
        events, silent = _events(progress), _silent(progress, completed)
    answered = _answered(completed, answer) if answer is not None else None
    return (answered, "") if answered else (_unanswered(completed, events, silent, times), _group(events))


def _with_culprit(numerics: Numerics, again: Numerics) -> Numerics:
    """Cases that share a compiled function took the process down; run one by one, one of them did so again: name it."""
    if again.outcome != numerics.outcome:
        return numerics
    return replace(numerics, last_check=again.last_check, key_line=again.key_line or numerics.key_line)


def _group(events: Sequence[Mapping[str, Any]]) -> str:
    starts = [event for event in events if event.get("event") == "start"]
    members = starts[-1].get("members") if starts else None
    return ",".join(map(str, members)) if isinstance(members, list) and len(members) > 1 else ""


def _answered(completed: Completed, answer: Mapping[str, Any]) -> Numerics | None:
    """The record of an answer, None if it is not one: a process that answers and then dies has still answered."""
    given = dict(answer, outcome=answer.get("kind"))
    if isinstance(answer.get("variables"), dict):
        given["variables"] = [{"name": name, "value": value} for name, value in answer["variables"].items()]
    given["stderr_tail"] = list(tail(completed.stderr))
    if answer.get("kind") != "ran":
        given["key_line"] = key_line(f"{completed.stderr}\n{answer.get('error', '')}")
    try:
        return decode(Numerics, given)
    except BadFacts:
        return None


def _unanswered(completed: Completed, events: Sequence[Mapping[str, Any]], silent: float, times: _Times) -> Numerics:
    under_way = [event for event in events if event.get("event") == "start"]
    may_take = times.step if len(under_way) > 1 else 2 * times.step  # the import comes first
    outcome = _outcome(completed, stuck=silent > may_take)
    late = outcome == "out-of-time"
    return Numerics(
        outcome=outcome,
        variables=_variables(events),
        checks=tuple(_checks(events)),
        signal=None if completed.timed_out else completed.signal,  # that one was ours
        exit_code=None if completed.signal is not None or outcome == "hung" else completed.returncode,
        last_check=name_of(under_way[-1]) if under_way else None,
        last_seconds=round(silent, 1) if late and under_way else None,
        time_limit=times.whole if late else None,
        error=None if completed.started else one_line(completed.stderr),
        stderr_tail=tail(completed.stderr),
        key_line=key_line(completed.stderr),
    )


def _outcome(completed: Completed, *, stuck: bool) -> str:
    """``stuck``: the last check had been under way for longer than one may take, and still the child lived."""
    if (completed.timed_out or completed.returncode == 1) and STUCK.search(completed.stderr):
        return "hung"
    if completed.timed_out:
        return "hung" if stuck else "out-of-time"
    if completed.signal is not None:
        return "aborted"
    return "exited" if completed.returncode else "no-answer"


def _silent(progress: Path, completed: Completed) -> float:
    """Return the seconds since the child last told of a check; where it told of none, since it was started."""
    try:
        return max(0.0, time.time() - progress.stat().st_mtime)
    except OSError:
        return completed.seconds


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


def _variables(events: Sequence[Mapping[str, Any]]) -> tuple[Variable, ...]:
    """Return what the child said of its environment before it imported anything."""
    told = events[0].get("variables") if events else None
    return tuple(Variable(name=str(k), value=str(v)) for k, v in told.items()) if isinstance(told, dict) else ()


def _checks(events: Sequence[Mapping[str, Any]]) -> list[Check]:
    return [check for event in events if (check := _check(event)) is not None]


def _check(event: Mapping[str, Any]) -> Check | None:
    try:
        return decode(Check, event.get("check"))
    except BadFacts:
        return None
