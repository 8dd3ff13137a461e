"""What Python runs as."""

import pytest

from compat.probe.pasted.architectures import architectures
from tests.probe.pasted.stating import stated


@pytest.mark.parametrize(
    "text, expected",
    [
        ("macOS-13.4-arm64-arm-64bit", "arm64"),
        ("macOS-10.16-x86_64-i386-64bit", "x86_64"),
        ("Linux-5.15.0-91-generic-x86_64-with-glibc2.35", "x86_64"),
        ("  Using cached x-1-cp311-cp311-macosx_12_0_arm64.whl", "arm64"),
        ("  Downloading x-1-cp39-cp39-macosx_10_15_x86_64.whl", "x86_64"),
        ("clang: x86_64-apple-darwin13.4.0", "x86_64"),
        ("platform : osx-64", "x86_64"),
        (">>> platform.machine()\n'x86_64'", "x86_64"),
        ("uname -m: arm64", "arm64"),
        ("https://conda.anaconda.org/apple/osx-64", "x86_64"),
        ("I cpu_feature_guard.cc:182] To enable the following CPU instructions: AVX2 FMA, rebuild", "x86_64"),
        ("TensorFlow library was compiled to use AVX instructions, but these aren't available", "x86_64"),
    ],
)
def test_an_architecture_is_read(text, expected):
    assert (expected, "seen") in stated(architectures, text).get("process", set())


@pytest.mark.parametrize(
    "text",
    [
        "(mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
        "x-1-cp39-cp39-macosx_12_0_arm64.whl is not a supported wheel on this platform",
        "CONDA_SUBDIR=osx-arm64 conda create",
        "the recipe is built for osx-64, osx-arm64 and linux-64",
    ],
)
def test_what_does_not_run_here_is_none(text):
    assert "process" not in stated(architectures, text)


@pytest.mark.parametrize(
    "text, expected", [("macOS 13 x86", "x86_64"), ("macOS 12 x86-64", "x86_64"), ("arm64", "arm64")]
)
def test_a_field_that_holds_the_word_alone_is_said(text, expected):
    assert (expected, "said") in stated(architectures, text).get("process", set())
