"""pip's list tells Python and platform: computed from the wheels, on whatever day the log was written."""

import pytest

from compat.facts.pasted import Line, Offered
from compat.matrix.model import Target
from compat.matrix.query import has_wheel
from compat.matrix.versions import is_final
from compat.verdict.diagnose.fingerprint import read, serving
from compat.verdict.diagnose.picture import Picture
from tests.verdict.diagnose.telling import MATRIX

NOTHING = Picture(packages={}, asked={})


def offered(name, specifier, *versions):
    return Offered(name=name, specifier=specifier, versions=versions, line=Line(number=1, text=""))


def list_of(name, platform, python, until="9999"):
    """What pip lists there on a day, by packaging's own judgement of the wheels."""
    target = Target(platform=platform, python=python)
    rows = [row for row in MATRIX.releases(name) if row.uploaded <= until and is_final(row.version)]
    return tuple(row.version for row in rows if has_wheel(MATRIX, name, row.version, target))


@pytest.mark.parametrize(
    "name, platform, python, until",
    [
        ("tensorflow", "macos-arm64", "3.12", "9999"),
        ("tensorflow", "macos-arm64", "3.9", "2024-02-01"),
        ("tensorflow", "macos-x86_64", "3.8", "2023-06-01"),
        ("tensorflow", "linux-x86_64", "3.13", "9999"),
        ("tensorflow-macos", "macos-arm64", "3.10", "2022-10-01"),
        ("tensorflow-metal", "macos-arm64", "3.12", "9999"),
        ("tensorflow-text", "macos-arm64", "3.11", "9999"),
    ],
)
def test_a_list_points_back_at_the_interpreter_it_was_made_for(name, platform, python, until):
    reading = read(offered(name, "==99", *list_of(name, platform, python, until)), NOTHING, MATRIX)

    assert (platform, python) in {(target.platform, target.python) for target in reading.targets}


def test_a_list_of_another_interpreter_does_not():
    reading = read(offered("tensorflow", "", *list_of("tensorflow", "macos-arm64", "3.12")), NOTHING, MATRIX)

    assert "3.8" not in reading.pythons
    assert "macos-x86_64" not in reading.platforms


def test_a_hole_in_the_list_fits_nobody():
    whole = list_of("tensorflow", "macos-arm64", "3.12")
    reading = read(offered("tensorflow", "", *(v for v in whole if v != "2.17.0")), NOTHING, MATRIX)

    assert reading.targets == ()


def test_no_version_at_all_is_a_python_without_wheels_or_one_too_new_for_its_day():
    reading = read(offered("tensorflow-metal", ""), NOTHING, MATRIX)

    assert {"3.13", "3.14"} <= set(reading.pythons)
    assert "3.8" not in {
        target.python for target in reading.targets if target.platform == "macos-arm64" and target.macos is None
    }


def test_stated_facts_narrow_it():
    facts = Picture(packages={}, asked={}, python=("3.13.1",), os=("macos",), process=("arm64",), macos=("15.1",))
    reading = read(offered("tensorflow-metal", ""), facts, MATRIX)

    assert (reading.pythons, reading.platforms, reading.has_wheel) == (("3.13",), ("macos-arm64",), False)


def test_a_distribution_that_the_matrix_does_not_follow_says_nothing():
    assert read(offered("leftpad", ""), NOTHING, MATRIX) is None


def test_the_pythons_that_a_release_serves():
    assert serving("tensorflow", "==2.16.2", "macos-arm64", MATRIX) == ("3.9", "3.10", "3.11", "3.12")
    assert serving("tensorflow", "==2.12.0", "macos-arm64", MATRIX) == ()
