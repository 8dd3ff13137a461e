"""``tfcompat matrix check``: the lint of a matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from compat.cli import output
from compat.errors import CannotLook, ExitCode
from compat.matrix.load import Matrix, load


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
