"""Repairs that were measured to be needed, against what the pins leave open."""

import pytest

from tests.verdict.pins.judged import judged


def repairs(text, name="requirements.txt"):
    return [
        (row.severity.value, cure.add or cure.specifier)
        for row in judged(text, name)
        if row.id == "PIN530"
        for cure in row.cures
    ]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow-macos==2.10.0\n", [("warning", "numpy<2"), ("info", "setuptools<82")]),
        ("tensorflow-macos==2.10.0\nnumpy<2\nsetuptools<82\n", []),
        ("tensorflow-macos==2.10.0\nnumpy==1.23.5\nsetuptools<70\n", []),
        ("tensorflow-macos==2.10.0\nnumpy>=1.22\nsetuptools<82\n", [("warning", ">=1.22,<2")]),
        ("tensorflow-macos==2.10.0\nnumpy==2.0.2\nsetuptools<82\n", [("error", "<2")]),
        ("tensorflow==2.18.1\nsetuptools<82\n", []),
        ("tensorflow==2.21.0\n", []),
    ],
)
def test_repairs(text, expected):
    assert repairs(text) == expected


def test_an_added_repair_keeps_the_pin_s_marker():
    (row,) = [
        row for row in judged("tensorflow-macos==2.10.0; sys_platform == 'darwin'\nnumpy<2\n") if row.id == "PIN530"
    ]

    assert row.cures[0].add == "setuptools<82; sys_platform == 'darwin'"
