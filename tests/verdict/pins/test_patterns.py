"""Patterns of files: what they fit."""

import pytest

from compat.verdict.pins.patterns import fits, plain
from tests.ending import ending


@pytest.mark.parametrize(
    "pattern, path, does",
    [
        ("requirements.txt", "requirements.txt", True),
        ("requirements.txt", "deep/in/requirements.txt", True),
        ("/requirements.txt", "deep/requirements.txt", False),
        ("/requirements.txt", "requirements.txt", True),
        ("docs/*.txt", "docs/a.txt", True),
        ("docs/*.txt", "docs/deep/a.txt", False),
        ("docs/**/a.txt", "docs/a.txt", True),
        ("docs/**/a.txt", "docs/deep/er/a.txt", True),
        ("docs/**", "docs/deep/a.txt", True),
        ("docs/**", "docsa.txt", False),
        ("**/test/*", "a/test/b", True),
        ("docs/", "docs/deep/a.txt", True),
        ("docs", "a/docs/b.txt", True),
        ("./docs/a.txt", "docs/a.txt", True),
        ("*.lock", "a/uv.lock", True),
        ("?.txt", "ab.txt", False),
        ("Docs", "docs/a.txt", False),
    ],
)
def test_a_pattern_fits(pattern, path, does):
    assert fits(pattern, path) is does


@pytest.mark.parametrize(
    "pattern, path",
    [("*a" * 7 + "*b", "a" * 1000), ("**/a*/" * 12 + "b", "/".join(["a"] * 60))],
    ids=["in a name", "between names"],
)
def test_a_pattern_full_of_stars_is_not_tried_in_every_way(pattern, path):
    with ending():
        assert not fits(pattern, path)


def test_one_file_has_one_plain_path():
    assert plain("./a/../b.txt") == plain("b.txt") == "b.txt"
