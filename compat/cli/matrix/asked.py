"""The options that name a place, shared by the commands that ask about one."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

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
