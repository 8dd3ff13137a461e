"""Findings as GitHub's workflow commands, which it shows beside the lines of a pull request.

Escaping as actions/toolkit does it: ``%``, CR and LF everywhere, ``:`` and ``,`` in properties too.
https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
"""

from __future__ import annotations

from collections.abc import Iterable

from compat.errors import one_line, printable, without_secrets
from compat.report.pinned import place_of
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def workflow_commands(judged: Iterable[JudgedFile]) -> str:
    """Return one workflow command a finding."""
    lines = [_command(found, place_of(row, found)) for row in judged for found in row.findings]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _command(finding: PinFinding, path: str) -> str:
    place = f"file={_property(_plain(path))},line={finding.line},col={finding.column},title={_property(finding.id)}"
    return f"::{_COMMANDS[finding.severity]} {place}::{_data(without_secrets(one_line(finding.message)))}"


def _plain(path: str) -> str:
    """Return a path without what a terminal would obey; line ends stay, to be escaped."""
    return "".join(char if char in "\r\n" else printable(char) for char in path)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
