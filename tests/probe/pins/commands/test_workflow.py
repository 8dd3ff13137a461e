"""A workflow's jobs: their machines, their Pythons, and what their steps install for each value of the matrix."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.probe.pins.commands.workflow import read
from compat.probe.pins.source import Source

LINUX = "sys_platform == 'linux' and platform_machine == 'x86_64'"
MAC = "sys_platform == 'darwin' and platform_machine == 'arm64'"
INTEL = "sys_platform == 'darwin' and platform_machine == 'x86_64'"
MATRIX = """\
env: {NP: "1.26"}
jobs:
  test:
    strategy:
      matrix:
        os: [ubuntu-latest, macos-14]
        python-version: ["3.9", 3.10]
        tf: ["2.15.1", "2.16.2"]
        exclude:
          - {os: macos-14, tf: "2.15.1"}
        include:
          - {os: macos-13, python-version: "3.12", tf: "2.17.0"}
    runs-on: ${{ matrix.os }}
    steps:
      - uses: actions/setup-python@v5
        with: {python-version: "${{ matrix.python-version }}"}
      - run: |
          pip install "tensorflow==${{ matrix.tf }}"
          pip install numpy==$NP
      - if: runner.os == 'macOS' && runner.arch == 'ARM64'
        run: pip install 'tensorflow-metal==1.1.0'
      - run: >-
          pip install
          h5py
"""


def of(text):
    return read(Source(Path("/nowhere/.github/workflows/a.yml"), text))


def test_a_pin_for_each_value_of_the_matrix():
    rows = [(p.specifier, p.admits, p.line, p.marker, p.group) for p in of(MATRIX).pins if p.name == "tensorflow"]
    held = "==${{ matrix.tf }}"

    assert rows == [
        (held, ("==2.15.1",), 18, LINUX, "job test (tf=2.15.1)"),
        (held, ("==2.16.2",), 18, f"({LINUX}) or ({MAC})", "job test (tf=2.16.2)"),
        (held, ("==2.17.0",), 18, INTEL, "job test (tf=2.17.0)"),
    ]
    assert ("job test", "job test (tf=2.17.0)") in of(MATRIX).scopes


def test_what_does_not_hang_on_the_matrix_is_told_once():
    rows = {p.name: (p.admits, p.line, p.marker) for p in of(MATRIX).pins if p.group == "job test"}

    assert rows["numpy"][:2] == (("==1.26",), 19)
    assert rows["tensorflow-metal"] == (None, 21, MAC)
    assert rows["h5py"][1] == 24


def test_pythons_go_with_the_values_they_are_run_with():
    rows = [(row.version, row.line, row.group) for row in of(MATRIX).pythons]

    assert ("3.12", 12, "job test (tf=2.17.0)") in rows
    assert ("3.12", 12, "job test (tf=2.15.1)") not in rows
    assert [row.why for row in of(MATRIX).unread] == ["YAML reads 3.10 as 3.1: quote it"]


@pytest.mark.parametrize(
    "label, marker",
    [
        ("ubuntu-latest", LINUX),
        ("ubuntu-24.04-arm", "sys_platform == 'linux' and platform_machine == 'aarch64'"),
        ("macos-latest", MAC),
        ("macos-15", MAC),
        ("macos-13", INTEL),
        ("macos-15-intel", INTEL),
        ("macos-14-large", INTEL),
        ("macos-13-xlarge", MAC),
        ("windows-2022", "sys_platform == 'win32' and platform_machine == 'AMD64'"),
        ("[self-hosted, macOS, ARM64]", MAC),
        ("[self-hosted, gpu]", ""),
        ("${{ inputs.os }}", ""),
    ],
)
def test_the_machine_of_a_label(label, marker):
    (pin,) = of(f"jobs:\n  a:\n    runs-on: {label}\n    steps:\n      - run: pip install x\n").pins

    assert (pin.marker, pin.group) == (marker, "job a")


@pytest.mark.parametrize(
    "version, expected",
    [('"3.11"', ["3.11"]), ("3.11", ["3.11"]), ("[3.9, '3.11']", ["3.9", "3.11"]), ('"3.x"', []), ("pypy3.9", [])],
)
def test_setup_python(version, expected):
    text = (
        f"jobs:\n  a:\n    steps:\n      - uses: actions/setup-python@v5\n        with: {{python-version: {version}}}\n"
    )

    assert [row.version for row in of(text).pythons] == expected


@pytest.mark.parametrize(
    "run, editable",
    [
        ("|\n          pip install a==1", True),
        ("pip install a==1", True),
        ('"pip install a==1"', False),
        (">-\n          pip install\n          a==1", True),
    ],
)
def test_the_place_of_a_word_in_a_script(run, editable):
    text = f"jobs:\n  a:\n    steps:\n      - run: {run}\n"
    (pin,) = of(text).pins

    assert text.split("\n")[pin.line - 1][pin.column - 1 :].startswith("a==1")
    assert (pin.writing is not None) is editable
    if editable:
        assert text[pin.writing.specifier.start : pin.writing.specifier.end] == "a==1"


def test_steps_of_another_shell_are_not_read():
    assert of("jobs:\n  a:\n    steps:\n      - {run: pip install x, shell: python}\n").pins == ()


def test_aliases_do_not_multiply_the_work():
    steps = "".join(f"      - run: pip install a{n}\n" for n in range(200))
    text = f"jobs:\n  j0:\n    steps: &s\n{steps}" + "".join(f"  j{n}: {{steps: *s}}\n" for n in range(1, 900))

    assert len(of(text).pins) < 50_000


def test_broken_yaml_is_a_problem():
    file = of("jobs: [\n  a: {\n")

    assert (file.problem is not None, file.pins) == (True, ())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(MATRIX)), st.text(max_size=10))
def test_a_mutilated_workflow_is_read_without_raising(at, put):
    of(MATRIX[:at] + put + MATRIX[at + len(put) :])
    of(MATRIX[:at])
