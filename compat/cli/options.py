"""The options commands share, each spelled once."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

Python = Annotated[
    Optional[str],  # noqa: UP045 - typer reads these on Python 3.10
    typer.Option("--python", metavar="PYTHON", help="An interpreter: a path, a name on PATH, or a version like 3.12."),
]
Venv = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--venv", metavar="DIR", help="An environment's folder."),
]
FactsFile = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--facts", metavar="FILE", help="Judge a captured machine (made by `tfcompat facts`)."),
]
Verbose = Annotated[int, typer.Option("-v", "--verbose", count=True, help="Tell more.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Tell only what is wrong.")]

Export = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--export", metavar="FORMATS", help="Write the lock out: pylock, requirements, environment.yml, or several."
    ),
]
Output = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--output", "-o", metavar="DIR", help="Where --export writes its files (one format: to stdout)."),
]
LockName = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--lock", metavar="NAME", help="With --export: this lock in place of the plan's."),
]
LockPlatform = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--platform", metavar="PLATFORM", help="With --export: for another machine, as macos-arm64."),
]
Force = Annotated[bool, typer.Option("--force", help="With --export: replace files that are there.")]


class Format(str, Enum):
    """How a report is told."""

    COLUMNS = "columns"
    JSON = "json"
    MARKDOWN = "markdown"


class PlainFormat(str, Enum):
    """How a list is told."""

    COLUMNS = "columns"
    JSON = "json"


class Level(str, Enum):
    """How much the smoke test runs."""

    QUICK = "quick"
    STANDARD = "standard"
    FULL = "full"
