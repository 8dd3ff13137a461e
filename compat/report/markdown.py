"""A judgement for an issue tracker: what was seen, what failed, what to do; masking happened when it was looked at."""

from __future__ import annotations

from collections.abc import Iterator

from compat.errors import one_line
from compat.report.document import (
    Document,
    depth,
    interpreter_line,
    machine_line,
    of_status,
    smoke_line,
    tensorflow_line,
)
from compat.verdict.finding import Finding, Status

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>#|~"})


def escape(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return one_line(text).translate(_SPECIAL)


def markdown(document: Document) -> str:
    """Return the whole report as GitHub-flavoured Markdown."""
    return "\n".join((*_head(document), *_findings(document), *_foot(document))) + "\n"


def _head(document: Document) -> Iterator[str]:
    facts = document.facts
    yield "### tfcompat doctor"
    yield ""
    yield "| what | found |"
    yield "|---|---|"
    yield f"| machine | {escape(machine_line(facts))} |"
    yield f"| python | {escape(interpreter_line(facts))} |"
    yield f"| tensorflow | {escape(tensorflow_line(facts))} |"
    yield f"| smoke test | {escape(smoke_line(facts))} |"
    yield ""


def _findings(document: Document) -> Iterator[str]:
    findings = document.verdict.findings
    failing = of_status(findings, Status.FAILS, Status.CRASHED)
    if not failing:
        yield "No fault found."
    for finding in failing:
        yield from _finding(finding, "  " * depth(finding, findings))


def _finding(finding: Finding, indent: str) -> Iterator[str]:
    yield f"{indent}- **{finding.id}** ({finding.severity.value}) {escape(finding.message)}"
    for evidence in finding.evidence:
        source = f" ({escape(evidence.source)})" if evidence.source else ""
        yield f"{indent}  - seen: {escape(evidence.fact)}{source}"
    if finding.remedy.text:
        yield f"{indent}  - do: {escape(finding.remedy.text)}"
    for command in finding.remedy.commands:
        yield f"{indent}  - `{one_line(command).replace('`', '')}`"


def _foot(document: Document) -> Iterator[str]:
    unknown = of_status(document.verdict.findings, Status.UNKNOWN)
    passed = of_status(document.verdict.findings, Status.PASSES)
    yield ""
    noun = "check" if len(passed) == 1 else "checks"
    yield f"{len(passed)} {noun} passed, {len(unknown)} could not be answered."
    yield ""
    yield f"<sub>tfcompat {document.tool_version}, matrix of {document.verdict.matrix_date}</sub>"
