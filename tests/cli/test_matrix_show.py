"""``matrix show``: the grid for this machine or a named one, and the link proofs alone."""

import json
import sys

import pytest

from compat.facts.machine import Machine
from compat.probe import machine as machine_probe
from tests.cli.running import refused

M1 = Machine(os="macos", os_version="12.4", architecture="arm64", chip="Apple M1")
LINUX = Machine(os="linux", os_version="12", architecture="x86_64", chip="Xeon", glibc="2.36")


@pytest.fixture
def on(monkeypatch):
    """Make this machine another one."""

    def become(machine):
        monkeypatch.setattr(machine_probe, "look", lambda **_: machine)

    become(LINUX)
    return become


def grid(told, *words):
    code, out, err = told("matrix", "show", "--format", "json", *words)
    assert (code, err) == (0, [])
    return json.loads(out)


def cell(value, tensorflow, metal):
    row = next(row for row in value["rows"] if row["tensorflow"] == tensorflow)
    return next(one for one in row["plugins"] if one["plugin_version"] == metal)


def test_on_a_mac_it_is_the_grid_of_that_mac(told, on):
    on(M1)
    code, out, _ = told("matrix", "show")

    assert code == 0
    assert out.startswith("macos-arm64, macOS 12.4, Apple M1: matrix of ")
    assert "macOS 13.0+" in out  # tensorflow-metal 0.5.1, tagged macosx_12_0, built for 13.0


def test_on_linux_it_is_the_locks_there_and_names_the_option_for_a_mac(told, on):
    code, out, _ = told("matrix", "show")

    assert code == 0
    assert out.startswith("linux-x86_64, glibc 2.36")
    assert "add --platform macos-arm64" in out
    assert "metal 1.2.0" not in out


def test_another_platform_takes_nothing_from_this_machine(told, on):
    on(M1)

    assert grid(told, "--platform", "macos-x86_64")["place"] == {
        "platform": "macos-x86_64",
        "python": None,
        "macos": None,
        "chip": None,
        "glibc": None,
    }
    assert grid(told, "--arch", "arm64")["place"]["macos"] == "12.4"
    assert grid(told, "--macos", "14.5", "--chip", "apple m3 pro")["place"] | {"glibc": None} == {
        "platform": "macos-arm64",
        "python": None,
        "macos": "14.5",
        "chip": "Apple M3 Pro",
        "glibc": None,
    }


def test_options_that_only_a_mac_has_mean_one(told, on):
    assert grid(told, "--macos", "14.5")["place"]["platform"] == "macos-arm64"
    assert grid(told, "--chip", "Apple M1")["place"]["platform"] == "macos-arm64"


def test_a_pair_without_a_wheel_for_that_python_does_not_link(told, on):
    value = grid(told, "--platform", "macos-arm64", "--python", "3.12.3")

    assert value["place"]["python"] == "3.12"
    assert cell(value, "2.18.1", "1.2.0")["failed"] is None
    assert cell(value, "2.17.1", "1.1.0")["failed"] == "installs"  # its wheels end with 3.11
    assert cell(grid(told, "--platform", "macos-arm64"), "2.17.1", "1.1.0")["failed"] is None


def test_nothing_of_apples_links_on_220_and_221(told, on):
    value = grid(told, "--platform", "macos-arm64")

    for tensorflow in ("2.20.0", "2.21.0"):
        row = next(row for row in value["rows"] if row["tensorflow"] == tensorflow)
        assert not [one for one in row["plugins"] if one["pythons"] and one["failed"] != "links"]


def test_prereleases_and_other_plugins_are_shown_on_demand(told, on):
    few, all_of_them = grid(told, "--platform", "macos-arm64"), grid(told, "--platform", "macos-arm64", "--all")

    assert not any("rc" in row["tensorflow"] for row in few["rows"])
    assert any("rc" in row["tensorflow"] for row in all_of_them["rows"])
    assert {one["plugin"] for one in all_of_them["rows"][0]["plugins"]} == {
        "tensorflow-metal",
        "tensorflow-metal-plugin",
    }


def test_markdown_is_a_table(told, on):
    out = told("matrix", "show", "--platform", "macos-arm64", "--format", "markdown")[1]

    assert "| tensorflow | no plugin | tensorflow-metal 1.2.0 |" in out


def test_the_link_proofs_are_of_the_architecture_that_is_named(told, on):
    def arches(*words):
        return {row["arch"] for row in json.loads(told("matrix", "show", "--links", "--format", "json", *words)[1])}

    assert arches() == {"arm64"}
    assert arches("--arch", "x86_64") == {"x86_64"}
    assert arches("--platform", "macos-x86_64") == {"x86_64"}
    assert "cannot load, layer 2" in told("matrix", "show", "--links")[1]
    assert told("matrix", "show", "--links", "--format", "markdown")[1].startswith("| pair | by the binaries |")


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    [
        (["--arch", "riscv"], "no Mac has the architecture riscv", "one of arm64, x86_64"),
        (["--links", "--arch", "aarch64"], "no Mac has the architecture aarch64", "one of arm64, x86_64"),
        (["--platform", "macos-amd64"], "unknown platform macos-amd64", "macos-arm64"),
        (["--arch", "arm64", "--platform", "linux-x86_64"], "contradict each other", "give one"),
        (["--links", "--platform", "linux-x86_64"], "no pair is judged for linux-x86_64", "macos-arm64"),
        (["--python", "three"], "--python three is not a version", "3.12"),
        (["--python", "2.7"], "--python 2.7 is not a version of Python 3", "3.12"),
        (["--python", "3.99"], "--python 3.99 is newer than any", "3.14"),
        (["--macos", "Sonoma"], "--macos Sonoma is not a version", "14"),
        (["--macos", "16.1"], "there is no macOS 16", "15, 26"),
        (["--macos", "14", "--platform", "linux-x86_64"], "--macos 14 does not go with linux-x86_64", "leave"),
        (["--chip", "Apple M1", "--platform", "windows-amd64"], "--chip names a Mac's chip", "leave"),
        (["--chip", "Apple M0"], "no Mac has a chip called 'Apple M0'", "one of Apple M"),
        (["--chip", "Intel", "--platform", "macos-arm64"], "Intel is no chip of an arm64 Mac", "macos-x86_64"),
        (["--format", "yaml"], "yaml", "matrix show -h"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line_with_what_is_near(told, on, words, what, hint):
    result = told("matrix", "show", *words)

    refused(result, 2, what)
    assert hint in result[2][1]


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux it runs on")
def test_the_machine_is_really_looked_at(told):
    assert grid(told)["place"]["platform"].startswith("linux-")


@pytest.mark.parametrize("words", [("--python", "3.12"), ("--macos", "14.5"), ("--chip", "Apple M1")])
def test_links_refuses_what_no_proof_depends_on(told, on, words):
    refused(told("matrix", "show", "--links", *words), 2, f"--links tells every judged pair, whatever the {words[0]}")
