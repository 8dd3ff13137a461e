"""What a diagnosis says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from compat.facts.pasted import Line
from compat.matrix.model import Issue
from compat.verdict.finding import Evidence, Remedy

HIGH, MEDIUM, LOW = "high", "medium", "low"
_RANK = {HIGH: 0, MEDIUM: 1, LOW: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One fault that explains the text, or part of it."""

    id: str
    """Of the known problem; where none describes it, of the rule."""
    title: str
    confidence: str
    line: Line | None
    """The line that shows it; None where it follows from facts of a capture."""
    remedy: Remedy = field(default_factory=Remedy)
    verify: str = ""
    rule: str | None = None
    issue: str | None = None
    severity: str = "error"
    evidence: tuple[Evidence, ...] = ()
    missing: tuple[str, ...] = ()
    """Facts that would settle it, by the names of ``WANTED``."""
    is_proved: bool = False
    """Whether stated facts, wheels or link proofs bear it out, not words alone."""
    is_final: bool = False
    """Whether it explains how the program ended."""
    weight: float = 0.0
    """How telling its evidence is among causes of one confidence: letters of the signature, words of the symptom."""
    consequences: tuple[str, ...] = ()
    """Ids of other causes found that follow from this one."""

    @property
    def rank(self) -> int:
        """Sort key of the confidence: the surest first."""
        return _RANK[self.confidence]


def of_issue(issue: Issue, **rest: Any) -> Cause:  # noqa: ANN401 - the other fields of Cause, each by its name
    """Return the cause that a known problem is: its words, rule and remedy, and ``rest`` as what this text shows."""
    return Cause(
        id=issue.id,
        title=issue.title,
        remedy=Remedy(text=issue.remedy, commands=issue.commands),
        verify=issue.verify,
        rule=issue.rule,
        issue=issue.id,
        severity=issue.severity,
        **rest,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All causes, the likeliest first; none where nothing known matches."""

    causes: tuple[Cause, ...] = ()
    missing_facts: tuple[str, ...] = ()
    """What is not known and would make it surer, in words."""
    send: tuple[str, ...] = ()
    """What to send, as commands or words."""
    stated: tuple[str, ...] = ()
    """The facts read from the text, in words, so that a reader can see a misreading."""
    matrix_date: str = ""


WANTED = {
    "tensorflow": ("the version of TensorFlow", "python -m pip list"),
    "tensorflow-metal": ("the version of tensorflow-metal", "python -m pip list"),
    "packages": ("the installed versions", "python -m pip list"),
    "python": ("the Python version", "python -VV"),
    "process": ("the architecture Python runs as", "python -c 'import platform; print(platform.machine())'"),
    "os": ("the operating system", "uname -a"),
    "macos": ("the macOS version", "sw_vers"),
    "chip": ("the Mac's chip", "sysctl -n machdep.cpu.brand_string"),
    "pip": ("the version of pip", "python -m pip --version"),
    "shim": ("the macOS version Python is told", "python -c 'import platform; print(platform.mac_ver()[0])'"),
    "day": ("the day of the log", ""),
    "error": ("the first error line, with the lines around it", ""),
    "pip-list": ("pip's own complaint, with its list of versions", "python -m pip install tensorflow"),
}
"""Facts a diagnosis may miss: in words, and the command that shows them."""


def wanted(name: str) -> tuple[str, str]:
    """Return a missing fact in words and the command that shows it; a package by its name."""
    return WANTED.get(name) or (f"the version of {name}", "python -m pip list")
