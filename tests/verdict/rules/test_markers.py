from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.markers import Marker

from compat.facts.known import UNKNOWN
from compat.verdict.rules.markers import NAMES, _quick, decide, unknown_variables, variables_of
from tests.verdict.rules.builders import facts, linux, linux_python, mac, python, windows

MAC = variables_of(facts())
VERSIONS = ["3", "3.8", "3.9", "3.10", "3.11", "3.12", "3.12.4", "3.13"]
TEXTS = ["darwin", "linux", "win32", "arm64", "x86_64", "Darwin", "CPython", "posix", "cpython", ""]
CLAUSES = st.one_of(
    st.builds(
        '{} {} "{}"'.format,
        st.sampled_from(["python_version", "python_full_version"]),
        st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
        st.sampled_from(VERSIONS),
    ),
    st.builds(
        "{}{}'{}'".format,
        st.sampled_from(
            [
                "sys_platform",
                "platform_system",
                "os_name",
                "platform_machine",
                "implementation_name",
                "platform_python_implementation",
            ]
        ),
        st.sampled_from(["==", "!=", " == ", " != "]),
        st.sampled_from(TEXTS),
    ),
    st.builds('extra == "{}"'.format, st.sampled_from(["test", "tensorflow", "a-b"])),
)
MARKERS = st.recursive(
    CLAUSES,
    lambda inner: st.one_of(
        st.builds("{} and {}".format, inner, inner),
        st.builds("{} or {}".format, inner, inner),
        st.builds("({})".format, inner),
    ),
    max_leaves=6,
)


def test_the_variables_are_those_of_the_interpreter_looked_at():
    assert variables_of(facts(mac(kernel="23.5.0"), python("3.9.18"))) == {
        "python_full_version": "3.9.18",
        "python_version": "3.9",
        "implementation_name": "cpython",
        "implementation_version": "3.9.18",
        "platform_python_implementation": "CPython",
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "os_name": "posix",
        "platform_machine": "arm64",
        "platform_release": "23.5.0",
    }


def test_linux_and_windows_have_their_own_names():
    assert variables_of(facts(linux(), linux_python()))["sys_platform"] == "linux"
    assert variables_of(facts(windows(), linux_python()))["os_name"] == "nt"


def test_what_nobody_looked_at_has_no_value():
    assert variables_of(facts(mac(os=UNKNOWN, kernel=UNKNOWN), UNKNOWN)) == {}


def test_pypy_s_own_version_is_not_its_python_s():
    found = variables_of(facts(interpreter=python(implementation="pypy")))

    assert found["platform_python_implementation"] == "PyPy"
    assert "implementation_version" not in found


@settings(deadline=None)  # the first answer may import packaging
@given(MARKERS)
def test_the_answer_is_that_of_packaging(marker):
    assert decide(marker, MAC) is Marker(marker).evaluate({**MAC, "extra": ""})


@settings(deadline=None)  # the first answer may import packaging
@given(MARKERS, st.sets(st.sampled_from(sorted(MAC))))
def test_an_unknown_variable_never_turns_an_answer_into_another(marker, unknown):
    fewer = {name: value for name, value in MAC.items() if name not in unknown}

    assert decide(marker, fewer) in {None, Marker(marker).evaluate({**MAC, "extra": ""})}


@pytest.mark.parametrize(
    "marker",
    [
        'extra == "test"',
        '(python_version < "3.9" or sys_platform == "win32") and extra == "test"',
        'python_version < "3.9" and extra == "test"',
        "python_version >= '3.8'",
        'platform_machine != "arm64" or platform_system != "Darwin"',
    ],
)
def test_the_usual_markers_are_read_without_packaging(marker, monkeypatch):
    monkeypatch.setattr("compat.verdict.rules.markers._slow", lambda *_: pytest.fail("asked packaging"))

    assert decide(marker, MAC) in {True, False}


@pytest.mark.parametrize(
    "marker",
    [
        'python_version in "3.8 3.9"',
        'platform_release >= "20"',
        '"3.8" < python_version',
        'extra != "x"',
        'sys_platform >= "a"',
    ],
)
def test_a_clause_of_another_kind_goes_to_packaging(marker):
    assert _quick(marker, MAC) == (False, None)
    assert decide(marker, MAC) is Marker(marker).evaluate({**MAC, "extra": ""})


def test_no_answer_where_it_turns_on_the_unknown():
    assert decide('platform_machine == "arm64"', {}) is None
    assert decide('(platform_machine == "arm64")', {}) is None
    assert decide('platform_machine == "arm64" and sys_platform == "win32"', {"sys_platform": "darwin"}) is False
    assert decide('platform_machine == "arm64" or sys_platform == "darwin"', {"sys_platform": "darwin"}) is True


def test_a_text_that_is_no_marker_has_no_answer():
    assert decide("(nonsense", MAC) is None
    assert decide('platform_machine ~= "arm64"', MAC) is None


def test_unknown_variables_are_named_once_and_not_taken_from_texts():
    assert unknown_variables("os_name == 'python_version' and os_name != 'x'", {}) == ("os_name",)
    assert unknown_variables("os_name == 'x'", {"os_name": "posix"}) == ()


def test_every_name_is_one_packaging_knows():
    for name in NAMES:
        Marker(f'{name} == "1"')
