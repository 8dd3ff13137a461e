"""People's words for nothing to install: of what, which version, for which Python and architecture."""

import pytest

from compat.facts.pasted import NO_WHEEL, REFUSED, SYSTEM
from compat.probe.pasted.lacking import lacking
from compat.probe.pasted.lines import Log


def found(text):
    return [(item.name, item.version, item.python, item.architecture) for item in lacking(Log(text.encode()))]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("there is no wheel of tensorflow-text 2.13.0", ("tensorflow-text", "2.13.0", "", "")),
        ("tensorflow-io has no prebuilt arm64 wheel", ("tensorflow-io", "", "", "arm64")),
        ("no cp311 wheels for tensorflow-macos 2.9.2", ("tensorflow-macos", "2.9.2", "3.11", "")),
        ("tensorflow 2.18 cannot be installed on my Intel iMac", ("tensorflow", "2.18", "", "x86_64")),
        ("I could not install tensorflow_decision; nothing found", ("", "", "", "")),
        ("there is no such version of tensorflow-gpu as 2.13.0", ("tensorflow-gpu", "2.13.0", "", "")),
        ("pip rejects tensorflow==2.9.1", ("tensorflow", "2.9.1", "", "")),
        ("TensorFlow-Metal isn't supported on Python 3.14", ("tensorflow-metal", "", "3.14", "")),
        ("the Metal plugin does not support 3.13 yet", ("tensorflow-metal", "", "3.13", "")),
        ("tensorflow 2.20.0 is there but tensorflow-metal cannot be installed", ("tensorflow-metal", "", "", "")),
        ("tensorflow 2.20.0 is there; cannot install tensorflow-metal 1.2.0", ("tensorflow-metal", "1.2.0", "", "")),
        ("tensorflow-text has no aarch64", ("tensorflow-text", "", "", "arm64")),
    ],
)
def test_what_is_lacking_is_what_the_line_names(text, expected):
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "there is no version mismatch",
        "no such version control",
        "this op is not supported",
        "the device does not support float64",
        "no arm64 Python here",
        "2.18 wheels install well",
        "ERROR: No matching distribution found for tensorflow-text",
        "GPU is not available on this machine",
    ],
)
def test_other_things_that_are_missing_are_no_wheels(text):
    assert found(text) == []


def test_a_command_above_names_what_the_complaint_does_not():
    assert found("$ pip install -U tf-text\nnothing found") == [("tensorflow-text", "", "", "")]
    assert found("pip install -U tf-text" + "\n\n" * 9 + "nothing found") == [("", "", "", "")]


def test_a_name_that_is_none_on_the_index_is_told_apart():
    (alias,), (spoken,) = (tuple(lacking(Log(text))) for text in (b"no wheel of tf-macos", b"no wheel of TF"))

    assert (alias.name, alias.is_alias) == ("tensorflow-macos", True)
    assert not spoken.is_alias


def test_refused_files_and_systems_called_too_old_are_their_own_kinds():
    text = b"x-1-cp38-cp38-macosx_11_0_arm64.whl is not a supported wheel\nmacOS is too old for it\nno wheel"

    assert sorted(item.kind for item in lacking(Log(text))) == sorted([REFUSED, SYSTEM, NO_WHEEL])


def test_the_middle_of_a_long_log_is_no_place_for_sentences():
    letters = str.maketrans("0123456789", "abcdefghij")
    noise = "".join(
        f"{number} lines of a log, none like another\n".translate(letters) for number in range(12_000)
    ).encode()

    assert len(noise) > 400_000
    assert found((noise[:200_000] + b"\nno wheel here\n" + noise[200_000:]).decode()) == []
    assert len(found((noise + b"\nno wheel here").decode())) == 1
