"""``tfcompat matrix check``: the lint of a matrix, and what of it mends itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from compat.cli import options, output
from compat.errors import CannotLook, ExitCode
from compat.matrix.files import schema_of
from compat.matrix.load import load

if TYPE_CHECKING:
    from compat.matrix.lint import Problem

_HINT = "name a folder like matrices/"
SCHEMA_VERSION = 1
"""Of the JSON this command prints."""


def check(
    root: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(metavar="[DIR]", help="A matrix folder (default: the one in use)."),
    ] = None,
    *,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is fixable, and say what was mended.")] = False,
    format: Annotated[
        options.PlainFormat, typer.Option("--format", help="How to tell it.")
    ] = options.PlainFormat.COLUMNS,
) -> None:
    """Check the matrix data: files, rows, references, signatures, proofs, the compiled form."""
    from compat.matrix.lint import lint

    folder = _folder(root)
    if fix:
        _mend(folder)
    problems = lint(folder)
    output.emit(_as_json(problems) if format is options.PlainFormat.JSON else _as_lines(problems))
    raise typer.Exit(ExitCode.FINDINGS if problems else ExitCode.HEALTHY)


def _folder(named: Path | None) -> Path:
    """Return the folder to check. Raises CannotLook, BadMatrix."""
    if named is None:
        found = load()
        if found.place.passed_over:
            output.talk(f"note: {found.place.passed_over}")
        named = found.root
    if not named.is_dir():
        raise CannotLook(f"{named} is {'a file' if named.exists() else 'not there'}", hint=_HINT)
    if not any((named / "releases").glob("*.toml")):
        raise CannotLook(f"{named} holds no releases: it is no matrix", hint=_HINT)
    schema_of(named)
    return named


def _mend(folder: Path) -> None:
    """Write what can be mended; each file whole or not at all. Raises CannotAct."""
    from compat.builder import disk
    from compat.matrix.lint import fixes

    for one in fixes(folder):
        path = folder / one.file
        if one.text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            disk.write(path, one.text)
        output.talk(f"fixed {one.file}: {one.what}")


def _as_lines(problems: tuple[Problem, ...]) -> str:
    return "".join(f"{problem}\n" for problem in problems) or "the matrix is sound\n"


def _as_json(problems: tuple[Problem, ...]) -> str:
    import json

    rows = [
        {
            "address": problem.address,
            "check": problem.check,
            "scope": problem.scope,
            "text": problem.text,
            "fixable": problem.fixable,
        }
        for problem in problems
    ]
    document = {"schema_version": SCHEMA_VERSION, "ok": not problems, "problems": rows}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
