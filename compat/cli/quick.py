"""The short way into ``tfcompat doctor`` and ``explain``: typer costs more to import than either takes to answer.

Words that are not plainly a command's own (help, mistakes, completion) return None, and typer answers them: it stays
the only one that speaks of usage. A test holds both ways to the same result.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compat.cli.examine import Examination
    from compat.cli.explaining import Question


class _NotPlainError(Exception):
    """Left to typer."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise _NotPlainError(message)


def parse(argv: Sequence[str]) -> Examination | None:
    """Return what a command line asks of doctor, None where typer is to read it."""
    if not argv or argv[0] != "doctor":
        return None
    from compat.cli.examine import Examination
    from compat.cli.session import Subject

    try:
        given = _parser().parse_args(argv[1:])
    except _NotPlainError:
        return None
    return Examination(
        subject=Subject(
            python=given.python,
            venv=given.venv,
            facts_file=given.facts,
            target=given.target,
            platform=given.platform,
            python_version=given.python_version,
        ),
        smoke=not given.no_smoke,
        level=given.level,
        timeout=given.timeout,
        format=given.format,
        strict=given.strict,
        list_checks=given.list_checks,
        select=tuple(given.select),
        ignore=tuple(given.ignore),
        verbose=given.verbose,
        quiet=given.quiet,
    )


def parse_explain(argv: Sequence[str]) -> Question | None:
    """Return what a command line asks of explain, None where typer is to read it."""
    if not argv or argv[0] != "explain":
        return None
    from compat.cli.explaining import Question

    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("words", nargs="+")
    parser.add_argument("--format", choices=("columns", "json", "markdown"), default="columns")
    try:
        given = parser.parse_args(argv[1:])
    except _NotPlainError:
        return None
    return Question(words=tuple(given.words), format=given.format)


def _parser() -> _Parser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    for name in ("--python", "--platform", "--python-version"):
        parser.add_argument(name)
    for name in ("--venv", "--facts", "--target"):
        parser.add_argument(name, type=Path)
    for name in ("--no-smoke", "--strict", "--list-checks"):
        parser.add_argument(name, action="store_true")
    for name in ("--select", "--ignore"):
        parser.add_argument(name, action="append", default=[])
    parser.add_argument("--level", choices=("quick", "standard", "full"), default="quick")
    parser.add_argument("--timeout", type=_seconds)
    parser.add_argument("--format", choices=("columns", "json", "markdown"), default="columns")
    parser.add_argument("-v", "--verbose", action="count", default=0)
    parser.add_argument("-q", "--quiet", action="store_true")
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not value >= 1:
        raise ValueError(text)
    return value
