"""Findings as SARIF 2.1.0, which GitHub's code scanning and editors read.

Specification: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compat.errors import one_line, without_secrets
from compat.plan.amend import Edit
from compat.report.pinned import place_of
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://pypi.org/project/tfcompat/"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
"""What a URI's path takes as it is (RFC 3986, unreserved, and the slash)."""

Fixes = Callable[[PinFinding], Sequence[Edit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A rule as the report introduces it."""

    id: str
    title: str
    text: str
    severity: Severity


def sarif(
    judged: Iterable[JudgedFile], rules: Sequence[Described], version: str, fixes: Fixes, texts: Mapping[str, str]
) -> dict[str, Any]:
    """Return the log as plain values; ``fixes`` gives a finding's edits, ``texts`` the files they are in."""
    index = {rule.id: at for at, rule in enumerate(rules)}
    seen: dict[str, int] = {}
    results: dict[str, dict[str, Any]] = {}
    for row in judged:
        for found in row.findings:
            key = f"{place_of(row, found)}\0{found.line}\0{found.column}\0{found.id}\0{found.message}"
            if key not in results:
                results[key] = _result(found, place_of(row, found), index, seen, _fix(fixes(found), texts))
    driver = {"name": "tfcompat", "version": version, "informationUri": HOME, "rules": [_rule(rule) for rule in rules]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": list(results.values())}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Described) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.text},
        "helpUri": HOME,
        "help": {"text": f"{rule.text}\n\ntfcompat explain {rule.id}"},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(
    finding: PinFinding, path: str, index: Mapping[str, int], seen: dict[str, int], fix: list[dict[str, Any]]
) -> dict[str, Any]:
    region = {"startLine": max(1, finding.line), "startColumn": max(1, finding.column)}
    place = {"physicalLocation": {"artifactLocation": {"uri": uri(path)}, "region": region}}
    result: dict[str, Any] = {
        "ruleId": finding.id,
        "level": _LEVELS[finding.severity],
        "message": {"text": without_secrets(one_line(finding.message))},
        "locations": [place],
        "partialFingerprints": {"tfcompatPin/v1": _fingerprint(finding, path, seen)},
    }
    if finding.id in index:
        result["ruleIndex"] = index[finding.id]
    return result | ({"fixes": fix} if fix else {})


def _fingerprint(finding: PinFinding, path: str, seen: dict[str, int]) -> str:
    """The same finding keeps its fingerprint when lines move: it is made of file, id and its place among equals."""
    key = f"{finding.id}\0{path}"
    seen[key] = seen.get(key, -1) + 1
    return hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _fix(edits: Sequence[Edit], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in edits:
        replacement = {
            "deletedRegion": _region(texts[edit.path], edit.start, edit.end),
            "insertedContent": {"text": edit.text},
        }
        changes.setdefault(edit.path, []).append(replacement)
    rows = [{"artifactLocation": {"uri": uri(path)}, "replacements": found} for path, found in changes.items()]
    return [{"description": {"text": "make the pins work together"}, "artifactChanges": rows}] if rows else []


def _region(text: str, start: int, end: int) -> dict[str, int]:
    line, column = _place(text, start)
    end_line, end_column = _place(text, end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _place(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def uri(path: str) -> str:
    """Return a path as a URI: relative as it is given, else ``file://``."""
    plain = path.replace("\\", "/").removeprefix("./")
    quoted = "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in plain.encode("utf-8", "surrogateescape")
    )
    return f"file://{quoted}" if plain.startswith("/") else quoted
