"""The programs of `programs/`, what is planted in each, and which half of the evidence each belongs to.

The half follows from the SHA-256 of the file's name alone, so that nobody can choose it after having seen what a rule says:
an even first byte is the reporting half, which no rule is ever tuned on, an odd one the development half.
"""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "programs"
HEALTHY = "none"
REPORTING, DEVELOPMENT = "reporting", "development"
CAUSES = (
    "loss-explosion",
    "nan",
    "vanishing-gradients",
    "exploding-gradients",
    "learning-rate-too-high",
    "learning-rate-too-low",
    "not-learning",
    "inputs-unscaled",
    "inputs-constant",
    "labels-out-of-range",
    "loss-activation-mismatch",
    "dead-relus",
    "saturation",
    "overfitting",
    "underfitting",
    "input-pipeline-slow",
    "batch-size-off",
    "retracing",
    "memory-growth",
    "optimizer-slow-or-broken",
)
"""Every cause that is planted here. Faults of the device are planted elsewhere, with a pluggable device."""
FIELDS = ("cause", "keras", "healthy when", "why", "also seen")


class BadHeader(ValueError):
    """A program's docstring does not say what it must."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One training script and what its header says of it."""

    path: Path
    trains: str
    """The docstring's first line."""
    cause: str
    """One of CAUSES, or HEALTHY."""
    keras: tuple[int, ...]
    """The major versions it runs on."""
    why: str
    """What is planted and what a careful engineer saw; for a healthy one what may look wrong in it."""
    healthy_when: str = ""
    """`loss < 0.1` or `metric > 0.9`, of the line `final:`; empty for a faulty one."""
    also_seen: tuple[str, ...] = ()
    """Other causes whose signs the planted one really produces: naming them too is no false alarm."""

    @property
    def name(self) -> str:
        """What the half is taken from."""
        return self.path.name

    @property
    def half(self) -> str:
        """REPORTING or DEVELOPMENT."""
        return REPORTING if hashlib.sha256(self.name.encode()).digest()[0] % 2 == 0 else DEVELOPMENT

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is planted."""
        return self.cause == HEALTHY


def programs(folder: Path = FOLDER) -> tuple[Program, ...]:
    """Read every program's header, in the order of their names. Raises BadHeader."""
    return tuple(read(path) for path in sorted(folder.glob("*.py")))


def half(which: str, folder: Path = FOLDER) -> tuple[Program, ...]:
    """Those of REPORTING or of DEVELOPMENT."""
    return tuple(program for program in programs(folder) if program.half == which)


def read(path: Path) -> Program:
    """Read one header. Raises BadHeader when a line is missing, unknown, double or empty."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    first, _, rest = docstring.partition("\n")
    said = _fields(path, rest)
    missing = [name for name in ("cause", "keras", "why") if name not in said]
    if missing or not first:
        raise BadHeader(f"{path.name}: the docstring lacks {', '.join(missing) or 'its first line'}")
    return Program(
        path=path,
        trains=first,
        cause=said["cause"],
        keras=tuple(sorted(int(major) for major in said["keras"].split(","))),
        why=said["why"],
        healthy_when=said.get("healthy when", ""),
        also_seen=tuple(label.strip() for label in said.get("also seen", "").split(",") if label.strip()),
    )


def _fields(path: Path, text: str) -> dict[str, str]:
    """`name: value` lines; an indented line goes on with the one before."""
    said: dict[str, str] = {}
    current = ""
    for line in filter(str.strip, text.splitlines()):
        if line[0].isspace():
            if not current:
                raise BadHeader(f"{path.name}: an indented line belongs to no field: {line.strip()}")
            said[current] += " " + line.strip()
            continue
        current, colon, value = line.partition(":")
        if not colon or current not in FIELDS or current in said or not value.strip():
            raise BadHeader(f"{path.name}: not a line of a header: {line}")
        said[current] = value.strip()
    return said
