"""``tfcompat matrix why``: whether some packages go together, and the chain of facts that shows it."""

from __future__ import annotations

from typing import Annotated

import typer

from compat.cli import options, output
from compat.cli.matrix import asked


def why(
    packages: Annotated[
        list[str], typer.Argument(metavar="PACKAGES", help="Requirements: 'tensorflow==2.20 tensorflow-metal'.")
    ],
    *,
    platform: asked.Platform = None,
    python: asked.PythonVersion = None,
    macos: asked.Macos = None,
    chip: asked.Chip = None,
    format: Annotated[options.Format, typer.Option("--format", help="How to tell it.")] = options.Format.COLUMNS,
) -> None:
    """Say whether packages go together on this machine or a named one, and why: each fact with its source."""
    from compat.cli.matrix.place import place_of
    from compat.plan.evidence.question import parse
    from compat.plan.evidence.why import why as answered
    from compat.report import why as told

    matrix = asked.matrix()
    question = parse(" ".join(packages), matrix)
    place = place_of(
        matrix, platform=platform, python=python, macos=macos, chip=chip, plugin=question.plugin is not None
    )
    answer = answered(question, place, matrix)
    if format is options.Format.JSON:
        output.emit(told.as_json(answer))
    elif format is options.Format.MARKDOWN:
        output.emit(told.as_markdown(answer))
    else:
        output.emit(told.as_text(answer, output.style(verbose=0, quiet=False)))
