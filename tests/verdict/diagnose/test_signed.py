"""Signatures that two known problems share: the stated versions decide, else the one without conditions."""

import pytest

from tests.verdict.diagnose.telling import top

WORKS = "I tensorflow/core/x.cc:114] Plugin optimizer for device_type GPU is enabled."
XLA = "W tensorflow/core/op_kernel.cc:1830] OP_REQUIRES failed at xla_ops.cc:418 : NOT_FOUND: could not find registered platform with id: 0x13f441e40"


@pytest.mark.parametrize(
    "said, name",
    [
        ("", "ISS039"),
        ("Python 3.9", "ISS039"),
        ("tensorflow-macos 2.13.0, tensorflow-metal 1.0.1", "ISS039"),
        ("Apple M1, tensorflow-macos 2.11.0, tensorflow-metal 0.7.0", "ISS004"),
        ("Apple M1, tensorflow-macos 2.11.0", "ISS004"),
    ],
)
def test_versions_decide_between_two_problems_of_xla_on_metal(said, name):
    assert top(f"{said}\n{WORKS}\n{XLA}")[0] == name


def test_words_that_other_gpus_print_too_are_hardly_of_metal():
    assert top(f"I run it on CUDA\n{XLA}")[2] == "low"
    assert top(f"MacBook Pro M1\n{XLA}")[::2] == ("ISS039", "medium")


def test_a_list_for_an_intel_mac_is_the_gap_of_wheels_and_no_rosetta():
    offered = "(from versions: 2.9.0, 2.9.1, 2.9.2, 2.10.0, 2.11.0, 2.12.0)"
    text = f"From an x86 macOS machine, Python 3.10\nERROR: Could not find a version that satisfies the requirement tensorflow-macos==2.14.0 {offered}"

    assert top(text)[:2] == ("PY204", "PY204")
    assert top(text.replace("x86 macOS machine", "Apple M1"))[1] == "PY201"
