"""What installers could not get, and from what they could choose."""

import pytest

from compat.probe.pasted.installers import offered, tags
from compat.probe.pasted.lines import Log
from tests.probe.pasted.stating import stated

PLAIN = "ERROR: Could not find a version that satisfies the requirement tensorflow==2.9.1 (from versions: 2.13.0rc0, 2.13.0, 2.13.1)"
UV = """  × No solution found when resolving dependencies:
  ╰─▶ Because tensorflow-macos==2.16.2 has no wheels with a matching Python ABI
      tag (e.g., `cp313`) and you require tensorflow-macos==2.16.2, we can
      conclude that your requirements are unsatisfiable.
"""


def read(text):
    return [(item.name, item.specifier, item.versions, item.is_list) for item in offered(Log(text.encode()))]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(" ", "\n> "),
        "> " + PLAIN.replace(" (from", "\n>   (from").replace(", 2.13.0,", ",\n>   2.13.0,"),
        PLAIN.replace(" the", "\n      │ the"),
    ],
)
def test_the_list_is_read_however_it_is_wrapped(text):
    assert read(text) == [("tensorflow", "==2.9.1", ("2.13.0rc0", "2.13.0", "2.13.1"), True)]


@pytest.mark.parametrize("words", ["(from versions: none)", "(from versions: )"])
def test_no_version_is_an_empty_list(words):
    text = f"Could not find a version that satisfies the requirement tensorflow-metal {words}"

    assert read(text) == [("tensorflow-metal", "", (), True)]


def test_the_two_lines_of_one_complaint_are_one():
    assert len(read(PLAIN + "\nERROR: No matching distribution found for tensorflow==2.9.1")) == 1


def test_a_complaint_without_a_list_has_none():
    assert read("No matching distribution found for tensorflow_text") == [("tensorflow-text", "", (), False)]


def test_uv_names_the_package_and_the_python():
    assert read(UV) == [("tensorflow-macos", "==2.16.2", (), False)]
    assert stated(tags, UV) == {"python": {("3.13", "seen")}}


def test_uv_names_the_platform():
    text = "Because tensorflow==2.12.0 has no wheels with a matching platform tag (e.g., `macosx_14_0_arm64`)"

    assert stated(tags, text) == {"os": {("macos", "seen")}, "process": {("arm64", "seen")}}
