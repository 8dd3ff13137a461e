"""``tfcompat matrix show``: pairs, and the tier of evidence each reached."""

from __future__ import annotations

from typing import Annotated

import typer

from compat.cli import knowledge, options, output
from compat.errors import UsageError


def show(
    *,
    links: Annotated[bool, typer.Option("--links", help="Every judged pair: does the plugin load?")] = False,
    arch: Annotated[str, typer.Option("--arch", help="arm64 or x86_64.")] = "arm64",
    format: Annotated[
        options.PlainFormat, typer.Option("--format", help="How to tell it.")
    ] = options.PlainFormat.COLUMNS,
) -> None:
    """Show TensorFlow × plugin, with the tier of evidence each pair reached (--links: the binaries' answer only)."""
    from compat.report import known as told

    matrix = knowledge.matrix()
    known = sorted({row.arch for row in matrix.links()})
    if arch not in known:
        raise UsageError(f"no pair is known for the architecture {arch}", hint=f"one of {', '.join(known)}")
    rows = [row for row in matrix.links() if row.arch == arch]
    if format is options.PlainFormat.JSON:
        output.emit(told.links_json(rows))
    elif links:
        output.emit(told.links_text(rows))
    else:
        output.emit(told.grid_text(rows, matrix.observed()))
