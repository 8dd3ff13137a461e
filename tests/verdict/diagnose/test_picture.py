"""Statements taken together: tools outweigh people, exact values refine ranges, contradictions stay open."""

from tests.verdict.diagnose.telling import drawn


def values(rows):
    return sorted(row.value for row in rows)


def test_a_tool_outweighs_a_person():
    assert values(drawn("tensorflow 2.15.0\n>>> tf.__version__\n'2.16.1'").packages["tensorflow"]) == ["2.16.1"]


def test_an_exact_version_refines_the_range_it_lies_in():
    assert values(drawn("TensorFlow 2.16 here.\ntensorflow: 2.16.2").packages["tensorflow"]) == ["2.16.2"]
    assert drawn("Python 3.11.4\n/x/python3.11/site-packages/y").python == ("3.11.4",)


def test_people_who_contradict_themselves_leave_both():
    assert values(drawn("tensorflow 2.15.0\nTensorFlow version: 2.16.1").packages["tensorflow"]) == ["2.15.0", "2.16.1"]


def test_what_was_asked_for_is_not_installed():
    found = drawn("pip install tensorflow==2.15.0")

    assert "tensorflow" not in found.packages
    assert values(found.asked["tensorflow"]) == ["2.15.0"]


def test_what_an_installer_could_not_get_is_not_installed():
    text = "tensorflow-metal\nCould not find a version that satisfies the requirement tensorflow-metal==1.2.0 (from versions: none)"

    assert "tensorflow-metal" not in drawn(text).packages


def test_the_plugin_means_a_mac_and_a_release_with_arm64_wheels_only_means_arm64():
    found = drawn("tensorflow-metal 1.1.0")

    assert (found.os, found.process, found.process_assumed) == (("macos",), ("arm64",), False)


def test_on_apple_silicon_arm64_is_only_taken_for_usual():
    found = drawn("Apple M1, macOS 13.1")

    assert (found.process, found.process_assumed) == (("arm64",), True)
    assert drawn("Apple M1 with an Intel Python under Rosetta").process == ()


def test_an_intel_mac_runs_x86_64():
    assert drawn("iMac with Intel Core i7, macOS 12").process == ("x86_64",)


def test_names_and_darwin_numbers_of_macos_are_versions():
    assert drawn("macOS Sonoma, Apple M2").macos == ("14",)
    assert drawn("Darwin Kernel Version 22.5.0, Apple M2").macos == ("13",)


def test_another_system_that_is_only_spoken_of_is_not_this_one():
    assert drawn("Apple M1. On Ubuntu as well.").os == ("macos",)
    assert drawn("docker run on Ubuntu, Apple M1").os == ("macos", "linux")


def test_what_a_version_alone_says_of_the_architecture_is_only_assumed():
    old, new = drawn("tensorflow 2.6, Apple M1"), drawn("tensorflow 2.18.0, macOS 14")

    assert (old.process, old.process_assumed) == (("x86_64",), True)
    assert (new.process, new.process_assumed) == (("arm64",), True)


def test_an_architecture_that_stands_alone_is_said():
    assert drawn("macOS x86_64\ntensorflow 2.18.0").process == ("x86_64",)
    assert drawn("arm64\ntensorflow 2.10.0").process == ("arm64",)
    assert drawn("an arm64 wheel of it").process == ()


def test_the_version_that_failed_outweighs_what_is_required():
    text = "tensorflow<2.20\ntensorflow-metal 1.2.0\n1.2.0 does not load on >=2.20"

    assert values(drawn(text).packages["tensorflow"]) == [">=2.20"]


def test_windows_around_wsl_is_linux():
    assert drawn("Windows 11, WSL2 with Ubuntu 22.04").os == ("linux",)
