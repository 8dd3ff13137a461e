"""What the battery of a target interpreter checks, and one check as a program of its own, to file upstream.

Asked of a stand-alone script in that interpreter, because NumPy is there and not here; TensorFlow is not imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any

from compat.errors import CannotLook, UsageError
from compat.smoke.child import ask, key_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compat.facts.numerics import Check, Numerics

TIMEOUT = 120.0
"""Seconds; the data of the largest case take one or two."""
SCRIPT = "reproduction.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A check that there is."""

    id: str
    op: str
    levels: tuple[tuple[str, str], ...]
    """(mode, the lowest level that runs it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A case of single operations, or a program."""

    id: str
    family: str
    ops: tuple[str, ...]
    """TensorFlow's names, as the checks report them."""
    levels: tuple[tuple[str, str], ...]
    shape: str = ""
    dtype: str = ""
    code: str = ""
    """The expression that is computed, where it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """One operation in one mode: the lowest level that exercises it, and by how many cases at each level."""

    op: str
    mode: str
    level: str
    cases: tuple[tuple[str, int], ...]
    """(level, cases that this level adds)."""


def find(interpreter: str, name: str, *, environment: Mapping[str, str] | None = None) -> Known:
    """Return the check of an id. Raises UsageError for one that is none, CannotLook where nothing answers."""
    answer = _asked(interpreter, [f"--find={name}"], environment)
    if answer["kind"] == "unknown":
        close = [str(one) for one in answer.get("close", [])]
        every = f"`tfcompat smoke --list --python {quote(interpreter)}` shows all"
        hint = f"did you mean {' or '.join(close)}?" if close else every
        raise UsageError(f"there is no check {name!r}", hint=hint)
    return Known(id=str(answer["id"]), op=str(answer["op"]), levels=tuple(answer["modes"].items()))


def reproduction(
    interpreter: str,
    name: str,
    *,
    mode: str = "graph",
    device: str = "CPU:0",
    said: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> str:
    """Return the source of a program that makes this check alone; ``said`` are lines for its head.

    Raises UsageError for an unknown id, CannotLook where the interpreter has no NumPy or does not answer.
    """
    find(interpreter, name, environment=environment)
    words = [f"--said={line}" for line in said]
    arguments = [f"--make={name}", f"--mode={mode}", f"--device={device}", *words]
    return str(_asked(interpreter, arguments, environment)["script"])


def listing(
    interpreter: str, level: str = "full", *, operations: bool = False, environment: Mapping[str, str] | None = None
) -> tuple[Listed, ...]:
    """Return what a level runs, in its order; with ``operations`` each that is judged, which takes some seconds more.

    Raises CannotLook where the interpreter has no NumPy or does not answer.
    """
    rows = _asked(interpreter, [f"--list={level}", *(["--operations"] if operations else [])], environment)["rows"]
    return tuple(
        Listed(**{**row, "ops": tuple(row["ops"]), "levels": tuple(row["levels"].items())})  # one shape, both ends ours
        for row in rows
    )


def coverage(rows: Sequence[Listed], levels: Sequence[str] = ("quick", "standard", "full")) -> tuple[Coverage, ...]:
    """Return operation x mode, by operation; ``rows`` are those of ``listing(..., operations=True)``."""
    counted: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        for op in row.ops:
            for mode, level in row.levels:
                count = counted.setdefault((op, mode), dict.fromkeys(levels, 0))
                count[level] += 1
    return tuple(
        Coverage(op=op, mode=mode, level=next(one for one in levels if count[one]), cases=tuple(count.items()))
        for (op, mode), count in sorted(counted.items(), key=lambda item: (item[0][0].lower(), item[0]))
    )


def failing(numerics: Numerics, name: str, mode: str | None = None) -> Check | None:
    """Return the check of this id (or below it) that fails; None where none does.

    The first of them: what is computed first is nearest to the fault. A device that is checked comes before the CPU,
    its control.
    """
    found = [
        check
        for check in numerics.checks
        if (check.id == name or check.id.startswith(f"{name}/"))
        and check.status in {"fails", "crashed"}
        and mode in {None, check.mode}
    ]
    return min(found, key=lambda check: check.device.startswith("CPU"), default=None)


def _asked(interpreter: str, arguments: Sequence[str], environment: Mapping[str, str] | None) -> dict[str, Any]:
    completed, answer = ask(SCRIPT, interpreter, list(arguments), TIMEOUT, environment)
    if answer is None:
        raise CannotLook(f"{interpreter} did not answer: {key_line(completed.stderr) or 'it said nothing'}")
    if answer.get("kind") == "failed":
        raise CannotLook(f"the checks cannot be listed in this environment: {answer.get('error')}")
    return answer
