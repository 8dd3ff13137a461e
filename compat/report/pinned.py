"""Judged pin files told as ``file:line:column: ID message`` lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from compat.errors import one_line, without_secrets
from compat.facts.pins import Pin, PinFile
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding

NOT_A_FORMAT = "seen, not judged: not a format this version reads"
NOT_ASKED = "markdown (not asked for)"
"""The kind of a Markdown file that was named without the wish to read Markdown."""
NOTHING = "no dependencies"
"""The kind of a file that could have had some by its name, as a program or YAML of any kind."""
_MARKDOWN = "seen, not judged: Markdown is read with --markdown"


def is_ok(judged: Iterable[JudgedFile], *, strict: bool = False) -> bool:
    """Tell whether no file has an error; ``strict``: none a warning either."""
    bad = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return not any(row.severity in bad for file in judged for row in file.findings)


def as_lines(judged: Iterable[JudgedFile]) -> str:
    """Return one line a finding; a file whose format is not read is said to be so."""
    lines: list[str] = []
    for row in judged:
        name = one_line(row.file.path)
        lines += [
            f"{one_line(place_of(row, found))}:{found.line}:{found.column}: {found.id} {_said(found.message)}"
            for found in row.findings
        ]
        lines += [f"{name}: {text}" for text in unjudged(row.file)]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _said(text: str) -> str:
    return without_secrets(one_line(text))


def unjudged(file: PinFile) -> Iterator[str]:
    """Yield why a file was not judged, where it was not."""
    if file.problem is None and file.kind == "unknown":
        yield NOT_A_FORMAT
    elif file.kind == NOT_ASKED:
        yield _MARKDOWN


def place_of(row: JudgedFile, finding: PinFinding) -> str:
    """Return the path of the file a finding stands in."""
    return finding.path or row.file.path


def values(judged: Sequence[JudgedFile], *, ok: bool) -> dict[str, Any]:
    """Return ``pins --format json`` as plain values."""
    from compat.report.document import SCHEMA_VERSION  # all of the facts come with it: lines do without

    return {"schema_version": SCHEMA_VERSION, "ok": ok, "files": [_file(row) for row in judged]}


def _file(row: JudgedFile) -> dict[str, Any]:
    file = row.file
    return {
        "path": file.path,
        "kind": file.kind,
        "pins": [_pin(pin) for pin in file.pins],
        "findings": [_finding(found, place_of(row, found)) for found in row.findings],
        "unread": [
            {
                "line": part.line,
                "column": part.column,
                "text": without_secrets(part.text),
                "why": without_secrets(part.why),
            }
            for part in file.unread
        ],
    }


def _pin(pin: Pin) -> dict[str, Any]:
    return {
        "name": pin.name,
        "specifier": without_secrets(pin.specifier),
        "marker": pin.marker or None,
        "line": pin.line,
        "column": pin.column,
        "extras": list(pin.extras),
        "group": pin.group,
        "admits": None if pin.admits is None else [without_secrets(admitted) for admitted in pin.admits],
    }


def _finding(row: PinFinding, path: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "severity": row.severity.value,
        "line": row.line,
        "column": row.column,
        "message": without_secrets(row.message),
        "targets": list(row.targets),
        "path": path,
    }
