"""Whether there is anything to install, for which Python and platform; the wheels are those of the index."""

import pytest

from tests.verdict.pins.judged import ids, judged, told


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow==2.12.0\n", [("PIN503", "error")]),
        ("tensorflow==2.70\n", [("PIN503", "error")]),
        ("tensorflow-macos==2.17.0\n", [("PIN503", "error")]),
        ("tensorflow==2.13.0\n", []),
        ("tensorflow-cpu==2.18.1\n", [("PIN512", "error")]),
        ("tensorflow-gpu==2.8.0\n", [("PIN512", "error")]),
        ("tensorflow-intel==2.15.0\n", [("PIN512", "error")]),
        ("tensorflow[and-cuda]\n", [("PIN512", "error")]),
        ("tensorflow[and-cuda]; sys_platform == 'linux'\n", []),
        ("tensorflow-cpu==2.18.1; platform_machine == 'x86_64' and sys_platform == 'linux'\n", []),
        ("tensorflow-probability==0.25.0\ntensorflow-hub\n", []),
    ],
)
def test_wheels_of_apple_silicon(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize(
    "text, words",
    [
        ("tensorflow==2.12.0\n", "there it is called tensorflow-macos"),
        ("tensorflow-macos==2.17.0\n", "no release of tensorflow-macos meets ==2.17.0; the newest is 2.16.2"),
        ("tensorflow==2.70\n", "no release of tensorflow meets ==2.70"),
        ("tensorflow-cpu==2.18.1\n", "tensorflow is the CPU build there"),
    ],
)
def test_it_says_what_is_there_instead(text, words):
    assert words in judged(text)[0].message


def test_another_name_or_distribution_is_the_cure():
    assert [cure.name for cure in judged("tensorflow==2.12.0\n")[0].cures] == ["tensorflow-macos"]
    found = judged("tensorflow-cpu==2.18.1\n")[0].cures
    assert [(cure.marker, cure.add) for cure in found] == [
        ("sys_platform != 'darwin'", "tensorflow==2.18.1; sys_platform == 'darwin'")
    ]
    found = judged("tensorflow-cpu==2.18.1; platform_machine == 'arm64'\n")[0].cures
    assert [cure.name for cure in found] == ["tensorflow"]


PYPROJECT = """[project]
name = "x"
version = "1"
requires-python = "{python}"
dependencies = ["tensorflow-macos>=2.16", "tensorflow-metal>=1.1"]
"""


def test_requires_python_narrows_the_wheels():
    assert told(PYPROJECT.format(python=">=3.13"), "pyproject.toml") == [("PIN503", "error"), ("PIN503", "error")]
    assert told(PYPROJECT.format(python=">=3.9,<3.12"), "pyproject.toml") != [("PIN503", "error")]


def test_an_admitted_python_without_a_wheel_is_remarked():
    rows = [row for row in judged(PYPROJECT.format(python=">=3.11"), "pyproject.toml") if row.id == "PIN508"]

    assert [row.severity.value for row in rows] == ["info", "info"]
    assert "Python 3.13–3.14" in rows[0].message


@pytest.mark.parametrize("python", [">=3.7,<3.8", "==3.15.*"])
def test_a_python_nobody_built_for(python):
    assert told(PYPROJECT.format(python=python), "pyproject.toml") == [("PIN503", "error")]


def test_a_marker_that_names_intel_macs_is_judged_for_them():
    rows = judged("tensorflow==2.18.1; sys_platform == 'darwin' and platform_machine == 'x86_64'\n")

    assert [(row.id, row.targets) for row in rows if row.severity.value == "error"] == [("PIN503", ("macos-x86_64",))]


def test_targets_can_be_asked_for():
    text = "tensorflow==2.18.1\ntensorflow-metal==1.2.0\n"

    assert told(text) == []
    assert told(text, targets=("linux-x86_64",)) == [("PIN503", "error")]


WORKFLOW = """jobs:
  test:
    runs-on: macos-14
    strategy:
      matrix:
        python-version: ["3.11", "3.13"]
    steps:
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python-version }}
      - run: pip install tensorflow==2.18.1 tensorflow-metal==1.2.0
"""


def test_each_python_of_a_workflow_is_held_against_the_pins():
    rows = [row for row in judged(WORKFLOW, ".github/workflows/ci.yml") if row.id == "PIN540"]

    assert {(row.line, row.severity.value) for row in rows} == {(6, "error")}
    assert all("3.13" in row.message for row in rows)
    assert "PIN540" not in ids(WORKFLOW.replace(', "3.13"', ""), ".github/workflows/ci.yml")


def test_an_extra_for_nvidia_is_kept_for_linux():
    (cure,) = judged("tensorflow[and-cuda]>=2.16\n")[0].cures

    assert (cure.marker, cure.add) == ("sys_platform == 'linux'", "tensorflow>=2.16; sys_platform != 'linux'")


def test_another_build_beside_tensorflow_gets_a_condition():
    found = [row for row in judged("tensorflow==2.18.1\ntensorflow-cpu==2.18.1\n") if row.id == "PIN512"]

    assert [cure.marker for cure in found[0].cures] == ["sys_platform != 'darwin'"]


@pytest.mark.parametrize(
    "text, name, rules",
    [
        # versions the matrix may lack are not told to be none
        ("tensorflow==2.20.0rc0\n", "requirements.txt", ["PIN561"]),
        ("tensorflow==2.22.0\n", "requirements.txt", ["PIN561"]),
        ("tensorflow==2.4.1; sys_platform == 'linux'\n", "requirements.txt", ["PIN561"]),
        ("tensorflow==2.27\n", "requirements.txt", ["PIN503"]),
        # a pin for one Python, which has no wheel for it
        ("tensorflow==2.18.0; python_version == '3.13'\n", "requirements.txt", ["PIN503"]),
        # what only leaves Apple silicon out means no one machine
        ("tensorflow==2.18.1; sys_platform != 'darwin' or platform_machine != 'arm64'\n", "requirements.txt", []),
        ("FROM python:3.7\nRUN pip install tensorflow==2.11.0\n", "Dockerfile", []),
    ],
)
def test_what_is_not_known_is_no_error(text, name, rules):
    found = [row for row in judged(text, name) if row.id in ("PIN503", "PIN561")]

    assert [row.id for row in found] == rules
    assert all(row.severity.value == ("info" if row.id == "PIN561" else "error") for row in found)


EXTRAS = """[project]
name = "x"
version = "1"
[project.optional-dependencies]
cuda = ["tensorflow[and-cuda]==2.18.0"]
linux = ["tensorflow==2.18.0; sys_platform == 'linux'"]
windows = ["tensorflow-intel==2.18.0"]
metal = ["tensorflow==2.18.0", "tensorflow-metal==1.2.0"]
"""


def test_each_extra_is_judged_for_what_it_is():
    assert told(EXTRAS, "pyproject.toml") == []


def test_one_finding_hides_no_other():
    text = "tensorflow-cpu==2.18.1\ntensorflow==2.18.1\ntensorflow-metal==1.1.0\n"

    assert told(text) == [("PIN512", "error"), ("PIN501", "error")]


def test_a_distribution_whose_version_no_mac_has_points_to_nothing():
    (row, *_) = judged("tensorflow-gpu==2.10.0\n")

    assert "nor has tensorflow of that version" in row.message
    assert row.cures == ()
