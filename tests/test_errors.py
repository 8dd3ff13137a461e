"""Errors carry an exit code, one printable line and a hint."""

import pytest

from compat.errors import (
    BadFacts,
    BadMatrix,
    CannotAct,
    ExitCode,
    Interrupted,
    Refused,
    TfcompatError,
    UsageError,
    one_line,
)


@pytest.mark.parametrize(
    "error, code",
    [
        (UsageError, 2),
        (CannotAct, 3),
        (BadFacts, 3),
        (BadMatrix, 3),
        (Refused, 1),
        (Interrupted, 130),
        (TfcompatError, 3),
    ],
)
def test_each_error_owns_its_exit_code(error, code):
    assert error("what happened").exit_code == code


def test_a_message_is_one_printable_line():
    error = CannotAct("one\ntwo \x1b[31mred", hint="a\nb")

    assert error.message == "one two \ufffd[31mred"
    assert error.hint == "a b"


def test_a_class_may_know_the_usual_remedy():
    assert "tfcompat facts" in BadFacts("x").hint
    assert BadFacts("x", hint="other").hint == "other"


def test_long_texts_are_cut():
    assert one_line("x" * 50, limit=10) == "x" * 9 + "…"


def test_codes_are_those_of_the_design():
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 130]
