"""What a judgement of pins says: a finding with its place, its targets, and the pins that would cure it."""

from __future__ import annotations

from dataclasses import dataclass

from compat.facts.pins import Pin, PinFile
from compat.verdict.finding import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Cure:
    """What the file should say instead: another set for a pin, or one more requirement beside it."""

    path: str
    pin: Pin
    specifier: str | None = None
    """The PEP 440 set the pin should have; None: it stays as it is."""
    name: str = ""
    """Another distribution in its place (``tensorflow`` for ``tensorflow-cpu``); empty: the same."""
    marker: str = ""
    """A condition (PEP 508) under which alone it should hold."""
    add: str = ""
    """A requirement (PEP 508) to stand beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinFinding:
    """One judgement with its place."""

    id: str
    severity: Severity
    line: int
    column: int
    message: str
    """What, and what to do, in one line."""
    path: str = ""
    """The file it stands in, where that is not the judged one (an included file)."""
    targets: tuple[str, ...] = ()
    """Platforms it holds on."""
    cures: tuple[Cure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFile:
    """One file with its findings, root cause first."""

    file: PinFile
    findings: tuple[PinFinding, ...]
