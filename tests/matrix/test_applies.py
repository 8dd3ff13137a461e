"""An issue applies where every condition of one of its rows holds, and a condition on an unknown fact does not."""

from __future__ import annotations

import pytest

from compat.facts.machine import Machine
from compat.matrix.applies import affects_these, issue_applies
from compat.matrix.model import Affects, Issue, Target

MAC = Target(platform="macos-arm64", python="3.12")
M1 = Machine(os="macos", os_version="14.5", architecture="arm64", chip="Apple M1 Pro")


def issue(*affects: Affects, withdrawn: str | None = None) -> Issue:
    return Issue(
        id="ISS001",
        title="t",
        symptom="s",
        severity="error",
        affects=affects,
        remedy="r",
        sources=(),
        withdrawn=withdrawn,
    )


PAIR = Affects(package="tensorflow-metal", versions="==1.1.0", with_package="tensorflow", with_versions=">=2.18")


@pytest.mark.parametrize(
    ("row", "tensorflow", "plugin", "holds"),
    [
        (PAIR, "2.18.1", "1.1.0", True),
        (PAIR, "2.17.1", "1.1.0", False),
        (PAIR, "2.18.1", "1.2.0", False),
        (PAIR, "2.18.1", None, False),
        (Affects(package="tensorflow-macos", versions="<2.12"), "2.11.0", None, True),  # whichever package carries it
        (Affects(package="numpy", versions=">=2"), "2.11.0", None, False),
        (Affects(package="tensorflow"), "2.11.0", None, True),
    ],
)
def test_the_versions_of_a_pair_decide(row, tensorflow, plugin, holds):
    assert issue_applies(issue(row), tensorflow, plugin, MAC, M1) is holds


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (Affects(platforms=("macos-arm64",)), True),
        (Affects(platforms=("macos-x86_64",)), False),
        (Affects(chips=("Apple M1",)), True),
        (Affects(chips=("Apple M1 Max", "Apple M5")), False),
        (Affects(macos="<15"), True),
        (Affects(macos=">=15"), False),
        (Affects(python=">=3.12"), True),
        (Affects(python=">=3.13"), False),
    ],
)
def test_platform_chip_macos_and_python_restrict(row, holds):
    assert issue_applies(issue(row), "2.18.1", "1.2.0", MAC, M1) is holds


@pytest.mark.parametrize(
    "row", [Affects(chips=("Apple",)), Affects(macos=">=1"), Affects(python=">=3"), Affects(platforms=("macos-arm64",))]
)
def test_a_condition_on_an_unknown_fact_does_not_hold(row):
    assert not affects_these(row, {}, None, None, chip=None, macos=None)


def test_one_row_of_several_is_enough():
    no, yes = Affects(macos=">=99"), Affects(macos=">=1")

    assert issue_applies(issue(no, yes), "2.18.1", None, MAC, M1)
    assert not issue_applies(issue(no, no), "2.18.1", None, MAC, M1)


def test_an_issue_without_conditions_or_withdrawn_never_applies():
    assert not issue_applies(issue(), "2.18.1", None, MAC, M1)
    assert not issue_applies(issue(Affects(macos=">=1"), withdrawn="was a misreading"), "2.18.1", None, MAC, M1)
