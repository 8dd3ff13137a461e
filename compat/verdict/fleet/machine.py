"""What one gathered report says of its machine: its root causes, what is counted, or why it says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from compat.errors import one_line
from compat.verdict.finding import Finding, Remedy, Severity, Status

TEXT = 1000
"""Characters kept of a message, a command or a reason."""
_RANK = (Severity.ERROR, Severity.WARNING, Severity.INFO)


class Health(str, Enum):
    """How a machine came out."""

    ERRORS = "errors"
    WARNINGS = "warnings"
    HEALTHY = "healthy"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One root cause on one machine."""

    id: str
    severity: Severity
    """The gravest of the finding and of all that follows from it: a warning may be why TensorFlow does not import."""
    message: str
    remedy: Remedy
    issue: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What machines are counted by; ``not known`` is a value."""

    chip: str
    system: str
    """``macOS 14.5``."""
    python: str
    """``3.11.7``."""
    tensorflow: str
    """``tensorflow 2.18.1``, or ``not installed``."""
    plugin: str
    """``tensorflow-metal 1.2.0``, or ``no plugin``."""
    measured: bool
    """Whether the numerical smoke test came to its end."""
    judged_by: str
    """Which tfcompat with the matrix of which day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A machine whose report was read."""

    name: str
    place: str
    """The report's file."""
    ok: bool
    """What doctor said there (under ``--strict``, where it was asked to be)."""
    traits: Traits
    faults: tuple[Fault, ...] = ()
    exit_code: int | None = None
    """Of doctor, where who gathered the report wrote it down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A machine that could not be looked at, or whose report could not be read."""

    name: str
    place: str
    why: str
    exit_code: int | None = None


def health(machine: Seen | Unseen, *, strict: bool = False) -> Health:
    """Return how a machine came out; a report that contradicts itself counts as the worse of what it says."""
    if isinstance(machine, Unseen):
        return Health.UNSEEN
    if not machine.ok or pressing(machine, strict=strict):
        return Health.ERRORS
    return Health.WARNINGS if machine.faults else Health.HEALTHY


def pressing(machine: Seen, *, strict: bool = False) -> tuple[Fault, ...]:
    """Return the root causes that keep a machine from being healthy.

    Its errors; its warnings too where they count: under ``strict``, or where doctor itself was told so.
    """
    errors = tuple(fault for fault in machine.faults if fault.severity is Severity.ERROR)
    return machine.faults if strict or (not machine.ok and not errors) else errors


def roots(findings: Sequence[Finding]) -> tuple[Fault, ...]:
    """Return the root causes among a report's findings: errors, warnings and crashed rules that follow from no other.

    Remarks are left out. Of causes that name each other in a ring, the one whose id comes first stands for all.
    """
    bad = [finding for finding in findings if _is_bad(finding)]
    tops = _tops(bad)
    following: dict[str, Severity] = {}
    found = []
    for finding in bad:
        top = tops.get(finding.caused_by or "", finding.id)
        if top == finding.id:
            found.append(finding)
        else:
            following[top] = min(following.get(top, finding.severity), finding.severity, key=_RANK.index)
    # Where a rule found two things, its gravest is taken for what the others follow from.
    found.sort(key=lambda finding: _RANK.index(finding.severity))
    return tuple(_fault(finding, following.pop(finding.id, finding.severity)) for finding in found)


def _fault(finding: Finding, following: Severity) -> Fault:
    return Fault(
        id=finding.id,
        severity=min(finding.severity, following, key=_RANK.index),
        message=one_line(finding.message, TEXT),
        remedy=_clean(finding.remedy),
        issue=finding.issue,
    )


def _clean(remedy: Remedy) -> Remedy:
    """Fold texts to single printable lines: they came from another machine, and some are to be pasted."""
    commands = tuple(one_line(command, TEXT) for command in remedy.commands)
    return Remedy(commands=commands, text=one_line(remedy.text, TEXT))


def _is_bad(finding: Finding) -> bool:
    return finding.status is Status.CRASHED or (
        finding.status is Status.FAILS and finding.severity is not Severity.INFO
    )


def _tops(bad: Iterable[Finding]) -> dict[str, str]:
    """The id each id leads up to. Every id is walked from once, so a long chain costs its length."""
    above: dict[str, str | None] = {}
    for finding in bad:  # a rule may find two things: where one is no consequence, the id stands at the top
        above[finding.id] = finding.caused_by if above.get(finding.id, "") is not None else None
    tops: dict[str, str] = {}
    for start in above:
        way: dict[str, None] = {}
        at = start
        while at not in tops and at not in way:
            way[at] = None
            cause = above[at]
            if cause is None or cause not in above:
                tops[at] = at
                break
            at = cause
        top = tops[at] if at in tops else min(list(way)[list(way).index(at) :])
        tops.update(dict.fromkeys(way, top))
    return tops
