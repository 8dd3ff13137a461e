"""``tfcompat pins``: judge pins in dependency files; the same as the hook."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from compat.cli.pinned import Wish, run
from compat.cli.pinning import Asked


class PinFormat(str, Enum):
    """How judged pins are told."""

    COLUMNS = "columns"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


class Lowest(str, Enum):
    """The lowest severity that is told."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


def pins(  # noqa: PLR0913 - an argument an option
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Files, or folders to search for dependency files.")
    ],
    *,
    format: Annotated[PinFormat, typer.Option("--format", help="How to tell it.")] = PinFormat.COLUMNS,
    severity: Annotated[
        Optional[Lowest],  # noqa: UP045 - typer reads these on Python 3.10
        typer.Option("--severity", help="The lowest that is told (default: info)."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings too.")] = False,
    select: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--select", metavar="ID", help="Only ids that begin so (repeatable)."),
    ] = None,
    ignore: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--ignore", metavar="ID", help="Not the ids that begin so (repeatable)."),
    ] = None,
    target: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--target", metavar="PLATFORM", help="Judge for macos-arm64 … (repeatable)."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Read Markdown too.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Make the smallest edits that cure what was found.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show these edits and write nothing.")] = False,
) -> None:
    """Judge TensorFlow pins in dependency files: no network, no TensorFlow, no project environment."""
    asked = Asked(
        targets=tuple(target or ()),
        ignore=tuple(ignore or ()),
        select=tuple(select or ()),
        severity=severity.value if severity else None,
        strict=strict,
        markdown=markdown,
    )
    raise typer.Exit(run(files, asked, Wish(format=format.value, fix=fix, diff=diff)))
