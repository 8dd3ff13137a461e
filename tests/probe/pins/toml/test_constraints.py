"""Poetry's constraints mean what poetry-core makes of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from compat.probe.pins.toml import constraints


@pytest.mark.parametrize(
    "written, expected",
    [
        # the tables of Poetry's documentation, "Dependency specification"
        ("^1.2.3", (">=1.2.3,<2.0.0",)),
        ("^1.2", (">=1.2,<2.0",)),
        ("^1", (">=1,<2",)),
        ("^0.2.3", (">=0.2.3,<0.3.0",)),
        ("^0.0.3", (">=0.0.3,<0.0.4",)),
        ("^0.0", (">=0.0,<0.1",)),
        ("^0", (">=0,<1",)),
        ("~1.2.3", (">=1.2.3,<1.3.0",)),
        ("~1.2", (">=1.2,<1.3",)),
        ("~1", (">=1,<2",)),
        ("*", ("",)),
        ("1.*", ("==1.*",)),
        ("1.2.*", ("==1.2.*",)),
        ("==1.2.3", ("==1.2.3",)),
        ("2.9.0", ("==2.9.0",)),
        # and what people write beside them
        (">=2.9.1,<2.11.1 || >2.11.1", (">=2.9.1,<2.11.1", ">2.11.1")),
        (">=2.9.1,<2.11.1|>2.11.1", (">=2.9.1,<2.11.1", ">2.11.1")),
        (">= 1.0 <2", (">=1.0,<2",)),
        ("~=2.15.0", ("~=2.15.0",)),
        ("~=2", (">=2,<3",)),
        ("!=1.5, ^1", ("!=1.5,>=1,<2",)),
        ("=1.2", ("==1.2",)),
        ("2.x", ("==2.*",)),
        ("^2.0.0rc1", (">=2.0.0rc1,<3.0.0",)),
        ("${version}", ()),
        ("a || 1.0", ()),
        ("9" * 2000, ()),
    ],
)
def test_a_constraint_becomes_sets_of_the_standard(written, expected):
    assert constraints.poetry(written) == expected


@pytest.mark.parametrize(
    "written, expected",
    [
        ("*", ""),
        ("^ 2.10.0", "^2.10.0"),
        (">= 2.9.1 , < 2.11.1||> 2.11.1", ">=2.9.1,<2.11.1 || >2.11.1"),
        (">=1 <2", ">=1,<2"),
    ],
)
def test_a_constraint_is_told_without_its_blanks(written, expected):
    assert constraints.compact(written) == expected


def test_what_is_pep_440_already_needs_no_translation():
    assert constraints.admitted(">=2.9,<3") is None
    assert constraints.admitted("*") is None
    assert constraints.admitted("2.9") == ("==2.9",)


@pytest.mark.parametrize(
    "written, expected",
    [
        ("^3.9", ">=3.9,<4.0"),
        ("3.11", "==3.11"),
        ("3.11.*", "==3.11.*"),
        ("*", None),
        ("nonsense!", None),
        ("~2.7 || ^3.6", ">=2.7,<4.0"),
        (">=3.8,<3.9 || >=3.10", ">=3.8"),
        ("3.9.* || 3.11.*", ">=3.9,<3.12"),
    ],
)
def test_python_is_one_set_that_leaves_nothing_out(written, expected):
    assert constraints.requires_python(written) == expected


@pytest.mark.parametrize(
    "written, expected",
    [
        ("<3.8", 'python_version < "3.8"'),
        (">=3.9.2", 'python_full_version >= "3.9.2"'),
        ("^3.9", 'python_version >= "3.9" and python_version < "4.0"'),
        ("3.8.*", 'python_version == "3.8"'),
        ("*", ""),
        ("~2.7 || >=3.6", '(python_version >= "2.7" and python_version < "2.8") or python_version >= "3.6"'),
    ],
)
def test_the_python_key_is_a_marker(written, expected):
    assert constraints.python_marker(written) == expected


@pytest.mark.parametrize(
    "written, expected",
    [
        ("darwin", "sys_platform == 'darwin'"),
        ("linux || darwin", "sys_platform == 'linux' or sys_platform == 'darwin'"),
        ("!=win32", "sys_platform != 'win32'"),
    ],
)
def test_the_platform_key_is_a_marker(written, expected):
    assert constraints.platform_marker(written) == expected


@given(st.text("^~<>=!|, .*x0123v-$", max_size=30))
def test_whatever_is_written_the_sets_parse(written):
    assert all(SpecifierSet(row) is not None for row in constraints.poetry(written))
    constraints.compact(written)
    constraints.python_marker(written)
    found = constraints.requires_python(written)
    assert found is None or SpecifierSet(found) is not None
