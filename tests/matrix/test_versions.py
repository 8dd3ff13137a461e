"""Versions are packaging's: parsed, ordered, contained; and lists of them read as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from compat.matrix import versions

NUMBERS = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
TEXTS = NUMBERS.map(lambda parts: ".".join(map(str, parts)))


@pytest.mark.parametrize("text", ["", "two", "2.18.1-", "16.x", "2..1"])
def test_what_is_no_version_is_none(text):
    assert versions.parse(text) is None
    assert not versions.is_final(text)
    assert versions.minor(text) == text


@pytest.mark.parametrize(
    ("specifier", "version", "inside"),
    [
        (">=2.18,<2.20", "2.18.0", True),
        (">=2.18,<2.20", "2.19.1", True),
        (">=2.18,<2.20", "2.20.0", False),
        (">=2.18,<2.20", "2.18.0rc0", False),
        (">=2.20.0rc0", "2.22.0rc0", True),  # pre-releases count
        ("==2.14.*", "2.14.1", True),
        ("<12.3", "12.2.1", True),
        ("since 2.18", "2.18.0", False),
        (">=2.18", "newest", False),
    ],
)
def test_a_set_admits_what_pep_440_says(specifier, version, inside):
    assert versions.contains(specifier, version) is inside


def test_what_is_no_set_is_none():
    assert versions.specifiers("2.18 or newer") is None
    assert versions.specifiers(">=2.18") == SpecifierSet(">=2.18")


def test_ten_comes_after_nine():
    assert versions.newest(["2.9.2", "2.10.0", "junk"]) == "2.10.0"
    assert sorted(["2.10.0", "junk", "2.9.2"], key=versions.order) == ["junk", "2.9.2", "2.10.0"]


def test_of_nothing_there_is_no_newest():
    assert versions.newest(["junk", ""]) is None


@given(st.lists(TEXTS, min_size=1))
def test_the_newest_is_packagings_greatest(texts):
    assert Version(versions.newest(texts)) == max(map(Version, texts))


@pytest.mark.parametrize(
    ("text", "final"), [("2.18.1", True), ("2.15.0.post1", True), ("2.22.0rc0", False), ("1.dev0", False)]
)
def test_final_is_neither_pre_nor_development(text, final):
    assert versions.is_final(text) is final


def test_a_minor_is_the_first_two_numbers():
    assert versions.minor("2.18.1") == "2.18"
    assert versions.minor("3") == "3.0"


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["3.9", "3.10", "3.11", "3.12"], "3.9–3.12"),
        (["3.12", "3.9", "3.10", "3.9"], "3.9–3.10, 3.12"),
        (["3.8"], "3.8"),
        ([], ""),
        (["junk", "3.8"], "3.8"),
        (["2.9", "3.10"], "2.9, 3.10"),
        (["3", "3.1"], "3, 3.1"),
        (["2.18.0", "2.18.1", "2.19.0"], "2.18.0–2.18.1, 2.19.0"),
    ],
)
def test_consecutive_versions_are_told_as_a_range(texts, told):
    assert versions.ranges(texts) == told
