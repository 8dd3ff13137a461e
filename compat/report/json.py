"""Documents for other programs: versioned, keys sorted as declared, nothing that needs a Python to read."""

from __future__ import annotations

import json as _json
from typing import Any

from compat.facts.capture import SCHEMA_VERSION as CAPTURE_VERSION
from compat.facts.capture import Facts
from compat.facts.codec import encode
from compat.report.document import SCHEMA_VERSION, Document
from compat.verdict.finding import Finding


def text(value: object) -> str:
    """Return JSON text of plain values: indented, UTF-8, finite numbers only, nothing a terminal would obey."""
    whole = _json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if all(line.isprintable() for line in whole.split("\n")):
        return whole
    return "".join(char if char.isprintable() or char == "\n" else _json.dumps(char)[1:-1] for char in whole)


def doctor(document: Document) -> str:
    """Return ``doctor --format json``; its shape is ``report/schemas/doctor.schema.json``."""
    return text(
        {
            "schema_version": SCHEMA_VERSION,
            "tool_version": document.tool_version,
            "matrix_date": document.verdict.matrix_date,
            "ok": document.ok,
            "facts": encode(document.facts),
            "findings": [finding(row) for row in document.verdict.findings],
        }
    )


def finding(row: Finding) -> dict[str, Any]:
    """Return one finding as plain values."""
    return {
        "id": row.id,
        "status": row.status.value,
        "severity": row.severity.value,
        "message": row.message,
        "evidence": [encode(evidence) for evidence in row.evidence],
        "remedy": {"commands": list(row.remedy.commands), "text": row.remedy.text},
        "verify": row.verify,
        "caused_by": row.caused_by,
        "issue": row.issue,
        "url": row.url,
    }


def capture(facts: Facts, tool_version: str) -> str:
    """Return ``tfcompat facts``: what ``doctor --facts`` reads."""
    return text({"schema_version": CAPTURE_VERSION, "tool_version": tool_version, "facts": encode(facts)})
