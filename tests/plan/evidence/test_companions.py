"""Whether other packages go with a TensorFlow: their wheels, what each requires of the other, measured repairs."""

from __future__ import annotations

import pytest

from compat.plan.evidence.companions import accompanied, against
from compat.plan.evidence.ground import Ground
from compat.plan.evidence.question import Part
from compat.plan.evidence.standing import Pair, Place
from tests.verdict.rules.tiny_matrix import LINUX, MAC_ARM, known_issue, pure, release, tiny_matrix, wheels

MAC = Place(platform="macos-arm64")


def company(name, specifier, *, place=MAC, tensorflow="2.18.1", **sections):
    ground = Ground(place, tiny_matrix(**sections))
    standing = ground.standing(Pair(tensorflow=tensorflow))
    return accompanied([Part(name=name, specifier=specifier)], standing, ground)


def refusals(name, specifier, **more):
    return [fact.text for fact in against(company(name, specifier, **more)[1])]


def requiring(*requirements):
    return [
        release(
            "tensorflow",
            "2.18.1",
            [{**one, "requires": list(requirements)} for one in wheels([11, 12], MAC_ARM, LINUX)],
        )
    ]


def test_the_newest_release_that_goes_with_it_is_taken():
    releases = {"tensorflow": requiring("numpy<2.1,>=1.26"), "numpy": pure("numpy", "2.3.0", "2.0.2", "1.26.4")}

    _, facts = company("numpy", "", releases=releases)

    assert [fact.source for fact in facts] == ["releases/numpy.toml: 2.0.2", "releases/tensorflow.toml: 2.18.1"]
    assert facts[1].text == "tensorflow 2.18.1 requires numpy<2.1,>=1.26, which admits 2.0.2"


def test_where_none_goes_with_it_only_what_refuses_is_told():
    releases = {"tensorflow": requiring("numpy<2.1,>=1.26"), "numpy": pure("numpy", "2.3.0", "2.0.2")}

    assert refusals("numpy", ">=2.2", releases=releases) == [
        "tensorflow 2.18.1 requires numpy<2.1,>=1.26, which leaves out 2.3.0"
    ]
    assert refusals("numpy", ">=3", releases=releases) == [
        "no release of numpy meets >=3; the newest is 2.3.0 (index of 2026-11-30)"
    ]


@pytest.mark.parametrize(
    ("marker", "refused"),
    [
        ("sys_platform == 'darwin'", True),
        ("sys_platform == 'linux'", False),
        ("platform_machine == 'arm64' and platform_system == 'Darwin'", True),
        ("python_version < '3.12'", False),  # the newest Python in question is 3.12
        ("extra == 'and-cuda'", False),
    ],
)
def test_a_requirement_holds_where_its_marker_does(marker, refused):
    releases = {"tensorflow": requiring(f"numpy<1; {marker}"), "numpy": pure("numpy", "2.0.2")}

    assert bool(refusals("numpy", "", releases=releases)) is refused


def test_what_the_other_requires_of_tensorflow_counts_too():
    text = [
        release(
            "tensorflow-text",
            "2.17.0",
            [{**one, "requires": ["tensorflow<2.18,>=2.17.0"]} for one in wheels([12], MAC_ARM)],
        )
    ]

    assert refusals("tensorflow-text", "", releases={"tensorflow-text": text}) == [
        "tensorflow-text 2.17.0 requires tensorflow<2.18,>=2.17.0, which leaves out 2.18.1"
    ]


def test_only_the_pythons_that_both_have_are_left():
    releases = {"numpy": [release("numpy", "2.5.0", wheels([12, 13], MAC_ARM))]}

    assert company("numpy", "", releases=releases)[0].pythons == ("3.12",)
    none = {"numpy": [release("numpy", "2.5.0", wheels([13], MAC_ARM))]}
    assert refusals("numpy", "", releases=none) == [
        "no Python has both: numpy 2.5.0 is for 3.13, tensorflow 2.18.1 for 3.9–3.12"
    ]


def test_sources_are_built_on_the_pythons_they_ask_for():
    releases = {"numpy": [release("numpy", "2.5.0", has_sdist=True, requires_python=">=3.12")]}

    standing, facts = company("numpy", "", releases=releases)
    assert (standing.pythons, [fact.text for fact in facts]) == (("3.12",), ["numpy 2.5.0 would be built from source"])
    place = Place(platform="macos-arm64", python="3.11")
    assert refusals("numpy", "", releases=releases, place=place) == [
        "no Python has both: numpy 2.5.0 is for >=3.12, tensorflow 2.18.1 for 3.11"
    ]


def test_a_package_without_a_wheel_here_is_refused():
    releases = {"numpy": [release("numpy", "2.5.0", wheels([12], LINUX))]}

    assert refusals("numpy", "", releases=releases) == ["numpy 2.5.0 has no wheel for macos-arm64"]


def test_a_measured_failure_and_a_known_error_refuse():
    repair = {
        "id": "REP001",
        "requirement": "numpy<2",
        "packages": ["tensorflow"],
        "versions": "<2.19",
        "step": "import",
        "failure": "TypeError",
    }
    sections = {"releases": {"numpy": pure("numpy", "2.0.2")}, "repairs": [repair]}

    assert refusals("numpy", "", **sections) == ["with numpy 2.0.2 its import step fails: TypeError; numpy<2 mends it"]
    issue = known_issue("TF311", "ISS026", package="tensorflow", with_package="numpy", with_versions=">=2")
    assert refusals("numpy", "", releases=sections["releases"], issues=[issue]) == [
        "known problem ISS026 (error): known"
    ]
    assert refusals("numpy", "", releases={"numpy": pure("numpy", "1.26.4")}, issues=[issue], repairs=[repair]) == []
