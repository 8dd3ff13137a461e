"""What a rule is: one small class whose name is its subject and whose docstring is the page ``explain`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, TypeVar

from compat.errors import UsageError
from compat.facts.capture import Facts
from compat.facts.environment import Environment
from compat.facts.interpreter import Interpreter
from compat.facts.known import Known, NotApplicable, Unknown
from compat.facts.numerics import Numerics
from compat.matrix.load import Matrix
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status

T = TypeVar("T")


class MissingFactError(Exception):
    """A rule asked for a fact nobody could establish: its answer is *unknown*."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what, self.why = what, why


class Rule:
    """One question to facts and matrix.

    A subclass sets ``id`` (letters and three digits, permanent), ``title`` (what it asks, in a few words) and may set
    ``consequence_of`` (ids of rules whose failure makes this one's failure follow). ``check`` yields findings; none
    is a pass. A fact asked for through the readers below that is unknown ends the rule as unknown.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    consequence_of: ClassVar[tuple[str, ...]] = ()

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield a finding for each fault; nothing where all is well."""
        raise NotImplementedError

    def fails(
        self,
        message: str,
        *,
        evidence: Sequence[Evidence] = (),
        remedy: Remedy | None = None,
        severity: Severity | None = None,
        verify: str = "",
        issue: str | None = None,
        caused_by: str | None = None,
        matrix_used: bool = False,
    ) -> Finding:
        """Return a failing finding of this rule."""
        return Finding(
            id=self.id,
            severity=severity or self.severity,
            status=Status.FAILS,
            message=message,
            evidence=tuple(evidence),
            remedy=remedy or Remedy(),
            verify=verify,
            url=f"tfcompat explain {self.id}",
            issue=issue,
            caused_by=caused_by,
            matrix_used=matrix_used,
        )

    def says(self, status: Status, message: str, evidence: Sequence[Evidence] = ()) -> Finding:
        """Return a finding that is no fault: passed, unknown, skipped or crashed."""
        return Finding(
            id=self.id,
            severity=Severity.INFO if status is not Status.CRASHED else Severity.WARNING,
            status=status,
            message=message,
            evidence=tuple(evidence),
            url=f"tfcompat explain {self.id}",
        )


def must(value: Known[T], what: str) -> T:
    """Return a known fact. Raises MissingFactError for an unknown or inapplicable one."""
    if isinstance(value, Unknown):
        raise MissingFactError(what, value.why)
    if isinstance(value, NotApplicable):
        raise MissingFactError(what, "does not apply here")
    return value


def text(value: Known[str], what: str) -> str:
    """Return a known text. Raises MissingFactError."""
    return must(value, what)


def interpreter_of(facts: Facts) -> Interpreter:
    """Return the interpreter. Raises MissingFactError where none was looked at."""
    return must(facts.interpreter, "the interpreter")


def environment_of(facts: Facts) -> Environment:
    """Return the environment. Raises MissingFactError where none was looked at."""
    return must(facts.environment, "the environment's distributions")


def numerics_of(facts: Facts) -> Numerics:
    """Return the smoke results. Raises MissingFactError where the battery did not run."""
    return must(facts.numerics, "the smoke test")


def select(rules: Iterable[Rule], wanted: Sequence[str], ignored: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules whose id starts with a wanted prefix (all, where none is given) and with no ignored one.

    Raises UsageError for a prefix no rule has.
    """
    known = tuple(rules)
    for prefix in (*wanted, *ignored):
        if not any(rule.id.startswith(prefix.upper()) for rule in known):
            raise UsageError(f"no rule is called {prefix!r}", hint="list them with `tfcompat doctor --list-checks`")
    return tuple(rule for rule in known if (not wanted or _matches(rule.id, wanted)) and not _matches(rule.id, ignored))


def _matches(rule_id: str, prefixes: Sequence[str]) -> bool:
    return any(rule_id.startswith(prefix.upper()) for prefix in prefixes)
