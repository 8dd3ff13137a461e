"""Distributions that stand for TensorFlow and hold none; what pip and uv take was tried with uv for these pins."""

import pytest

from tests.verdict.pins.judged import judged, told


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow-macos==2.15.1\n", [("PIN511", "error")]),
        ("tensorflow-macos<2.16\n", [("PIN511", "warning")]),  # on Python 3.8 it is 2.13.0
        ("tensorflow-macos~=2.15.0\n", [("PIN511", "error")]),
        ("tensorflow-macos\nnumpy<1.20\n", [("PIN511", "error")]),  # NumPy 1.19 has no wheel for Apple silicon
        ("tensorflow-macos\nnumpy<1.22\ntensorflow-metal==1.2.0\n", [("PIN511", "error")]),
        ("tensorflow-macos==2.16.2\n", []),
        ("tensorflow-macos==2.14.1\nnumpy<2\n", []),
        ("tensorflow==2.15.0\n", []),
        ("tensorflow==2.15.1\n", []),
    ],
)
def test_a_shell_that_requires_itself_is_no_tensorflow(text, expected):
    assert told(text) == expected


def test_the_release_that_holds_it_is_the_cure():
    (finding,) = [row for row in judged("tensorflow-macos==2.15.1\n") if row.id == "PIN511"]

    assert "tensorflow 2.15.1 holds it" in finding.message
    assert [cure.name for cure in finding.cures] == ["tensorflow"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow==2.16.2\ntensorflow-macos==2.16.2\n", []),
        ("tensorflow==2.13.0\ntensorflow-macos==2.13.0\n", []),
        ("tensorflow==2.18.1\ntensorflow-macos==2.16.2\n", [("PIN510", "error")]),
        ("tensorflow==2.15.1\ntensorflow-macos==2.15.0\n", [("PIN510", "warning")]),
    ],
)
def test_two_tensorflows(text, expected):
    assert told(text) == expected


def test_without_pins_the_empty_one_is_what_satisfies_both():
    # `uv pip compile --python-platform aarch64-apple-darwin` for 3.11: tensorflow 2.21.0 and tensorflow-macos 2.15.1
    rows = [row for row in judged("tensorflow\ntensorflow-macos\n") if row.id == "PIN510"]

    assert "tensorflow-macos 2.15.1 is an empty shell" in rows[0].message
