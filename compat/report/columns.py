"""A judgement for a terminal: calm, one line a check, the root cause first, meaning never by colour alone."""

from __future__ import annotations

import textwrap
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
from compat.report.style import Style
from compat.verdict.finding import Finding, Severity, Status


def columns(document: Document, style: Style) -> str:
    """Return the whole report as text."""
    findings = document.verdict.findings
    lines = [] if style.quiet else list(_head(document, style))
    for finding in of_status(findings, Status.FAILS, Status.CRASHED):
        if not (style.quiet and finding.severity is Severity.INFO):
            lines += _finding(finding, depth(finding, findings), style)
    if not style.quiet:
        lines += _rest(findings, style)
    lines += [*([""] if lines else []), *_last(document, style)]
    text = "\n".join(lines) + "\n"
    return text if style.unicode else text.encode("ascii", "replace").decode("ascii")


def _head(document: Document, style: Style) -> Iterator[str]:
    facts = document.facts
    rows = {
        "machine": machine_line(facts),
        "python": interpreter_line(facts),
        "tensorflow": tensorflow_line(facts),
        "smoke test": smoke_line(facts),
    }
    for name, text in rows.items():
        yield f"{style.paint(f'{name:<11}', '1')} {one_line(text)}"
    if facts.origin != "measured here":
        yield f"{style.paint('facts      ', '1')} {one_line(facts.origin)}"
    yield ""


def kind_of(finding: Finding) -> str:
    """Return the kind of line a finding gets."""
    if finding.status is not Status.FAILS:
        return str(finding.status.value)
    by_severity = {Severity.ERROR: "fails", Severity.WARNING: "warns", Severity.INFO: "info"}
    return by_severity[finding.severity]


def _finding(finding: Finding, level: int, style: Style) -> list[str]:
    indent = "  " * level
    first = f"{indent}{style.sign(kind_of(finding))} {finding.id}  "
    hang = " " * (len(indent) + len(finding.id) + 4)
    lines = _wrapped(one_line(finding.message), first, hang, style, pad=len(indent) + len(finding.id) + 4)
    if level == 0 or style.verbose:
        lines += _why(finding, hang, style) + _remedy(finding, hang, style)
    return lines


def _wrapped(text: str, first: str, hang: str, style: Style, *, pad: int) -> list[str]:
    """Wrap by visible width: colour codes in ``first`` take no room."""
    pieces = textwrap.wrap(text, max(30, style.width - pad), break_long_words=False, break_on_hyphens=False) or [""]
    return [first + pieces[0], *(hang + piece for piece in pieces[1:])]


def _why(finding: Finding, hang: str, style: Style) -> list[str]:
    lines: list[str] = []
    for evidence in finding.evidence if style.verbose else finding.evidence[:3]:
        source = f" ({evidence.source})" if evidence.source else ""
        text = one_line(f"{evidence.fact}{source}")
        lines += _wrapped(text, f"{hang}seen: ", f"{hang}      ", style, pad=len(hang) + 6)
    return lines


def _remedy(finding: Finding, hang: str, style: Style) -> list[str]:
    lines: list[str] = []
    if finding.remedy.text:
        text = one_line(finding.remedy.text)
        lines += _wrapped(text, f"{hang}do:   ", f"{hang}      ", style, pad=len(hang) + 6)
    lines += [f"{hang}      {style.paint('$ ' + one_line(command), '1')}" for command in finding.remedy.commands]
    if finding.verify:
        lines.append(f"{hang}then: {one_line(finding.verify)}")
    return lines


def _rest(findings: tuple[Finding, ...], style: Style) -> Iterator[str]:
    """What could not be answered, and what is well."""
    unknown = of_status(findings, Status.UNKNOWN)
    passed = of_status(findings, Status.PASSES, Status.SKIPPED)
    if style.verbose:
        for finding in (*unknown, *passed):
            yield f"{style.sign(finding.status.value)} {finding.id}  {one_line(finding.message)}"
        return
    if unknown:
        ids = ", ".join(dict.fromkeys(finding.id for finding in unknown))
        text = f"{len(unknown)} could not be answered (add -v to see why): {ids}"
        yield from _wrapped(text, f"{style.sign('unknown')} ", "  ", style, pad=2)
    if passed:
        yield f"{style.sign('passes')} {_count(len(passed), 'check')} passed"


def _last(document: Document, style: Style) -> Iterator[str]:
    failing = of_status(document.verdict.findings, Status.FAILS)
    errors = [finding for finding in failing if finding.severity is Severity.ERROR]
    warnings = [finding for finding in failing if finding.severity is Severity.WARNING]
    if errors:
        root = next((finding for finding in errors if finding.caused_by is None), errors[0])
        yield style.paint(f"{_count(len(errors), 'error')}, root cause: {root.id}", "1;31")
    elif warnings:
        yield style.paint(f"no errors, {_count(len(warnings), 'warning')}", "1;33")
    else:
        yield style.paint("no fault found", "1;32")
    if any(finding.matrix_used for finding in failing):
        yield f"matrix data of {document.verdict.matrix_date}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
