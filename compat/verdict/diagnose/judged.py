"""Causes from the rules of doctor, run over the stated facts, or over a capture that was pasted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from compat.facts.capture import Facts
from compat.facts.pasted import SEEN, Line, Pasted
from compat.matrix.load import Matrix
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS
from compat.verdict.diagnose.affected import fit
from compat.verdict.diagnose.cause import HIGH, LOW, MEDIUM, Cause
from compat.verdict.diagnose.picture import Picture
from compat.verdict.diagnose.scenario import scenarios
from compat.verdict.finding import Finding, Severity, Status
from compat.verdict.judge import judge
from compat.verdict.rules import RULES

ASKED_OF_WORDS = frozenset(
    {"BIN401", "BIN402", "MAC101", "MAC103", "MAC107", "PY201", "PY209", "TF303", "TF305", "TF311", "TF312", "TF313",
     "TF314", "TF315", "TF316"}
)  # fmt: skip
"""Rules whose findings stand on what is there. The others conclude from what is not there (no plugin, no TensorFlow,
no body beside a shell), and a text that does not name a thing does not say that it is absent."""
_PROOFS = frozenset({"BIN401", "PY201"})
"""Rules that prove a failure from versions and architecture alone."""
_PACKAGES = {
    "BIN401": (APPLE_PLUGIN, *TENSORFLOWS),
    "BIN402": (APPLE_PLUGIN,),
    "TF311": ("numpy", *TENSORFLOWS),
    "TF312": ("protobuf", *TENSORFLOWS),
    "TF314": ("keras", "tf-keras", *TENSORFLOWS),
    "TF315": ("setuptools", *TENSORFLOWS),
}
"""Whose line shows a finding."""


def from_capture(facts: Facts, matrix: Matrix) -> Iterator[Cause]:
    """Yield the faults of a pasted capture as doctor finds them."""
    for place, finding in enumerate(judge(facts, matrix, RULES).findings):
        if finding.status is Status.FAILS and finding.severity is not Severity.INFO:
            confidence = HIGH if finding.severity is Severity.ERROR else MEDIUM
            yield replace(_cause(finding, confidence, None), weight=-place)


def from_statements(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield what the rules find however the stated facts are meant."""
    ways = scenarios(picture, matrix)
    if not ways:
        return
    rules = tuple(rule for rule in RULES if rule.id in ASKED_OF_WORDS)
    found = [_failing(judge(facts, matrix, rules).findings) for facts in ways]
    for key, finding in found[0].items():
        if all(key in other for other in found) and finding.severity is not Severity.INFO:
            named = replace(finding, issue=finding.issue or _issue(finding.id, picture, matrix))
            yield _cause(named, _confidence(finding, pasted, picture), _line(finding, picture))


def _issue(rule: str, picture: Picture, matrix: Matrix) -> str | None:
    """Return the known problem that a rule's finding is an instance of, by the stated facts."""
    rows = (row for row in matrix.issues() if row.rule == rule and row.affects and row.withdrawn is None)
    return next((row.id for row in rows if (how := fit(row, picture, matrix)).possible and not how.missing), None)


def _failing(findings: Iterable[Finding]) -> dict[tuple[str, str | None], Finding]:
    failing = [row for row in findings if row.status is Status.FAILS and row.caused_by is None]
    return {(row.id, row.issue): row for row in reversed(failing)}


def _confidence(finding: Finding, pasted: Pasted, picture: Picture) -> str:
    if finding.id == "BIN401" and pasted.works is not None:
        return LOW  # the text shows the plugin at work
    if finding.id in _PROOFS and not pasted.errors and not picture.process_assumed:
        return HIGH
    return MEDIUM if finding.severity is Severity.ERROR else LOW


def _line(finding: Finding, picture: Picture) -> Line | None:
    names = _PACKAGES.get(finding.id, (APPLE_PLUGIN, *TENSORFLOWS))
    rows = [row for name in names for row in picture.packages.get(name, ()) if row.value]
    rows = sorted(rows, key=lambda row: row.how != SEEN)
    return rows[0].line if rows else None


def _cause(finding: Finding, confidence: str, line: Line | None) -> Cause:
    return Cause(
        id=finding.issue or finding.id,
        title=finding.message,
        confidence=confidence,
        line=line,
        remedy=finding.remedy,
        verify=finding.verify,
        rule=finding.id,
        issue=finding.issue,
        severity=finding.severity.value,
        evidence=finding.evidence,
        is_proved=True,
    )
