"""Judged pins as lines and as JSON."""

import pytest

from compat.facts.pins import Pin, PinFile, Unread
from compat.report import pinned
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding

PIN = Pin(
    name="tensorflow",
    specifier="^2.10",
    marker="",
    line=3,
    column=2,
    extras=("and-cuda",),
    admits=(">=2.10,<3",),
    group="extra ml",
)
FILE = PinFile(
    path="pyproject.toml", kind="pyproject", pins=(PIN,), unread=(Unread(line=9, column=1, text="?", why="not one"),)
)


def finding(severity=Severity.ERROR, path="", message="it cannot load", line=3):
    return PinFinding(
        id="PIN501", severity=severity, line=line, column=2, message=message, path=path, targets=("macos-arm64",)
    )


def judged(*findings, file=FILE):
    return JudgedFile(file=file, findings=findings)


def test_one_line_a_finding():
    assert pinned.as_lines([judged(finding())]) == "pyproject.toml:3:2: PIN501 it cannot load\n"


def test_a_finding_of_an_included_file_names_that_file_and_is_told_once():
    rows = [judged(finding(path="base.txt")), judged(finding(), file=PinFile(path="base.txt", kind="requirements"))]

    assert pinned.as_lines(rows) == "base.txt:3:2: PIN501 it cannot load\n"


def test_a_name_or_message_of_several_lines_is_one_line():
    file = PinFile(path="a\nb\x1b[31m.txt", kind="requirements")
    text = pinned.as_lines([judged(finding(message="x\ny"), file=file)])

    assert text == "a b�[31m.txt:3:2: PIN501 x y\n"


@pytest.mark.parametrize(
    "kind, said",
    [
        ("unknown", "x: seen, not judged: not a format this version reads\n"),
        (pinned.NOT_ASKED, "x: seen, not judged: Markdown is read with --markdown\n"),
        ("requirements", ""),
    ],
)
def test_what_is_not_judged_is_said_to_be_so(kind, said):
    assert pinned.as_lines([judged(file=PinFile(path="x", kind=kind))]) == said


@pytest.mark.parametrize(
    "severity, ok, strict",
    [(Severity.ERROR, False, False), (Severity.WARNING, True, False), (Severity.INFO, True, True)],
)
def test_errors_count_and_warnings_where_they_are_asked_to(severity, ok, strict):
    rows = [judged(), judged(finding(severity))]

    assert (pinned.is_ok(rows), pinned.is_ok(rows, strict=True)) == (ok, strict)


def test_json_has_the_promised_keys_and_those_of_the_formats():
    assert pinned.values([judged(finding(path="base.txt"))], ok=False) == {
        "schema_version": 1,
        "ok": False,
        "files": [
            {
                "path": "pyproject.toml",
                "kind": "pyproject",
                "pins": [
                    {
                        "name": "tensorflow",
                        "specifier": "^2.10",
                        "marker": None,
                        "line": 3,
                        "column": 2,
                        "extras": ["and-cuda"],
                        "group": "extra ml",
                        "admits": [">=2.10,<3"],
                    }
                ],
                "findings": [
                    {
                        "id": "PIN501",
                        "severity": "error",
                        "line": 3,
                        "column": 2,
                        "message": "it cannot load",
                        "targets": ["macos-arm64"],
                        "path": "base.txt",
                    }
                ],
                "unread": [{"line": 9, "column": 1, "text": "?", "why": "not one"}],
            }
        ],
    }
