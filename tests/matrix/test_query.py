"""What the queries answer: wheels that fit, pairs that load, repairs and runs that belong."""

from __future__ import annotations

import pytest
from packaging.tags import Tag

from compat.matrix import query
from compat.matrix.load import load
from compat.matrix.model import Target, Wheel
from tests.matrix.trees import GOOD, good, write

MAC = Target(platform="macos-arm64", python="3.12")
INTEL = Target(platform="macos-x86_64", python="3.12")
LINUX = Target(platform="linux-x86_64", python="3.12")
ARM = Target(platform="linux-aarch64", python="3.12")
WINDOWS = Target(platform="windows-amd64", python="3.12")


@pytest.fixture
def matrix(tmp_path):
    return load(good(tmp_path))


def wheel(tag: str, size: int = 240_000_000) -> Wheel:
    return Wheel(tag=tag, size=size)


@pytest.mark.parametrize(
    ("tag", "target", "fits"),
    [
        ("cp312-cp312-macosx_12_0_arm64", MAC, True),
        ("cp312-cp312-macosx_12_0_arm64", INTEL, False),
        ("cp311-cp311-macosx_12_0_arm64", MAC, False),
        ("cp312-cp312-macosx_12_0_arm64", Target(platform="macos-arm64", python="3.12", macos="11.7"), False),
        ("cp312-cp312-macosx_12_0_arm64", Target(platform="macos-arm64", python="3.12", macos="12"), True),
        ("cp312-cp312-macosx_12_0_arm64", Target(platform="macos-arm64", python="3.12", macos="26.1"), True),
        ("cp312-cp312-macosx_14_0_arm64", Target(platform="macos-arm64", python="3.12", macos="13.6"), False),
        ("cp312-cp312-macosx_10_13_universal2", MAC, True),
        ("cp312-cp312-macosx_10_15_x86_64", INTEL, True),
        ("cp312-cp312-macosx_10_15_x86_64", Target(platform="macos-x86_64", python="3.12", macos="10.14"), False),
        ("cp39-abi3-macosx_11_0_arm64", MAC, True),  # a stable ABI reaches upward
        ("py3-none-any", WINDOWS, True),
        ("py2.py3-none-any", MAC, True),
        ("cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64", LINUX, True),
        ("cp312-cp312-manylinux_2_17_x86_64", ARM, False),
        ("cp312-cp312-manylinux_2_17_aarch64", ARM, True),
        ("cp312-cp312-manylinux_2_27_x86_64", Target(platform="linux-x86_64", python="3.12", glibc="2.26"), False),
        ("cp312-cp312-manylinux_2_27_x86_64", Target(platform="linux-x86_64", python="3.12", glibc="2.27"), True),
        ("cp312-cp312-manylinux2014_x86_64", Target(platform="linux-x86_64", python="3.12", glibc="2.17"), True),
        ("cp312-cp312-manylinux2010_x86_64", Target(platform="linux-x86_64", python="3.12", glibc="2.17"), True),
        ("cp312-cp312-manylinux1_x86_64", Target(platform="linux-x86_64", python="3.12", glibc="2.4"), False),
        ("cp312-cp312-linux_x86_64", LINUX, True),
        ("cp312-cp312-musllinux_1_2_x86_64", LINUX, False),
        ("cp312-cp312-win_amd64", WINDOWS, True),
        ("cp312-cp312-win32", WINDOWS, False),
        ("pp310-pypy310_pp73-macosx_12_0_arm64", MAC, False),
    ],
)
def test_a_wheel_fits_where_an_installer_would_take_it(tag, target, fits):
    assert query.fits(wheel(tag), target) is fits


def test_the_tags_of_this_interpreter_are_among_those_of_its_target():
    import platform
    import sys

    from packaging.tags import sys_tags

    if not sys.platform.startswith("linux"):
        pytest.skip("the tags of a Linux interpreter")
    here = Target(
        platform=f"linux-{platform.machine()}",
        python=f"{sys.version_info[0]}.{sys.version_info[1]}",
        glibc=platform.libc_ver()[1],
    )
    own = {tag for tag in sys_tags() if not tag.platform.startswith("musl")}

    assert own <= query.target_tags(here)


def test_a_target_without_a_macos_takes_what_any_macos_takes():
    assert Tag("cp312", "cp312", "macosx_26_0_arm64") in query.target_tags(MAC)


def test_a_release_is_found_by_its_very_version(matrix):
    assert query.release(matrix, "tensorflow", "2.18.1").version == "2.18.1"
    assert query.release(matrix, "tensorflow", "2.18") is None
    assert query.release(matrix, "left-pad", "1.0") is None


def test_the_wheel_that_fits_is_returned(matrix):
    row = query.release(matrix, "tensorflow", "2.18.1")

    assert query.wheel_for(row, MAC).tag == "cp312-cp312-macosx_12_0_arm64"
    assert query.wheel_for(row, INTEL) is None
    assert query.has_wheel(matrix, "tensorflow", "2.18.1", LINUX)
    assert not query.has_wheel(matrix, "tensorflow", "2.18.1", INTEL)
    assert not query.has_wheel(matrix, "tensorflow", "9.9", LINUX)


def test_a_shell_carries_no_tensorflow(matrix):
    old = Target(platform="macos-arm64", python="3.11")

    assert query.has_wheel(matrix, "tensorflow", "2.13.0", old)
    assert not query.carries_tensorflow(matrix, "tensorflow", "2.13.0", old)
    assert query.carries_tensorflow(matrix, "tensorflow", "2.18.1", MAC)
    assert not query.carries_tensorflow(matrix, "tensorflow", "2.18.1", INTEL)
    assert not query.carries_tensorflow(matrix, "tensorflow", "9.9", MAC)


def test_versions_for_a_target_are_final_unyanked_and_newest_first(matrix):
    assert query.versions_for(matrix, "tensorflow", MAC) == ("2.18.1",)
    assert query.versions_for(matrix, "tensorflow", Target(platform="macos-arm64", python="3.11")) == ("2.13.0",)
    assert query.versions_for(matrix, "tensorflow", Target(platform="macos-arm64", python="3.11"), bodies=True) == ()
    assert query.versions_for(matrix, "tensorflow", INTEL) == ()


def test_the_pythons_of_a_release_and_of_a_distribution(matrix):
    assert query.pythons_for(matrix, "tensorflow", "2.18.1", MAC) == ("3.12",)
    assert query.pythons_for(matrix, "tensorflow", "2.18.1", Target(platform="macos-arm64", python="3.8")) == ("3.12",)
    assert query.pythons_for(matrix, "tensorflow", "9.9", MAC) == ()
    assert query.pythons_with_any(matrix, "tensorflow", MAC) == ("3.11", "3.12")


def test_a_pair_is_judged_once_whichever_distribution_carries_it(matrix):
    found = query.link(matrix, "2.16.2", "tensorflow-metal", "1.2.0", "arm64")

    assert (found.distribution, found.loads) == ("tensorflow", True)
    assert query.link(matrix, "2.16.2", "tensorflow-metal", "1.2.0", "x86_64") is None
    assert query.link(matrix, "2.16.2", "other-plugin", "1.2.0", "arm64") is None


def test_where_tensorflow_itself_has_no_row_the_other_distribution_answers(tmp_path):
    name = "links/tensorflow-metal.arm64.toml"
    only = '  { distribution = "tensorflow", tensorflow = "2.16.2", plugin_version = "1.2.0", loads = true },\n'
    assert only in GOOD[name]
    matrix = load(write(tmp_path, {**GOOD, name: GOOD[name].replace(only, "")}))

    assert query.link(matrix, "2.16.2", "tensorflow-metal", "1.2.0", "arm64").distribution == "tensorflow-macos"


def test_what_loads_is_listed_newest_first(tmp_path):
    rows = "".join(
        f'  {{ distribution = "tensorflow", tensorflow = "{tf}", plugin_version = "{metal}", loads = {loads} }},\n'
        for tf, metal, loads in (
            ("2.9.2", "0.5.0", "true"),
            ("2.10.0", "0.5.0", "true"),
            ("2.10.0", "0.10.0", "true"),
            ("2.22.0rc0", "0.5.0", "true"),
            ("2.11.0", "0.5.0", "false, layer = 3, missing = 'x'"),
        )
    )
    text = f'plugin = "tensorflow-metal"\narchitecture = "arm64"\npairs = [\n{rows}]\n[missing]\nx = ["_TF_X"]\n'
    matrix = load(write(tmp_path, {"links/a.toml": text}))

    assert query.loadable_plugins(matrix, "2.10.0", "arm64") == ("0.10.0", "0.5.0")
    assert query.loadable_plugins(matrix, "2.11.0", "arm64") == ()
    assert query.loadable_plugins(matrix, "2.10.0", "x86_64") == ()
    assert query.loadable_plugins(matrix, "2.10.0", "arm64", "another") == ()
    assert query.tensorflows_for_plugin(matrix, "0.5.0", "arm64") == ("2.10.0", "2.9.2")
    assert query.tensorflows_for_plugin(matrix, "0.5.0", "x86_64") == ()


def test_the_binary_of_a_plugin_release(matrix):
    assert query.plugin_binary(matrix, "tensorflow-metal", "1.2.0", "arm64").minimum_macos == "12.1"
    assert query.plugin_binary(matrix, "tensorflow-metal", "1.2.0", "x86_64") is None


@pytest.mark.parametrize(
    ("name", "version", "python", "ids"),
    [
        ("tensorflow", "2.11.0", "3.9", ["numpy-2", "old-python-only"]),
        ("tensorflow", "2.11.0", "3.10", ["numpy-2"]),
        ("tensorflow", "2.11.0", None, ["numpy-2", "old-python-only"]),
        ("tensorflow", "2.12.0", "3.9", []),
        ("tensorflow-macos", "2.11.0", "3.9", ["numpy-2"]),
        ("keras", "2.11.0", "3.9", []),
    ],
)
def test_a_release_has_the_repairs_that_name_it(matrix, name, version, python, ids):
    assert [row.id for row in query.repairs_for(matrix, name, version, python)] == ids


def test_claims_are_no_observations_and_a_failure_is_not_seen_working(matrix):
    runs = query.observations_of(matrix, "2.18.0", "1.1.0")

    assert [row.id for row in runs] == ["OBS001"]
    assert query.pairs_seen(runs) == ()
    assert query.observations_of(matrix, "2.18.0", "1.2.0") == ()
    assert query.observations_of(matrix, "2.18.0", None) == ()


def test_a_run_that_worked_is_seen_working(tmp_path):
    name = "observed/runs.toml"
    text = GOOD[name].replace("fails-to-load", "works")
    matrix = load(write(tmp_path, {**GOOD, name: text}))

    assert [row.id for row in query.pairs_seen(query.observations_of(matrix, "2.18.0", "1.1.0"))] == ["OBS001"]
