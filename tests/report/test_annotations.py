"""GitHub's workflow commands: what its runner reads out of them."""

import re

import pytest

from compat.facts.pins import PinFile
from compat.report.annotations import workflow_commands
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding


def told(path="requirements.txt", message="it cannot load", severity=Severity.ERROR):
    row = PinFinding(id="PIN501", severity=severity, line=3, column=2, message=message)
    return workflow_commands([JudgedFile(file=PinFile(path=path, kind="requirements"), findings=(row,))])


def as_read(line):
    """The runner's own way back: split at the signs, then take the escapes away, `%25` last."""
    head, properties, data = re.fullmatch(r"::(\w+) ([^:]*(?:%3A[^:]*)*)::(.*)", line.rstrip("\n")).groups()
    back = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}

    def plain(text):
        for escaped, sign in back.items():
            text = text.replace(escaped, sign)
        return text.replace("%25", "%")

    return (
        head,
        {key: plain(value) for key, value in (part.split("=", 1) for part in properties.split(","))},
        plain(data),
    )


def test_a_finding_is_one_command():
    assert told() == "::error file=requirements.txt,line=3,col=2,title=PIN501::it cannot load\n"


@pytest.mark.parametrize(
    "severity, command", [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")]
)
def test_a_severity_is_a_command(severity, command):
    assert told(severity=severity).startswith(f"::{command} ")


@pytest.mark.parametrize("path", ["a,b:c%2C.txt", "100%.txt", "a\nb.txt", "x::y.txt"])
def test_a_path_comes_through_whatever_is_in_it(path):
    text = told(path=path)

    assert text.count("\n") == 1
    assert as_read(text)[1] == {"file": path, "line": "3", "col": "2", "title": "PIN501"}


def test_a_message_comes_through_on_one_line():
    assert as_read(told(message="50 % of a::b,\nc"))[2] == "50 % of a::b, c"
