"""What is read of a gathered document: the codec checks these keys and passes over all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from compat.errors import BadFacts, one_line
from compat.facts.codec import decode
from compat.facts.known import UNKNOWN, Known, known
from compat.matrix.query import TENSORFLOWS
from compat.verdict.finding import Finding, Remedy, Severity, Status
from compat.verdict.fleet.machine import Traits

PLUGINS = ("tensorflow-metal", "tensorflow-metal-plugin")
NAME = 100
"""Of a name or a version."""
_ID = 20
_NO_FAULT = tuple(one.value for one in (Status.PASSES, Status.UNKNOWN, Status.SKIPPED))
NOT_KNOWN = "not known"
_SYSTEMS = {"macos": "macOS", "linux": "Linux", "windows": "Windows"}

W = TypeVar("W", bound=Enum)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    os: Known[str] = UNKNOWN
    os_version: Known[str] = UNKNOWN
    chip: Known[str] = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class _Interpreter:
    version: Known[str] = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class _Distribution:
    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Environment:
    distributions: tuple[_Distribution, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numerics:
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    machine: _Machine
    interpreter: Known[_Interpreter] = UNKNOWN
    environment: Known[_Environment] = UNKNOWN
    numerics: Known[_Numerics] = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remedy:
    commands: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    id: str
    status: str
    severity: str
    message: str
    remedy: _Remedy = field(default_factory=_Remedy)
    caused_by: str | None = None
    issue: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`doctor --format json`, apart from its findings, with what a gatherer may have added."""

    ok: bool
    facts: _Facts
    tool_version: str
    matrix_date: str
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """`tfcompat facts`."""

    facts: _Facts
    tool_version: str = NOT_KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSeen:
    """What a gatherer leaves of a machine it could not look at."""

    not_seen: str
    exit_code: int | None = None


def failing(rows: object) -> list[Finding]:
    """Return the findings of a report that are faults.

    The many that are not are passed over by their status alone. Raises BadFacts with the address of what does not fit.
    """
    if not isinstance(rows, list):
        raise BadFacts("findings: expected a list")
    return [
        _finding(decode(_Finding, row, at=f"findings[{index}]"), f"findings[{index}]")
        for index, row in enumerate(rows)
        if not (isinstance(row, dict) and row.get("status") in _NO_FAULT)
    ]


def _finding(row: _Finding, at: str) -> Finding:
    return Finding(
        id=one_line(row.id, _ID),
        status=_word(Status, row.status, f"{at}.status"),
        severity=_word(Severity, row.severity, f"{at}.severity"),
        message=row.message,
        remedy=Remedy(commands=row.remedy.commands, text=row.remedy.text),
        caused_by=None if row.caused_by is None else one_line(row.caused_by, _ID),
        issue=None if row.issue is None else one_line(row.issue, _ID),
    )


def _word(kind: type[W], text: str, at: str) -> W:
    try:
        return kind(text)
    except ValueError:
        raise BadFacts(f"{at}: {one_line(text, 40)!r} is no {kind.__name__.lower()}") from None


def traits(facts: _Facts, judged_by: str) -> Traits:
    """Return what the machine is counted by."""
    machine, numerics = facts.machine, known(facts.numerics)
    interpreter, environment = known(facts.interpreter), known(facts.environment)
    system = known(machine.os)
    version = known(machine.os_version)
    return Traits(
        chip=_short(known(machine.chip)),
        system=_short(f"{_SYSTEMS.get(system, system)} {version or ''}" if system else None),
        python=_short(known(interpreter.version) if interpreter else None),
        tensorflow=_versions(environment, TENSORFLOWS, "not installed"),
        plugin=_versions(environment, PLUGINS, "no plugin"),
        measured=numerics is not None and numerics.outcome == "ran",
        judged_by=_short(judged_by),
    )


def _versions(environment: _Environment | None, names: Iterable[str], none: str) -> str:
    if environment is None:
        return NOT_KNOWN
    first = {one.name: one.version for one in reversed(environment.distributions)}
    return _short(" + ".join(f"{name} {first[name]}" for name in names if name in first) or none)


def _short(text: str | None) -> str:
    return one_line(text or "", NAME) or NOT_KNOWN
