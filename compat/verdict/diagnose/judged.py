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
from compat.verdict.diagnose.picture import Picture, releases_of
from compat.verdict.diagnose.scenario import scenarios
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
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
    yield from _any_plugin(pasted, picture, matrix)
    ways = scenarios(picture, matrix)
    if not ways:
        return
    rules = tuple(rule for rule in RULES if rule.id in ASKED_OF_WORDS)
    found = [_failing(judge(facts, matrix, rules).findings) for facts in ways]
    for key, finding in found[0].items():
        if all(key in other for other in found) and finding.severity is not Severity.INFO:
            if finding.id == "BIN401" and not _none_loads(picture, matrix):
                continue
            named = replace(finding, issue=finding.issue or _issue(finding.id, picture, matrix))
            cause = _cause(named, _confidence(finding, pasted, picture), _line(finding, picture))
            yield replace(cause, missing=_missing(finding, picture))


def _any_plugin(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield that no release of the plugin, whose version is not stated, loads beside the stated TensorFlow."""
    plugins = picture.packages.get(APPLE_PLUGIN, ())
    versions = {*_meant("tensorflow", picture, matrix)}
    rows = [row for row in matrix.links() if row.plugin == APPLE_PLUGIN and row.tensorflow in versions]
    issue = _issue("BIN401", picture, matrix) if plugins and not any(row.value for row in plugins) else None
    known = {row.tensorflow for row in rows}
    if issue is None or pasted.works or not rows or any(row.loads for row in rows) or versions - known:
        return
    found = next(row for row in matrix.issues() if row.id == issue)
    yield Cause(
        id=found.id,
        title=found.title,
        confidence=MEDIUM if any(row.how == SEEN for row in plugins) and not pasted.errors else LOW,
        line=plugins[0].line,
        remedy=Remedy(text=found.remedy, commands=found.commands),
        verify=found.verify,
        rule="BIN401",
        issue=found.id,
        evidence=(
            Evidence(fact=f"none of {len(rows)} pairs with {APPLE_PLUGIN} loads", source="matrix: links", tier="links"),
        ),
        missing=(APPLE_PLUGIN,),
        is_proved=True,
    )


def _none_loads(picture: Picture, matrix: Matrix) -> bool:
    """Tell whether no pair of the releases that may be meant loads: between the ends of a range others may."""
    tensorflows, plugins = ({*_meant(name, picture, matrix)} for name in ("tensorflow", APPLE_PLUGIN))
    return not any(
        row.loads and row.tensorflow in tensorflows and row.plugin_version in plugins for row in matrix.links()
    )


def _meant(name: str, picture: Picture, matrix: Matrix) -> Iterator[str]:
    for row in picture.versions(name):
        yield from releases_of(row, matrix)


def _missing(finding: Finding, picture: Picture) -> tuple[str, ...]:
    if finding.id == "PY201" and picture.process_assumed:
        return ("process",)
    if finding.id == "BIN401":
        return tuple(name for name in ("tensorflow", APPLE_PLUGIN) if not _is_exact(name, picture))
    return ()


def _is_exact(name: str, picture: Picture) -> bool:
    rows = picture.versions(name)
    return bool(rows) and all(row.is_exact for row in rows)


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
    if finding.id == "PY201" and picture.process_assumed:
        return LOW  # what follows from a version alone: conda and Apple had releases of their own
    if finding.id in _PROOFS and not pasted.errors and not picture.process_assumed:
        return HIGH if finding.id != "BIN401" or not _missing(finding, picture) else MEDIUM
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
