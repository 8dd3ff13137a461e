"""Judged pin files told as ``file:line:column: ID message`` lines and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compat.errors import one_line
from compat.facts.pins import PinFile
from compat.report.document import SCHEMA_VERSION
from compat.verdict.finding import Severity
from compat.verdict.rules.pins import PinFinding

Judged = Sequence[tuple[PinFile, Sequence[PinFinding]]]


def ok(judged: Judged) -> bool:
    """Tell whether no file has an error."""
    return not any(row.severity is Severity.ERROR for _, found in judged for row in found)


def as_lines(judged: Judged) -> str:
    """Return one line a finding; a file whose format is not read is said to be so."""
    lines: list[str] = []
    for file, found in judged:
        name = one_line(file.path)
        lines += [f"{name}:{row.line}:{row.column}: {row.id} {one_line(row.message)}" for row in found]
        if file.kind == "unknown" and file.problem is None:
            lines.append(f"{name}: seen, not judged: not a format this version reads")
    return "".join(f"{line}\n" for line in lines)


def values(judged: Judged) -> dict[str, Any]:
    """Return ``pins --format json`` as plain values."""
    return {"schema_version": SCHEMA_VERSION, "ok": ok(judged), "files": [_file(*row) for row in judged]}


def _file(file: PinFile, found: Sequence[PinFinding]) -> dict[str, Any]:
    pins = [
        {
            "name": pin.name,
            "specifier": pin.specifier,
            "marker": pin.marker or None,
            "line": pin.line,
            "column": pin.column,
        }
        for pin in file.pins
    ]
    findings = [
        {
            "id": row.id,
            "severity": row.severity.value,
            "line": row.line,
            "column": row.column,
            "message": row.message,
            "targets": list(row.targets),
        }
        for row in found
    ]
    return {"path": file.path, "pins": pins, "findings": findings}
