"""``tfcompat-pins``: what pre-commit runs. No typer, no network, no TensorFlow, no project environment."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from compat.cli import output
from compat.cli.ending import ended
from compat.errors import ExitCode


def check(paths: Sequence[Path], *, as_json: bool) -> tuple[str, bool]:
    """Judge files; return the text to print and whether all is well. Raises BadMatrix."""
    from compat.cli import knowledge
    from compat.probe.pins.read import read
    from compat.report import json, pinned
    from compat.verdict.rules.pins import judge_file

    matrix = knowledge.matrix()
    files = [read(path) for path in paths]
    judged = [(file, judge_file(file, matrix)) for file in files]
    text = json.text(pinned.values(judged)) if as_json else pinned.as_lines(judged)
    return text, pinned.ok(judged)


def main(argv: Sequence[str] | None = None) -> int:
    """Judge the files named on the command line; 1 where a pin cannot work."""
    parser = argparse.ArgumentParser(prog="tfcompat-pins", description="Judge TensorFlow pins in dependency files.")
    parser.add_argument("files", nargs="*", metavar="FILE", type=Path)
    parser.add_argument("--format", choices=("columns", "json"), default="columns")
    given = parser.parse_args(argv)
    return ended(lambda: _judge(given.files, as_json=given.format == "json"), "tfcompat-pins")


def _judge(paths: Sequence[Path], *, as_json: bool) -> int:
    text, good = check(paths, as_json=as_json)
    output.emit(text)
    return ExitCode.HEALTHY if good else ExitCode.FINDINGS
