"""What the commands that ask about a place share: the options that name one, and the matrix they ask."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from compat.cli import knowledge, output
from compat.matrix.load import Matrix

Platform = Annotated[
    Optional[str],  # noqa: UP045 - typer reads these on Python 3.10
    typer.Option(
        "--platform", metavar="NAME", help="macos-arm64, macos-x86_64, linux-x86_64… (default: this machine)."
    ),
]
PythonVersion = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--python", metavar="X.Y", help="Only what has wheels for that Python."),
]
Macos = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--macos", metavar="VERSION", help="The macOS version, like 14.5."),
]
Chip = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--chip", metavar="NAME", help="The chip, like 'Apple M1'."),
]


def matrix() -> Matrix:
    """Return the matrix in use, and say on stderr where an updated copy is there and not in use. Raises BadMatrix."""
    found = knowledge.matrix()
    if found.place.passed_over:
        output.talk(f"note: {found.place.passed_over}")
    return found
