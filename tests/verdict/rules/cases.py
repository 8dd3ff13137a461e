"""What a case of a rule is: facts in, an outcome out; the table of all cases in the documentation is made from these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compat.facts.capture import Facts
from compat.matrix.load import Matrix
from compat.verdict.finding import Finding, Severity, Status
from compat.verdict.judge import run_rule
from compat.verdict.rule import Rule
from tests.verdict.rules.tiny_matrix import tiny_matrix

OUTCOMES = ("fails", "passes", "unknown", "skipped")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question to one rule, with the answer a reader of the research would give."""

    rule: str
    name: str
    """A claim, in words: ``TensorFlow 2.21 on an Intel Mac``; unique within its rule."""
    facts: Facts
    expected: str
    """``fails``, ``passes``, ``unknown`` or ``skipped``."""
    message_has: tuple[str, ...] | str = ()
    """Pieces that the messages, evidence and remedies of the findings must hold, taken together."""
    remedy: bool | None = None
    """Whether the failing findings must offer a remedy; None: errors and warnings must, infos may."""
    severity: str | None = None
    """Of the gravest failing finding, where it matters."""
    lacks: tuple[str, ...] = ()
    """Pieces that must not appear anywhere (remedies never to be offered)."""
    also: tuple[tuple[str, object], ...] = ()
    """Other fields of the first finding and their values: ``(("caused_by", "BIN404"),)``."""
    matrix: Matrix | None = None
    """None: the default tiny matrix."""


def outcome(case: Case, rules: Sequence[Rule]) -> list[Finding]:
    """Return what the case's rule says of its facts."""
    rule = next(rule for rule in rules if rule.id == case.rule)
    return list(run_rule(rule, case.facts, case.matrix or tiny_matrix()))


def holds(case: Case, rules: Sequence[Rule]) -> None:
    """Assert that a rule answers as its case claims."""
    found = outcome(case, rules)

    assert {finding.status for finding in found} == {Status(case.expected)}, [finding.message for finding in found]
    said = " | ".join(told(finding) for finding in found)
    for piece in (case.message_has,) if isinstance(case.message_has, str) else case.message_has:
        assert piece in said, f"{piece!r} is not in {said!r}"
    for piece in case.lacks:
        assert piece not in said, f"{piece!r} is in {said!r}"
    for finding in found:
        _well_formed(case, finding)
    assert {field: getattr(found[0], field) for field, _ in case.also} == dict(case.also)
    if case.severity is not None:
        assert _gravest(found) is Severity(case.severity)


def told(finding: Finding) -> str:
    """Return all the words of a finding on one line."""
    facts = [evidence.fact for evidence in finding.evidence]
    return " | ".join([finding.message, *facts, finding.remedy.text, *finding.remedy.commands, finding.verify])


def _well_formed(case: Case, finding: Finding) -> None:
    assert "\n" not in finding.message
    assert not finding.message.endswith(".")
    if finding.status is not Status.FAILS:
        return
    wanted = case.remedy if case.remedy is not None else finding.severity is not Severity.INFO
    assert not wanted or finding.remedy.text or finding.remedy.commands, "no remedy"
    assert finding.evidence, "no evidence"


def _gravest(found: Iterable[Finding]) -> Severity:
    ranks = list(Severity)
    return min((finding.severity for finding in found), key=ranks.index)


def complete(rules: Sequence[Rule], cases: Iterable[Case]) -> list[str]:
    """Return what is lacking: every rule has a case that fails, one that passes, and one that answers unknown."""
    had = {(case.rule, case.expected) for case in cases}
    return [
        f"{rule.id} has no case that {expected}"
        for rule in rules
        for expected in ("fails", "passes", "unknown")
        if (rule.id, expected) not in had
    ]


def ids(cases: Iterable[Case]) -> list[str]:
    """Return readable test ids."""
    return [f"{case.rule}-{case.expected}-{case.name}" for case in cases]


def of(rules: Sequence[Rule], cases: Iterable[Case]) -> list[Case]:
    """Return the cases of some rules."""
    wanted = {rule.id for rule in rules}
    return [case for case in cases if case.rule in wanted]
