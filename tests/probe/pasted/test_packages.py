"""Versions of packages, however a text states them; and what is no statement about this machine."""

import pytest

from compat.probe.pasted.packages import versions
from tests.probe.pasted.stating import stated

SEEN, SAID, ASKED = "seen", "said", "asked"


@pytest.mark.parametrize(
    "text, name, expected",
    [
        ("tensorflow 2.13.0", "tensorflow", ("2.13.0", SAID)),
        ("TensorFlow: 2.13", "tensorflow", ("2.13", SAID)),
        ("- TensorFlow version 2.20.x", "tensorflow", ("2.20", SAID)),
        ("I use tensorflow-metal v1.0.1 here", "tensorflow-metal", ("1.0.1", SAID)),
        ("tensorflow_macos: 2.9.2", "tensorflow-macos", ("2.9.2", SAID)),
        ("tensorflow-macos==2.11.0", "tensorflow-macos", ("2.11.0", SAID)),
        ("pip install tensorflow==2.13.0", "tensorflow", ("2.13.0", ASKED)),
        ("Collecting tensorflow-metal==1.1.0", "tensorflow-metal", ("1.1.0", ASKED)),
        ("  Downloading tensorflow-2.15.0-cp311-cp311-x.whl", "tensorflow", ("2.15.0", ASKED)),
        ("Successfully installed keras-3.3.3 tensorflow-2.16.1", "tensorflow", ("2.16.1", SEEN)),
        ("Successfully installed keras-3.3.3 tensorflow-2.16.1", "keras", ("3.3.3", SEEN)),
        ("Name: tensorflow\nVersion: 2.14.0", "tensorflow", ("2.14.0", SEEN)),
        (">>> tf.__version__\n'2.12.0'", "tensorflow", ("2.12.0", SEEN)),
        ("np.__version__ = 1.26.4", "numpy", ("1.26.4", SEEN)),
        ("Requirement already satisfied: numpy<2 in ./lib (from tensorflow) (1.26.4)", "numpy", ("1.26.4", SEEN)),
        (
            "tensorflow 2.15.0 requires keras<2.16, but you have keras 3.0.5 which is incompatible.",
            "keras",
            ("3.0.5", SEEN),
        ),
        (
            "tensorflow 2.15.0 requires keras<2.16, but you have keras 3.0.5 which is incompatible.",
            "tensorflow",
            ("2.15.0", SEEN),
        ),
        ("compiled using NumPy 1.x cannot be run in\nNumPy 2.0.2 as it may crash", "numpy", ("2.0.2", SEEN)),
        ("### TensorFlow version\n\nv2.16.1-0-g5bc9d26649c 2.16.1\n", "tensorflow", ("2.16.1", SAID)),
        ("TensorFlow version (use command below): v2.9.0-18-gd8ce9f9c301 2.9.1", "tensorflow", ("2.9.1", SAID)),
        ("**TensorFlow version**: tf 2.15", "tensorflow", ("2.15", SAID)),
    ],
)
def test_a_version_is_read_with_how_it_is_stated(text, name, expected):
    assert expected in stated(versions, text).get(name, set())


@pytest.mark.parametrize(
    "text",
    [
        "tensorflow>=2.13",
        "needs tensorflow 2.13 or newer",
        "works with TensorFlow 2.12-2.17",
        "TensorFlow 2.13+",
        "with tensorflow 2.15.0 it worked fine",
        "I will try tensorflow 2.15.0 instead",
        "  Uninstalling tensorflow-2.12.0:",
        "Found existing installation: tensorflow 2.12.0",
        "(from versions: tensorflow 2.16.1)",
        "my_tensorflow 2.3.1",
        "tensorflow/core/foo.cc:117 2.18",
    ],
)
def test_ranges_other_machines_and_what_is_gone_state_nothing(text):
    assert "tensorflow" not in stated(versions, text)


PIP_LIST = """Package                      Version
---------------------------- ---------
absl-py                      2.1.0
tensorflow                   2.16.1
tensorflow-metal             1.1.0

something 9.9.9
"""
CONDA_LIST = """# packages in environment at /opt/miniforge3/envs/tf:
#
# Name                    Version                   Build  Channel
numpy                     1.23.2           py39h3668e8b_0    conda-forge
tensorflow-macos          2.12.0                   pypi_0    pypi
"""


@pytest.mark.parametrize("frame", ["", "> ", "│ "])
def test_tables_of_pip_and_conda_are_read_row_by_row(frame):
    pip = stated(versions, "\n".join(frame + line for line in PIP_LIST.splitlines()))
    conda = stated(versions, "\n".join(frame + line for line in CONDA_LIST.splitlines()))

    assert ("1.1.0", SEEN) in pip["tensorflow-metal"]
    assert ("2.1.0", SEEN) in pip["absl-py"]
    assert ("2.12.0", SEEN) in conda["tensorflow-macos"]
    assert ("1.23.2", SEEN) in conda["numpy"]
    assert "something" not in pip


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow 2.16.2 works; 2.17.1 fails", {("2.17.1", "failed")}),
        ("TensorFlow 2.18.0 crashes, 2.17.0 is fine", {("2.18.0", "failed")}),
        ("tensorflow: 2.12.1, 2.13.1 bad; 2.11.0 ok", {("2.12.1", "failed"), ("2.13.1", "failed")}),
        ("tensorflow 2.18.0 fails", {("2.18.0", SAID)}),
        ("tensorflow 2.18.0 fails with keras 3.9.0, keras 3.6.0 works", {("2.18.0", SAID)}),
    ],
)
def test_of_versions_with_an_outcome_the_failing_one_is_there(text, expected):
    assert stated(versions, text)["tensorflow"] == expected


@pytest.mark.parametrize(
    "line, value",
    [
        ("tensorflow >= 2.19", ">=2.19"),
        ("'tensorflow>=2.18,<2.20',", ">=2.18,<2.20"),
        ("tensorflow~=2.16.0; sys_platform == 'darwin'", "~=2.16.0"),
    ],
)
def test_a_required_range_is_stated_beside_a_plugin_only(line, value):
    assert stated(versions, f"{line}\ntensorflow-metal")["tensorflow"] == {(value, SAID)}
    assert "tensorflow" not in stated(versions, line)


def test_of_ranges_with_an_outcome_the_failing_one_is_there():
    assert stated(versions, "tensorflow-metal\nkeras >=3.5 wrong, <=3.4 right")["keras"] == {(">=3.5", "failed")}


def test_a_range_in_a_sentence_is_no_requirement():
    assert "tensorflow" not in stated(versions, "tensorflow-metal needs tensorflow>=2.19 I believe")


def test_a_pair_that_is_said_not_to_load_is_one_that_failed():
    found = stated(versions, "tensorflow-metal\nthey say 1.1.0 does not load on >=2.18")

    assert found["tensorflow"] == {(">=2.18", "failed")}
    assert found["tensorflow-metal"] == {("1.1.0", "failed")}
