"""Between judging and writing: an edit after which a file would not read as meant is not made."""

from dataclasses import replace

import pytest

from compat.cli import amending
from compat.cli.pinning import Asked, Checked
from compat.facts.pins import Span
from compat.probe.pins import read
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import Cure, JudgedFile, PinFinding

TEXT = "numpy\ntensorflow==2.18.1  # why\nkeras\n"


def checked(path, *cures):
    finding = PinFinding(id="PIN501", severity=Severity.ERROR, line=1, column=1, message="m", cures=cures)
    return Checked(files=(JudgedFile(file=read.read(path), findings=(finding,)),), ok=False)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "requirements.txt"
    found.write_text(TEXT)
    return found


def wrong(pin, **places):
    return replace(pin, writing=replace(pin.writing, **places))


@pytest.mark.parametrize(
    "places",
    [
        {"specifier": Span(start=6, end=16)},
        {"specifier": Span(start=5, end=16)},
        {"specifier": Span(start=17, end=40)},
    ],
    ids=["the name", "the line before", "to the next line"],
)
def test_an_edit_that_would_hit_something_else_is_not_made(path, places):
    pin = wrong(read.read(path).pins[1], **places)
    amended = amending.amend(
        checked(path, Cure(path=str(path), pin=pin, specifier="==2.19.1")), Asked(severity="error")
    )

    assert amended.changes == ()
    assert [row.why for row in amended.refusals] == ["the file cannot be edited safely: change it by hand"]


@pytest.mark.parametrize("add", ["nothing to read !", "numpy<2\nkeras<3"])
def test_an_entry_that_would_be_none_or_two_is_not_made(path, add):
    pin = read.read(path).pins[1]
    amended = amending.amend(checked(path, Cure(path=str(path), pin=pin, add=add)), Asked(severity="error"))

    assert amended.changes == ()


def test_a_file_that_is_another_by_now_is_not_edited(path):
    wish = checked(path, Cure(path=str(path), pin=read.read(path).pins[1], specifier="==2.19.1"))
    path.write_text("# new\n" + TEXT)

    assert amending.amend(wish, Asked(severity="error")).changes == ()


def test_the_right_edit_is_made(path):
    wish = checked(path, Cure(path=str(path), pin=read.read(path).pins[1], specifier="==2.19.1"))
    (change,) = amending.amend(wish, Asked(severity="error")).changes

    assert (change.before, change.after) == (TEXT, TEXT.replace("2.18.1", "2.19.1"))
    assert path.read_text() == TEXT
