"""``tfcompat matrix``: what is known, and whether the data is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from compat.cli import knowledge, options, output
from compat.errors import CannotLook, ExitCode, UsageError
from compat.matrix.load import Matrix, load

app = typer.Typer(help="Show and check what is known.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
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


@app.command()
def check(
    root: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(metavar="[DIR]", help="A matrix folder (default: the one in use)."),
    ] = None,
) -> None:
    """Check the matrix data: ids, sources, references, versions, shapes."""
    from compat.matrix.lint import lint

    folder = root or load().root
    if not folder.is_dir() or not Matrix(folder).distributions:
        raise CannotLook(f"{folder} holds no releases: it is no matrix", hint="name a folder like matrices/")
    problems = lint(folder)
    output.emit("".join(f"{problem.address}: {problem.text}\n" for problem in problems) or "the matrix is sound\n")
    raise typer.Exit(ExitCode.FINDINGS if problems else ExitCode.HEALTHY)
