from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Reference
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from compat.facts.known import UNKNOWN
from compat.verdict.rule import MissingFactError
from compat.verdict.rules.declared import Requirement, declared, is_below, read, requires_of
from tests.verdict.rules.builders import dist, environment, facts, python
from tests.verdict.rules.tiny_matrix import MAC_ARM, release, tiny_matrix, wheel

NAMES = st.sampled_from(["numpy", "Typing_Extensions", "zope.interface", "a", "tensorflow-io-gcs-filesystem", "x2"])
OPERATORS = st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "~="])
VERSIONS = st.sampled_from(["1.0", "2.0.0", "3.20.3", "5.0.0dev", "2.5.0.dev", "1.2.post1"])
SPECIFIERS = st.lists(st.builds("{}{}".format, OPERATORS, VERSIONS), max_size=3).map(",".join)
LINES = st.builds(
    "{}{}{}{}".format,
    NAMES,
    st.sampled_from(["", "[cuda]", " [a,b]"]),
    st.one_of(SPECIFIERS, SPECIFIERS.filter(bool).map(" ({})".format)),
    st.sampled_from(["", '; extra == "x"', " ; python_version < '3.9' and os_name == 'nt'"]),
)


@settings(deadline=None)  # the first answer may import packaging
@given(LINES)
def test_a_line_is_taken_apart_as_packaging_does(line):
    theirs = Reference(line)

    ours = read(line)

    assert ours is not None
    assert ours.name == canonicalize_name(theirs.name)
    assert SpecifierSet(ours.specifier) == theirs.specifier
    assert ours.marker.replace("'", '"') == str(theirs.marker or "").replace("'", '"')


@settings(deadline=None)  # the first answer may import packaging
@given(st.text(alphabet="ab-1.<>=~!,;@[]() '\"", max_size=12))
def test_what_is_read_is_what_packaging_reads(line):
    """A marker is not looked into here, so a line with one may be read that packaging refuses."""
    ours = read(line)

    try:
        theirs = Reference(line)
    except InvalidRequirement:
        assert ours is None or ours.marker
        return
    assert ours is not None
    assert ours.name == canonicalize_name(theirs.name)


def test_a_direct_reference_asks_for_the_name_only():
    found = read("b @ https://example.org/b.whl ; python_version > '3'")

    assert found is not None
    assert (found.name, found.specifier, found.marker) == ("b", "", 'python_version > "3"')
    assert read("b @ https://example.org/b.whl") == Requirement(name="b", specifier="", marker="")


@pytest.mark.parametrize("line", ["", "no requirement ]", "numpy>=1.0<2", "=="])
def test_a_line_that_is_none_is_none(line):
    assert read(line) is None


@pytest.mark.parametrize(
    ("specifier", "version", "below"),
    [
        (">=1.26.0,<2.1", "1.24.3", True),
        ("<2.1.0,>=1.26.0", "2.3", False),
        ("~=0.4.0", "0.3.2", True),
        ("==2.15.*", "2.14", True),
        ("==0.2.0", "0.5", False),
        (">3", "2", True),
        ("<2", "1", False),
        ("!=4.21.0,>=3.20.3", "3.19.6", True),
        (">=1", "no version", False),
        ("", "1", False),
    ],
)
def test_below_is_older_than_the_oldest_admitted(specifier, version, below):
    assert is_below(specifier, version) is below


def test_of_two_copies_the_first_on_the_path_counts():
    installed = environment(dist("a==1", requires=("b<2",)), "b==1.0", "b==3.0")

    assert declared(facts(environment=installed)).conflicts == ()


def test_a_pre_release_that_is_installed_counts():
    installed = environment(dist("a==1", requires=("b>=2.0rc1",)), "b==2.0rc2")

    assert declared(facts(environment=installed)).conflicts == ()


def test_a_conflict_says_who_requires_what_and_what_is_there():
    (found,) = declared(facts(environment=environment(dist("a==1", requires=("b>=2",)), "b==1.5"))).conflicts

    assert found.said == "a 1 requires b>=2, and b 1.5 is installed"


def test_nothing_is_said_of_an_environment_nobody_looked_at():
    with pytest.raises(MissingFactError):
        declared(facts(environment=UNKNOWN))


def test_the_environment_s_own_metadata_goes_before_the_matrix():
    matrix = tiny_matrix(releases={"a": [release("a", "1", [wheel("cp312", MAC_ARM, requires=["c"])])]})

    assert requires_of(dist("a==1", requires=("b",)), facts(), matrix) == ("b",)
    assert requires_of(dist("a==1"), facts(), matrix) == ("c",)


@pytest.mark.parametrize("interpreter", [python(machine=UNKNOWN), python("3.8.18")])
def test_without_a_wheel_that_fits_nothing_is_known_to_be_required(interpreter):
    matrix = tiny_matrix(releases={"a": [release("a", "1", [wheel("cp312", MAC_ARM, requires=["c"])])]})

    assert requires_of(dist("a==1"), facts(interpreter=interpreter), matrix) == ()
    assert requires_of(dist("z==1"), facts(interpreter=interpreter), matrix) == ()


def test_a_wheel_whose_requirements_the_matrix_does_not_keep_requires_nothing_known():
    matrix = tiny_matrix(releases={"a": [release("a", "1", [wheel("cp312", MAC_ARM)])]})

    assert requires_of(dist("a==1"), facts(), matrix) == ()
