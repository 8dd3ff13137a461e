"""Facts and matrix through the rules to one verdict: every rule runs, none can stop the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from compat.errors import BadMatrix, one_line
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
    except BadMatrix:
        raise  # no rule of ours is at fault: without its data nothing may read as healthy
    except Exception as error:  # noqa: BLE001 - a rule that raises is a finding, and the others go on
        yield rule.says(Status.CRASHED, one_line(f"{rule.title}: this check crashed ({_named(error)})", _SHOWN))
    else:
        if not found:
            yield rule.says(Status.PASSES, rule.title)


def _because(why: str) -> str:
    """Join the reason to what is missing, so that both read as one sentence."""
    if why.startswith("not "):
        return f"was {why}"
    return why if why.startswith(("is ", "are ", "was ", "were ", "does ", "could ")) else f"is not known ({why})"


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def with_causes(findings: Iterable[Finding], rules: Iterable[Rule]) -> list[Finding]:
    """Tie each failing consequence to the cause its rule named, or the first of its possible causes, if that fails too.

    A cause that does not fail here (it was not asked, or passed) explains nothing.
    """
    found = list(findings)
    causes = {rule.id: rule.consequence_of for rule in rules}
    return [_tied(finding, causes.get(finding.id, ()), found) for finding in found]


def _tied(finding: Finding, causes: tuple[str, ...], all_found: Sequence[Finding]) -> Finding:
    if finding.status is not Status.FAILS:
        return finding
    possible = ((finding.caused_by,) if finding.caused_by else ()) + causes
    cause = next((cause for cause in possible if any(_explains(other, cause, finding) for other in all_found)), None)
    return replace(finding, caused_by=cause)


def _explains(other: Finding, cause: str, finding: Finding) -> bool:
    """Tell whether a finding can be the cause: remarks (infos) explain remarks only, never an error or a warning."""
    if other.id != cause or cause == finding.id or other.status is not Status.FAILS:
        return False
    return other.severity is not Severity.INFO or finding.severity is Severity.INFO


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Root causes, each followed by what follows from it, the tree with the gravest finding first; passes last.

    Nothing is lost and nothing told twice, whatever the causes say (a cause that is absent, a ring of causes). Two
    findings of one cause stand together, their consequences behind both.
    """
    families = list(_families(sorted(findings, key=_rank)))
    return [finding for family in sorted(families, key=_gravest) for finding in family]


def _families(ranked: Sequence[Finding]) -> Iterator[list[Finding]]:
    left = list(ranked)
    ids = {finding.id for finding in left}
    while left:
        root = next((finding for finding in left if finding.caused_by not in ids), left[0])
        yield _family(root, left)


def _family(head: Finding, left: list[Finding]) -> list[Finding]:
    """Take a finding, those of its rule with the same cause, and all that follows from them out of ``left``."""
    found = [finding for finding in left if (finding.id, finding.caused_by) == (head.id, head.caused_by)]
    left[:] = [finding for finding in left if finding not in found]
    while (child := next((finding for finding in left if finding.caused_by == head.id), None)) is not None:
        found += _family(child, left)
    return found


def _gravest(family: Sequence[Finding]) -> tuple[int, int, str, str]:
    """Sort key of a family: the gravest of its findings, then the root."""
    worst = min(_rank(finding) for finding in family)
    return (*worst[:2], family[0].id, family[0].message)


def _rank(finding: Finding) -> tuple[int, int, str, str]:
    return (_STATUS_RANK[finding.status], _RANK[finding.severity], finding.id, finding.message)
