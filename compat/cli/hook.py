"""``tfcompat-pins``: what pre-commit runs. No typer, no network, no TensorFlow, no project environment."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from compat import __version__
from compat.cli.ending import ended

FORMATS = ("columns", "json", "sarif", "github")


def main(argv: Sequence[str] | None = None) -> int:
    """Judge the files named on the command line; 1 where a pin cannot work."""
    given = _parser().parse_args(argv)
    return ended(lambda: _run(given), "tfcompat-pins")


def _run(given: argparse.Namespace) -> int:
    from compat.cli.pinned import Wish, run
    from compat.cli.pinning import Asked

    asked = Asked(
        targets=tuple(given.target),
        ignore=tuple(given.ignore),
        select=tuple(given.select),
        severity=given.severity,
        strict=given.strict,
        markdown=given.markdown,
    )
    return run(given.files, asked, Wish(format=given.format, fix=given.fix, diff=given.diff))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tfcompat-pins",
        description="Judge TensorFlow pins in dependency files: no network, no TensorFlow, no project environment.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--version", action="version", version=f"tfcompat {__version__}")
    add("files", nargs="*", metavar="FILE", type=Path, help="files, or folders to search for dependency files")
    add("--format", choices=FORMATS, default="columns", help="how to tell it")
    add("--severity", choices=("error", "warning", "info"), help="the lowest that is told (default: info)")
    add("--strict", action="store_true", help="exit with 1 for warnings too")
    add("--select", action="append", default=[], metavar="ID", help="only ids that begin so (repeatable)")
    add("--ignore", action="append", default=[], metavar="ID", help="not the ids that begin so (repeatable)")
    add("--target", action="append", default=[], metavar="PLATFORM", help="judge for macos-arm64 … (repeatable)")
    add("--markdown", action="store_true", help="read Markdown too")
    add("--fix", action="store_true", help="make the smallest edits that cure what was found")
    add("--diff", action="store_true", help="show these edits and write nothing")
    return parser
