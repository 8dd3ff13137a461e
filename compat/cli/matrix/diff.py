"""``tfcompat matrix diff``: two matrices compared fact by fact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compat.cli import options, output
from compat.errors import BadMatrix


def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A matrix folder, or its compiled/ folder.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another one.")],
    *,
    format: Annotated[options.Format, typer.Option("--format", help="How to tell it.")] = options.Format.COLUMNS,
) -> None:
    """Say which facts two matrices differ in, as release notes; the exit code is 0 whether they do or not."""
    from compat.matrix import diff as compare
    from compat.matrix.trees import remembering, tree
    from compat.report import changes as told

    read = remembering()
    trees = [tree(root, read) for root in (old, new)]
    try:
        found = compare.diff(*trees)
    except BadMatrix as error:
        raise BadMatrix(
            error.message, hint=f"`tfcompat matrix check` on {old} and {new} names every problem"
        ) from error
    if format is options.Format.JSON:
        output.emit(told.as_json(found))
    elif format is options.Format.MARKDOWN:
        output.emit(told.as_markdown(found))
    else:
        output.emit(told.as_text(found, output.style(verbose=0, quiet=False)))
