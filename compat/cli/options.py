"""The options commands share, each spelled once."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from compat.cli.examine import FULL_SECONDS, SMOKE_SECONDS


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


class SmokeFormat(str, Enum):
    """How the results of the smoke test are told."""

    COLUMNS = "columns"
    JSON = "json"
    HTML = "html"


class Mode(str, Enum):
    """How an operation is called."""

    EAGER = "eager"
    GRAPH = "graph"
    XLA = "xla"


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

# Of `doctor`.
Target = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--target", metavar="DIR", help="A folder installed for another platform (uv pip install --target)."),
]
TargetPlatform = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--platform", metavar="PLATFORM", help="What --target was installed for: macos-arm64, macos-x86_64."),
]
TargetPython = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--python-version", metavar="X.Y", help="The Python that --target was installed for."),
]
NoSmoke = Annotated[bool, typer.Option("--no-smoke", help="Do not run the numerical smoke test.")]
DoctorLevel = Annotated[Level, typer.Option("--level", help="How much the smoke test runs.")]
DoctorTimeout = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        "--timeout",
        min=1,
        help=f"Seconds the smoke test may take (default: {SMOKE_SECONDS:g}; full: {FULL_SECONDS:g}).",
    ),
]
ReportFormat = Annotated[Format, typer.Option("--format", help="How to tell it.")]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings and crashed checks fail too.")]
ListChecks = Annotated[bool, typer.Option("--list-checks", help="List the checks and stop.")]
Select = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--select", metavar="ID", help="Only checks whose id starts so (BIN, TF3…); repeatable."),
]
Ignore = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--ignore", metavar="ID", help="Leave out checks whose id starts so; repeatable."),
]

# Of `smoke`.
Devices = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--device", metavar="DEVICE", help="CPU, GPU:0…; repeatable (default: every device)."),
]
SmokeLevel = Annotated[
    Optional[Level],  # noqa: UP045
    typer.Option("--level", help="How much runs (default: quick); standard trains, full takes minutes."),
]
Only = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--only", metavar="ID", help="Only checks whose ids begin so: conv2d, conv2d/k3_odd."),
]
BatchSize = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--batch-size", min=1, metavar="N", help="With --level full: the batch size that is timed."),
]
Repro = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--repro", metavar="ID", help="Print a program that makes this check alone, to file upstream."),
]
ReproMode = Annotated[
    Optional[Mode],  # noqa: UP045
    typer.Option("--mode", help="With --repro: how it calls the operation (default: as it fails here, else graph)."),
]
ListThem = Annotated[bool, typer.Option("--list", help="List the checks of a level (default: all); run none.")]
SmokeTimeout = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option("--timeout", min=1, help=f"Seconds it may take (default: {SMOKE_SECONDS:g}; full: {FULL_SECONDS:g})."),
]
SmokeFormatted = Annotated[SmokeFormat, typer.Option("--format", help="How to tell it.")]
OutputFile = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--output", "-o", metavar="FILE", help="Write it there, not to stdout."),
]

# Of `fix`.
BuildDirectory = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Argument(
        metavar="[DIR]",
        help="Where to build (default .venv-tf); with --in-place, --rollback: which one (default: that at hand).",
    ),
]
CreateVenv = Annotated[bool, typer.Option("--create-venv", help="Build the environment, verify it, hand it over.")]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Replace the environment once a new one has passed; the old one is kept.")
]
Rollback = Annotated[bool, typer.Option("--rollback", help="Put back what --in-place replaced.")]
WantedPython = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--python", metavar="X.Y", help="The Python it must have."),
]
WantedTensorFlow = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--tensorflow", metavar="SET", help="The TensorFlow it must have: 2.18.1, or '>=2.16'."),
]
CpuOnly = Annotated[bool, typer.Option("--cpu", help="Without a GPU plugin.")]
GpuOnly = Annotated[bool, typer.Option("--gpu", help="With the GPU, or not at all (an Intel Mac's must be asked for).")]
Requirements = Annotated[
    Optional[list[Path]],  # noqa: UP045
    typer.Option("--with", metavar="FILE", help="Your other requirements, resolved together with it; repeatable."),
]
KernelName = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--kernel", metavar="NAME", help="Register a Jupyter kernel of that name."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; replace an environment tfcompat made.")]
Offline = Annotated[bool, typer.Option("--offline", help="Use uv's cache only.")]
FromBundle = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--bundle", metavar="DIR", help="Build what `tfcompat bundle` put there, without a network."),
]
AcceptFailing = Annotated[
    bool, typer.Option("--accept-failing", help="Hand it over even if its numbers were seen to be wrong.")
]
PlainFormatted = Annotated[PlainFormat, typer.Option("--format", help="How to tell it.")]
