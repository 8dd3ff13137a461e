"""A diagnosis of a pasted text, told as text, JSON and Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from compat.errors import one_line, without_secrets
from compat.facts.codec import encode
from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.report.markdown import escape
from compat.report.style import Style
from compat.verdict.diagnose.cause import Cause, Diagnosis

NOTHING = "unknown: nothing known explains this text"
_SIGNS = {"high": "fails", "medium": "warns", "low": "unknown"}
_SHOWN_EVIDENCE = 3


def values(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return ``explain --format json`` as plain values."""
    return {
        "schema_version": SCHEMA_VERSION,
        "matrix_date": diagnosis.matrix_date,
        "causes": [_values(cause) for cause in diagnosis.causes],
        "missing_facts": list(diagnosis.missing_facts),
        "send": list(diagnosis.send),
        "stated": [without_secrets(row) for row in diagnosis.stated],
    }


def _values(cause: Cause) -> dict[str, Any]:
    return {
        "id": cause.id,
        "confidence": cause.confidence,
        "line": without_secrets(cause.line.text) if cause.line else None,
        "remedy": {"commands": list(cause.remedy.commands), "text": cause.remedy.text},
        "line_number": cause.line.number if cause.line else None,
        "title": cause.title,
        "severity": cause.severity,
        "rule": cause.rule,
        "issue": cause.issue,
        "evidence": [encode(replace(row, fact=without_secrets(row.fact))) for row in cause.evidence],
        "verify": cause.verify,
        "consequences": list(cause.consequences),
    }


def as_json(diagnosis: Diagnosis) -> str:
    """Return ``explain --format json``."""
    return json.text(values(diagnosis))


def columns(diagnosis: Diagnosis, style: Style) -> str:
    """Return the diagnosis for a terminal: the likeliest cause first, what is not known last."""
    lines = [line for cause in diagnosis.causes for line in _cause(cause, style)]
    if not diagnosis.causes:
        lines += [f"{style.sign('unknown')} {NOTHING}", ""]
    if diagnosis.stated:
        lines += _wrapped(", ".join(diagnosis.stated), "read:   ", style)
    if diagnosis.missing_facts:
        lines += _wrapped("; ".join(diagnosis.missing_facts), "unknown: ", style)
    if diagnosis.send:
        lines.append("to be sure, send what these print:")
        lines += [f"        {style.paint('$ ' + one_line(command), '1')}" for command in diagnosis.send]
    if diagnosis.causes:
        lines.append(f"matrix data of {diagnosis.matrix_date}")
    text = "\n".join(lines) + "\n"
    return text if style.unicode else text.encode("ascii", "replace").decode("ascii")


def _cause(cause: Cause, style: Style) -> Iterator[str]:
    yield from _wrapped(
        cause.title, f"{style.sign(_SIGNS[cause.confidence])} {cause.id}  ", style, pad=len(cause.id) + 4
    )
    hang = "    "
    yield f"{hang}confidence: {cause.confidence}"
    if cause.line:
        yield from _wrapped(cause.line.text, f"{hang}line {cause.line.number}: ", style)
    for fact, sources in _facts(cause):
        source = f" ({', '.join(sources)})" if sources else ""
        yield from _wrapped(f"{fact}{source}", f"{hang}known: ", style)
    if cause.remedy.text:
        yield from _wrapped(cause.remedy.text, f"{hang}do:    ", style)
    for command in cause.remedy.commands:
        yield f"{hang}       {style.paint('$ ' + one_line(command), '1')}"
    if cause.verify:
        yield f"{hang}then:  {one_line(cause.verify)}"
    if cause.consequences:
        yield f"{hang}explains also: {', '.join(cause.consequences)}"
    yield ""


def _facts(cause: Cause) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each fact that is shown once, with all the sources it has."""
    sources: dict[str, list[str]] = {}
    for row in cause.evidence:
        known = sources.setdefault(row.fact, [])
        if row.source and row.source not in known:
            known.append(row.source)
    for fact in list(sources)[:_SHOWN_EVIDENCE]:
        yield fact, tuple(sources[fact])


def _wrapped(text: str, first: str, style: Style, pad: int | None = None) -> list[str]:
    """Wrap by visible width; colour codes in ``first`` take no room, so its width may be given."""
    wide = len(first) if pad is None else pad
    pieces = textwrap.wrap(without_secrets(one_line(text)), max(30, style.width - wide), break_on_hyphens=False) or [""]
    return [first + pieces[0], *(" " * wide + piece for piece in pieces[1:])]


def markdown(diagnosis: Diagnosis) -> str:
    """Return the diagnosis as GitHub-flavoured Markdown."""
    return "\n".join(_markdown(diagnosis)) + "\n"


def _markdown(diagnosis: Diagnosis) -> Iterator[str]:
    yield "### tfcompat explain"
    yield ""
    for cause in diagnosis.causes:
        yield f"- **{cause.id}** ({cause.confidence} confidence) {escape(cause.title)}"
        if cause.line:
            yield f"  - line {cause.line.number}: {escape(without_secrets(cause.line.text))}"
        for fact, sources in _facts(cause):
            yield f"  - known: {escape(without_secrets(fact))}" + (
                f" ({escape(', '.join(sources))})" if sources else ""
            )
        if cause.remedy.text:
            yield f"  - do: {escape(cause.remedy.text)}"
        for command in cause.remedy.commands:
            yield f"  - `{one_line(command).replace('`', '')}`"
    if not diagnosis.causes:
        yield f"{NOTHING[0].upper()}{NOTHING[1:]}."
    for title, rows in (("read", diagnosis.stated), ("not known", diagnosis.missing_facts)):
        if rows:
            yield ""
            yield f"{title}: {escape(without_secrets(', '.join(rows)))}"
    if diagnosis.send:
        yield ""
        yield "send what these print: " + ", ".join(f"`{one_line(row).replace('`', '')}`" for row in diagnosis.send)
    yield ""
    yield f"<sub>matrix of {diagnosis.matrix_date}</sub>"
