"""A script's installs are told on the branch they stand on; alternatives are never told as one."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.probe.pins.commands.shell import read
from compat.probe.pins.source import Source
from tests.ending import ending

BRANCHES = """\
#!/bin/bash
pip install numpy
if [[ "$(uname)" == "Darwin" ]]; then
    if [ "$(uname -m)" = "arm64" ]; then
        conda run -n tf pip install tensorflow-macos
    else
        pip install tensorflow==2.16.2
    fi
elif [ -n "$CUDA" ]; then
    pip install "tensorflow[and-cuda]"
else
    pip install tensorflow-cpu
fi
case "$OSTYPE" in
    darwin*) pip install a ;;
    linux*)
        pip install b
        ;;
    *) pip install c ;;
esac
bash <<EOF
pip install d
EOF
"""
MAKEFILE = """\
PIP := pip
mac: venv
\t@pip install tensorflow-macos
linux:
ifeq ($(UNAME),Linux)
\t-$(PIP) install tensorflow
else
\tpip install keras
endif
"""


def of(text, name="a.sh"):
    return read(Source(Path("/nowhere") / name, text))


def test_branches_become_markers_or_groups():
    rows = [(pin.name, pin.line, pin.marker, pin.group) for pin in of(BRANCHES).pins]

    assert rows == [
        ("numpy", 2, "", ""),
        ("tensorflow-macos", 5, "sys_platform == 'darwin' and platform_machine == 'arm64'", ""),
        ("tensorflow", 7, "sys_platform == 'darwin' and platform_machine != 'arm64'", ""),
        ("tensorflow", 10, "sys_platform != 'darwin'", "branch at line 9"),
        ("tensorflow-cpu", 12, "sys_platform != 'darwin'", "branch at line 11"),
        ("a", 15, "sys_platform == 'darwin'", ""),
        ("b", 17, "sys_platform == 'linux'", ""),
        ("c", 19, "sys_platform != 'darwin' and sys_platform != 'linux'", ""),
        ("d", 22, "", ""),
    ]


def test_a_branch_in_a_branch_goes_with_it():
    file = of("if [ $A ]; then\npip install a\nif [ $B ]; then\npip install b\nfi\nfi\npip install c\n")

    assert [pin.group for pin in file.pins] == ["branch at line 1", "branch at line 3", ""]
    assert ("branch at line 1", "branch at line 3") in file.scopes


def test_a_test_before_a_command_guards_it():
    file = of('[ "$(uname)" = Darwin ] && pip install a && pip install b\npip install c\n')

    assert [pin.marker for pin in file.pins] == ["sys_platform == 'darwin'"] * 2 + [""]


def test_the_rules_of_a_makefile_stand_apart():
    file = of(MAKEFILE, "Makefile")

    assert file.kind == "makefile"
    assert [(pin.name, pin.line, pin.column, pin.group, pin.marker) for pin in file.pins] == [
        ("tensorflow-macos", 3, 15, "target mac", ""),
        ("tensorflow", 6, 18, "target linux", "sys_platform == 'linux'"),
        ("keras", 8, 14, "target linux", "sys_platform != 'linux'"),
    ]


@pytest.mark.parametrize(
    "name, text, platforms",
    [
        ("a.bat", "REM pip install no\r\npip install ^\r\n a==1\r\n", ("windows-amd64",)),
        ("a.command", "pip install a==1\n", ("macos-arm64", "macos-x86_64")),
        ("a.ps1", "pip install `\n  a==1\n", ()),
        ("a.txt", "$ pip install a==1\n", ()),
    ],
)
def test_kinds_of_scripts(name, text, platforms):
    file = of(text, name)

    assert ([pin.name for pin in file.pins], file.platforms) == (["a"], platforms)


def test_a_script_without_end_is_cut_and_says_so():
    file = of("pip install a\n" * 70_000)

    assert 4_000 < len(file.pins) < 70_000
    assert [row.why for row in file.unread] == ["too long: only its beginning was read"]


@pytest.mark.parametrize(
    "piece", ["if a; then ", "case $(uname) in a) ", "bash -c 'pip ", "$(", "<<A\n", "a|", "'", '"', "x>=1"]
)
def test_hostile_text_takes_bounded_time(piece):
    text = "pip install a\n" + piece * (1_000_000 // len(piece))

    with ending():
        of(text)


@settings(deadline=None)
@given(st.integers(0, len(BRANCHES)), st.text(alphabet="ifescn;|)('\"\\\n <E", max_size=12))
def test_a_mutilated_script_is_read_without_raising(at, put):
    text = BRANCHES[:at] + put + BRANCHES[at + len(put) :]

    for pin in of(text).pins:
        assert 1 <= pin.line <= text.count("\n") + 1


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_raising(text):
    of("pip install x " + text)
    of("a:\n\tpip install x " + text, "Makefile")
