"""Facts and matrix through the rules to one verdict: every rule runs, none can stop the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from compat.errors import one_line
from compat.facts.capture import Facts
from compat.matrix.load import Matrix
from compat.verdict.finding import Finding, Severity, Status, Verdict
from compat.verdict.rule import MissingFactError, Rule

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_SHOWN = 300
"""Characters of a crashed rule's message that are shown."""
_STATUS_RANK = {Status.FAILS: 0, Status.CRASHED: 1, Status.UNKNOWN: 2, Status.SKIPPED: 3, Status.PASSES: 4}


def judge(facts: Facts, matrix: Matrix, rules: Sequence[Rule]) -> Verdict:
    """Return every finding, root causes first, consequences directly behind their cause."""
    findings = [finding for rule in rules for finding in run_rule(rule, facts, matrix)]
    return Verdict(findings=tuple(ordered(with_causes(findings, rules))), matrix_date=matrix.date)


def run_rule(rule: Rule, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
    """Yield a rule's findings, or one that says it passed; then, where it had to stop early, one that says why.

    What a rule found before it missed a fact or crashed stands: a fault seen does not go away.
    """
    found = False
    try:
        for finding in rule.check(facts, matrix):
            found = True
            yield finding
    except MissingFactError as missing:
        yield rule.says(Status.UNKNOWN, f"{rule.title}: unknown, {missing.what} {_because(missing.why)}")
    except Exception as error:  # noqa: BLE001 - a rule that raises is a finding, and the others go on
        yield rule.says(Status.CRASHED, one_line(f"{rule.title}: this check crashed ({_named(error)})", _SHOWN))
    else:
        if not found:
            yield rule.says(Status.PASSES, rule.title)


def _because(why: str) -> str:
    """Join the reason to what is missing, so that both read as one sentence."""
    if why.startswith("not "):
        return f"was {why}"
    return why if why.startswith(("is ", "was ", "does ", "could ")) else f"is not known ({why})"


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def with_causes(findings: Iterable[Finding], rules: Iterable[Rule]) -> list[Finding]:
    """Tie each failing consequence to the first of its possible causes that fails too."""
    found = list(findings)
    failing = {finding.id for finding in found if finding.status is Status.FAILS}
    causes = {rule.id: rule.consequence_of for rule in rules}
    return [_tied(finding, causes.get(finding.id, ()), failing) for finding in found]


def _tied(finding: Finding, causes: tuple[str, ...], failing: set[str]) -> Finding:
    if finding.status is not Status.FAILS or finding.caused_by is not None:
        return finding
    cause = next((cause for cause in causes if cause in failing and cause != finding.id), None)
    return replace(finding, caused_by=cause) if cause else finding


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Root causes by severity, each followed by what follows from it; then what is unknown; passes last."""
    ids = {finding.id for finding in findings}
    roots = [finding for finding in findings if finding.caused_by not in ids]
    placed: list[Finding] = []
    for root in sorted(roots, key=_rank):
        placed.append(root)
        if not any(earlier.id == root.id for earlier in placed[:-1]):
            placed += _consequences(root.id, findings, {root.id})
    return placed


def _consequences(cause: str, findings: Sequence[Finding], seen: set[str]) -> list[Finding]:
    found: list[Finding] = []
    for finding in sorted((f for f in findings if f.caused_by == cause), key=_rank):
        found.append(finding)
        if finding.id not in seen:
            found += _consequences(finding.id, findings, seen | {finding.id})
    return found


def _rank(finding: Finding) -> tuple[int, int, str]:
    return (_STATUS_RANK[finding.status], _RANK[finding.severity], finding.id)
