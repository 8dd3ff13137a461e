"""The words of ``fix`` and ``bundle``: what they say, and which of them contradict each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from compat.errors import UsageError

PYTHON = re.compile(r"([0-9]+\.[0-9]+)(?:\.[0-9]+)?")
KERNEL = re.compile(r"[A-Za-z0-9._-]+")
"""Jupyter refuses other names (jupyter_client.kernelspec), and would only do so after the build."""


def check_together(directory: Path | None, acting: Mapping[str, object], others: Mapping[str, object]) -> None:
    """Raise UsageError for options that contradict each other."""
    given = [name for name, value in acting.items() if value]
    check_target(directory)
    if directory is not None and not given:
        raise UsageError(f"{directory} is a place to build", hint=f"tfcompat fix --create-venv {directory}")
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} contradict each other", hint="give one of them")
    if others["--cpu"] and others["--gpu"]:
        raise UsageError("--cpu and --gpu contradict each other", hint="give one of them")
    if acting["--in-place"] and others["--facts"]:
        raise UsageError("--in-place looks at the environment it replaces", hint="leave out --facts")
    for name in (name for name, value in others.items() if value and acting["--rollback"] and name != "--yes"):
        raise UsageError(f"--rollback puts back what was there, {name} is about what is new", hint=f"leave out {name}")


def check_target(directory: Path | None) -> None:
    """Raise UsageError for what has no name of its own to be replaced: ``/``, ``x/..``."""
    if directory is not None and directory.absolute().name in ("", ".."):
        raise UsageError(f"{directory} is no folder to build in", hint="name the folder itself")


def check_words(requirements: Sequence[Path], kernel: str | None) -> None:
    """Refuse what could only fail later. Raises UsageError, CannotAct for a requirement that would come unprotected."""
    for path in requirements:
        if not path.is_file():
            raise UsageError(f"--with {path}: no such file", hint="name a requirements file")
    if requirements:
        from compat.builder.indexes import check_requirements

        check_requirements(requirements)
    if kernel is not None and not KERNEL.fullmatch(kernel):
        raise UsageError(
            f"--kernel {kernel} is no name for a Jupyter kernel",
            hint="use letters, digits, dots, dashes and underscores",
        )


def minor_of(python: str | None) -> str | None:
    """Return ``3.12`` of what was written after --python. Raises UsageError."""
    if python is None:
        return None
    version = PYTHON.fullmatch(python)
    if version is None:
        raise UsageError(f"--python {python} is not a version", hint="write it as 3.12")
    return version[1]


def as_set(tensorflow: str | None) -> str | None:
    """Return a PEP 440 set of what was written after --tensorflow (``2.18`` means any 2.18). Raises UsageError."""
    from compat.matrix.versions import parse, specifiers

    if tensorflow is None:
        return None
    text = tensorflow
    if parse(tensorflow) is not None:
        text = f"=={tensorflow}.*" if tensorflow.count(".") < 2 else f"=={tensorflow}"  # noqa: PLR2004 - X.Y or X.Y.Z
    if not text.strip() or specifiers(text) is None:
        raise UsageError(
            f"--tensorflow {tensorflow} is not a version or a set of versions", hint="write 2.18.1 or '>=2.16'"
        )
    return text
