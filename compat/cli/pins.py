"""``tfcompat pins``: judge pins in dependency files; the same as the hook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compat.cli import options, output
from compat.errors import ExitCode


def pins(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Requirements files, pyproject.toml.")],
    *,
    format: Annotated[
        options.PlainFormat, typer.Option("--format", help="How to tell it.")
    ] = options.PlainFormat.COLUMNS,
) -> None:
    """Judge TensorFlow pins in dependency files: no network, no TensorFlow, no project environment."""
    from compat.cli.hook import check

    text, good = check(files, as_json=format is options.PlainFormat.JSON)
    output.emit(text)
    raise typer.Exit(ExitCode.HEALTHY if good else ExitCode.FINDINGS)
