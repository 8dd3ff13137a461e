"""The short way into doctor understands what typer understands, and leaves the rest to it."""

from pathlib import Path

import pytest

from compat import cli
from compat.cli import doctor as through_typer
from compat.cli.examine import Examination
from compat.cli.quick import parse
from compat.cli.session import Subject
from compat.errors import ExitCode

LINES = [
    [],
    ["--python", "3.12"],
    ["--venv", "a b", "--no-smoke", "--strict"],
    ["--facts", "x.json", "--format", "json"],
    ["--facts=x.json", "--format=markdown"],
    ["--target", "mac", "--platform", "macos-arm64", "--python-version", "3.12"],
    ["--select", "TF", "--select", "BIN401", "--ignore", "TF3"],
    ["-v", "-v", "-q"],
    ["-vv"],
    ["--level", "standard", "--timeout", "7.5"],
    ["--list-checks"],
]


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_both_ways_ask_for_the_same(words, monkeypatch):
    asked = []
    monkeypatch.setattr(through_typer, "examine", lambda examination: asked.append(examination) or ExitCode.HEALTHY)
    cli._through_typer(["doctor", *words])

    assert asked == [parse(["doctor", *words])]


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["-h"],
        ["--nonsense"],
        ["stray"],
        ["--format", "xml"],
        ["--timeout", "0"],
        ["--timeout", "soon"],
        ["--no-smo"],
        ["--python"],
    ],
    ids=" ".join,
)
def test_help_and_mistakes_are_left_to_typer(words):
    assert parse(["doctor", *words]) is None


def test_other_commands_are_not_its_business():
    assert parse([]) is None
    assert parse(["fix"]) is None


def test_the_defaults_are_those_of_the_examination():
    assert parse(["doctor"]) == Examination()


def test_paths_are_paths():
    assert parse(["doctor", "--target", "x"]).subject == Subject(target=Path("x"))
