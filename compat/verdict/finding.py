"""What a judgement says: findings with evidence and a remedy, ordered so that the root cause stands first."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Severity(str, Enum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Status(str, Enum):
    """How a rule came out."""

    FAILS = "fails"
    PASSES = "passes"
    UNKNOWN = "unknown"
    CRASHED = "crashed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One fact or row behind a finding."""

    fact: str
    """What was seen, in words: ``tensorflow-metal 1.1.0 in site-packages/tensorflow-plugins``."""
    source: str = ""
    """Where it is from: ``measured here``, ``links/tensorflow-metal.arm64``, a URL."""
    tier: str = ""
    """The tier of evidence it stands for, where it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What to do: commands that can be pasted (nothing destructive among them), and words."""

    text: str = ""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One judgement of one rule."""

    id: str
    severity: Severity
    status: Status
    message: str
    """What, in one line, without a full stop."""
    evidence: tuple[Evidence, ...] = ()
    remedy: Remedy = field(default_factory=Remedy)
    verify: str = ""
    """A command that shows whether the remedy worked."""
    url: str = ""
    caused_by: str | None = None
    """Id of the finding this one is a consequence of."""
    issue: str | None = None
    """Id of the matrix issue it matches."""
    matrix_used: bool = False
    """Whether the verdict depended on matrix data (whose day is then worth saying)."""

    @property
    def is_error(self) -> bool:
        """Whether it makes the environment unfit."""
        return self.severity is Severity.ERROR and self.status is Status.FAILS


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All findings of one judgement, root causes first, each followed by its consequences."""

    findings: tuple[Finding, ...]
    matrix_date: str

    @property
    def ok(self) -> bool:
        """No error finding."""
        return not any(finding.is_error for finding in self.findings)

    @property
    def strict_ok(self) -> bool:
        """No error or warning finding, and no rule crashed."""
        bad = {Severity.ERROR, Severity.WARNING}
        return not any(
            finding.status is Status.CRASHED or (finding.status is Status.FAILS and finding.severity in bad)
            for finding in self.findings
        )
