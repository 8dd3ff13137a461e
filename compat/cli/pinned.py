"""What ``tfcompat-pins`` and ``tfcompat pins`` do alike with what was judged: tell it, show the edits, make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat.cli import output, pinning
from compat.cli.pinning import Asked, Checked
from compat.errors import ExitCode, UsageError, one_line, printable

if TYPE_CHECKING:
    from compat.cli.amending import Amended


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to become of the judgement."""

    format: str = "columns"
    fix: bool = False
    diff: bool = False
    """Show what ``fix`` would write, and write nothing."""


def run(paths: Sequence[Path], asked: Asked, wish: Wish) -> int:
    """Judge files and do what is wished with the answer; return the exit code. Raises as ``pinning.check``."""
    if wish.diff and wish.format != "columns":
        raise UsageError(f"--diff shows edits, not {wish.format}", hint="leave one of the two out")
    checked = pinning.check(paths, asked)
    if not checked.files and any(path.is_dir() for path in paths):
        output.talk("no dependency file found")
    failed = False
    if wish.fix or wish.diff:
        from compat.cli import amending

        amended = amending.amend(checked, asked)
        _refusals(amended)
        if wish.diff:
            from compat.builder.amend import diff

            output.emit("".join(_shown(diff(change)) for change in amended.changes))
            return _code(checked)
        checked, failed = amended.checked, _put(amended)
        if failed:  # tell what stands on the disk, not what was meant
            checked = pinning.check(paths, asked)
    output.emit(told(checked, wish.format))
    return ExitCode.CANNOT if failed else _code(checked)


def _shown(patch: str) -> str:
    """Return a patch byte for byte where it goes to a file or a program, and printable where it goes to a screen."""
    if not output.on_screen():
        return patch
    lines = ("\t".join(map(printable, line.split("\t"))) for line in patch.replace("\r\n", "\n").split("\n"))
    return "\n".join(lines)


def told(checked: Checked, format: str) -> str:
    """Return the judgement in one of the formats."""
    from compat.report import pinned

    if format == "columns":
        return pinned.as_lines(checked.files)
    if format == "github":
        from compat.report.annotations import workflow_commands

        return workflow_commands(checked.files)
    from compat.report import json

    return json.text(values(checked) if format == "json" else _sarif(checked))


def values(checked: Checked) -> dict[str, Any]:
    """Return the judgement as ``--format json`` tells it, as plain values."""
    from compat.report import pinned

    return pinned.values(checked.files, ok=checked.ok)


def _sarif(checked: Checked) -> dict[str, Any]:
    from compat import __version__
    from compat.cli import amending
    from compat.report.sarif import Described, sarif
    from compat.verdict.pins.rules import RULES

    edits, texts = amending.fixes(checked.files)
    rules = [
        Described(id=rule.id, title=rule.title, text=cleandoc(rule.__doc__ or ""), severity=rule.severity)
        for rule in RULES
    ]
    return sarif(checked.files, rules, __version__, lambda row: edits.get(row, ()), texts)


def _put(amended: Amended) -> bool:
    """Write the files, telling which; return whether one could not be written."""
    from compat.cli import amending

    failed = amending.put(amended)
    for change in amended.changes:
        if not any(str(change.path) == path for path, _ in failed):
            output.talk(f"fixed: {one_line(str(change.path))}")
    for _, error in failed:
        output.talk(f"not fixed: {error.message}")
    return bool(failed)


def _refusals(amended: Amended) -> None:
    for row in amended.refusals:
        output.talk(f"not fixed: {one_line(row.path)}:{row.line}: {row.id} {one_line(row.why)}")


def _code(checked: Checked) -> int:
    return ExitCode.HEALTHY if checked.ok else ExitCode.FINDINGS
