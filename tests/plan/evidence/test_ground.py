"""What one place sees of a pair: wheels that fit it, its macOS, runs on its kind of Mac, what holds and what does not."""

from __future__ import annotations

import pytest

from compat.plan.evidence.ground import Ground
from compat.plan.evidence.standing import Pair, Place, blocking
from tests.verdict.rules.tiny_matrix import (
    binary,
    known_issue,
    link,
    release,
    tiny_matrix,
)

MAC = Place(platform="macos-arm64")
METAL = "tensorflow-metal"


def pair(tensorflow, metal):
    return Pair(tensorflow=tensorflow, plugin=METAL, plugin_version=metal)


def run(tensorflow, metal, result, tier, number="OBS001", **more):
    source = {"url": "https://github.com/tensorflow/tensorflow/issues/1", "day": "2026-11-30"}
    plugin = {"plugin": METAL, "plugin_version": metal} if metal else {}
    head = {"id": number, "kind": "run", "tensorflow": tensorflow, "result": result, "tier": tier}
    return {**head, **plugin, "sources": [source], **more}


def lock(**more):
    head = {"file": "a.toml", "platform": "macos-arm64", "python": "3.12", "distribution": "tensorflow"}
    return {**head, "tensorflow": "2.18.1", "tier": "links", "exclude_newer": "2026-11-30", **more}


def standing(tensorflow, metal, place=MAC, **sections):
    wanted = pair(tensorflow, metal) if metal else Pair(tensorflow=tensorflow)
    return Ground(place, tiny_matrix(**sections)).standing(wanted)


def told(found):
    return (found.reached, found.failed, found.mixed)


@pytest.mark.parametrize(
    ("tensorflow", "metal", "place", "expected"),
    [
        ("2.18.1", "1.2.0", MAC, ("links", None, False)),
        ("2.18.1", "1.1.0", MAC, ("installs", "links", False)),
        ("2.20.0", "1.2.0", MAC, ("installs", "links", False)),
        ("2.18.1", None, MAC, ("installs", None, False)),
        # it loads, and there is no wheel of the plugin for that Python
        ("2.18.1", "1.2.0", Place(platform="macos-arm64", python="3.13"), (None, "installs", False)),
        ("2.17.1", "1.1.0", Place(platform="macos-arm64", python="3.12"), (None, "installs", False)),
        ("2.18.1", None, Place(platform="macos-arm64", macos="11.7"), (None, "installs", False)),
        ("2.17.1", None, Place(platform="macos-x86_64"), (None, "installs", False)),
        ("2.16.2", None, Place(platform="macos-x86_64"), ("installs", None, False)),
        ("2.18.1", "1.2.0", Place(platform="linux-x86_64"), (None, "installs", False)),
    ],
)
def test_wheels_come_before_proofs(tensorflow, metal, place, expected):
    assert told(standing(tensorflow, metal, place)) == expected


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([run("2.18.1", "1.2.0", "works", "runs")], ("runs", None, False)),
        ([run("2.18.1", "1.2.0", "works", "agrees")], ("agrees", None, False)),
        # what fails to run was imported; what computes wrongly did run
        ([run("2.18.1", "1.2.0", "fails-to-run", "runs")], ("imports", "runs", False)),
        ([run("2.18.1", "1.2.0", "wrong-numbers", "agrees")], ("runs", "agrees", False)),
        ([run("2.18.1", "1.2.0", "fails-to-load", "imports")], ("links", "imports", False)),
        (
            [run("2.18.1", "1.2.0", "works", "runs"), run("2.18.1", "1.2.0", "wrong-numbers", "agrees", "OBS002")],
            ("runs", "agrees", True),
        ),
        ([run("2.18.1", "1.1.0", "works", "runs")], ("links", None, False)),  # another pair's
        ([run("2.18.1", "1.2.0", "works", "runs", chip="Intel")], ("links", None, False)),
        ([run("2.18.1", "1.2.0", "works", "runs", kind="claim")], ("links", None, False)),
    ],
)
def test_runs_of_exactly_that_pair_on_that_kind_of_mac_count(runs, expected):
    assert told(standing("2.18.1", "1.2.0", observed=runs)) == expected


def test_a_run_against_the_link_proof_stands_beside_it():
    runs = [run("2.18.1", "1.1.0", "works", "runs")]

    assert told(standing("2.18.1", "1.1.0", observed=runs)) == ("runs", "links", True)


@pytest.mark.parametrize(("macos", "needs"), [("12.0", "12.1"), ("12.1", None), ("14.5", None), (None, None)])
def test_a_binary_built_for_a_newer_macos_is_told_apart(macos, needs):
    found = standing("2.18.1", "1.2.0", Place(platform="macos-arm64", macos=macos))

    assert found.needs_macos == needs
    assert found.failed == ("links" if needs else None)


def test_the_wheel_with_the_code_carries_it_and_a_shell_does_not():
    ground = Ground(MAC, tiny_matrix())

    assert ground.carrier("2.13.0") == "tensorflow-macos"
    assert ground.carrier("2.16.2") == "tensorflow"
    assert ground.carrier("2.10.1") is None
    assert Ground(Place(platform="macos-x86_64"), tiny_matrix()).carrier("2.13.0") == "tensorflow"
    assert Ground(Place(platform="linux-x86_64"), tiny_matrix(), ("tensorflow",)).carrier("2.18.1") == "tensorflow"


def test_the_pair_is_that_of_the_distribution_that_carries_the_code():
    rows = [link("2.13.0", "1.1.0", 2, ["x"]), link("2.13.0", "1.1.0", distribution="tensorflow-macos")]

    assert standing("2.13.0", "1.1.0", links=rows).link.distribution == "tensorflow-macos"
    assert standing("2.13.0", "1.1.0", links=rows[:1]).link.distribution == "tensorflow"
    assert standing("2.13.0", "1.1.0", links=[]).link is None


def test_pins_count_on_their_platform_for_their_python_and_macos():
    rows = [
        lock(),
        lock(file="b.toml", python="3.11", minimum_macos="14"),
        lock(file="c.toml", platform="linux-x86_64"),
    ]
    rows += [lock(file="d.toml", cuda=True), lock(file="e.toml", plugin=METAL, plugin_version="1.2.0")]

    def files(**more):
        return [row.file for row in standing("2.18.1", None, Place(**more), locks=rows).locks]

    assert files(platform="macos-arm64") == ["a.toml", "b.toml"]
    assert files(platform="macos-arm64", macos="13.6") == ["a.toml"]
    assert files(platform="macos-arm64", python="3.11") == ["b.toml"]
    assert files(platform="linux-x86_64") == ["c.toml"]
    assert [row.file for row in standing("2.18.1", "1.2.0", locks=rows).locks] == ["e.toml"]


def test_a_lock_that_was_run_lifts_the_tier():
    rows = [lock(platform="linux-x86_64", tier="runs")]

    assert told(standing("2.18.1", None, Place(platform="linux-x86_64"), locks=rows)) == ("runs", None, False)


def test_known_problems_are_those_whose_conditions_hold_here():
    rows = [
        known_issue("NUM603", "ISS901", package=METAL, versions="<1.3", chips=["Apple M1"]),
        known_issue("NUM603", "ISS902", package=METAL, versions="<1.0"),
        known_issue("TF317", "ISS903", package="tensorflow-macos", versions=">=2.18"),
        {**known_issue("TF317", "ISS904", package=METAL), "withdrawn": "it was another thing"},
    ]

    def ids(place):
        return [row.id for row in standing("2.18.1", "1.2.0", place, issues=rows).issues]

    assert ids(MAC) == ["ISS903"]
    assert ids(Place(platform="macos-arm64", chip="Apple M1 Pro")) == ["ISS901", "ISS903"]
    assert ids(Place(platform="macos-arm64", chip="Apple M4")) == ["ISS903"]


@pytest.mark.parametrize(
    ("chip", "blocks"),
    [("Apple M5", ["ISS901"]), ("Apple M1", []), (None, ["ISS901"])],
    ids=["other", "same", "unsaid"],
)
def test_a_known_error_decides_unless_a_run_under_its_own_conditions_worked(chip, blocks):
    rows = [known_issue("TF317", "ISS901", package=METAL, chips=["Apple M1"])]
    place = Place(platform="macos-arm64", chip="Apple M1")
    runs = [run("2.18.1", "1.2.0", "works", "runs", **({"chip": chip} if chip else {}))]

    found = standing("2.18.1", "1.2.0", place, issues=rows, observed=runs)

    assert [row.id for row in blocking(found, place)] == blocks


def test_a_warning_never_decides():
    rows = [{**known_issue("TF317", package=METAL), "severity": "warning"}]

    assert blocking(standing("2.18.1", "1.2.0", issues=rows), MAC) == ()


def test_a_plugin_of_sources_only_is_neither_had_nor_refused():
    name = "tensorflow-metal-plugin"
    releases = {name: [release(name, "0.4.1", has_sdist=True)]}
    ground = Ground(MAC, tiny_matrix(releases=releases))

    found = ground.standing(Pair(tensorflow="2.21.0", plugin=name, plugin_version="0.4.1"))

    assert (found.source_only, told(found)) == (True, (None, None, False))


def test_the_default_binary_rows_are_the_ones_of_this_architecture():
    matrix = tiny_matrix(binaries=[binary("1.2.0", "15.0", arch="x86_64"), binary("1.2.0", "12.1")])

    assert Ground(MAC, matrix).standing(pair("2.18.1", "1.2.0")).binary.minimum_macos == "12.1"
