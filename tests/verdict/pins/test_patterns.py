"""Patterns of files: what they fit."""

import time

import pytest

from compat.verdict.pins.patterns import fits, plain


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


def test_a_pattern_full_of_stars_takes_no_time():
    began = time.perf_counter()
    assert not fits("/".join(["**", "*a*a*a*a*a*a*b"] * 12), "/".join(["a" * 200] * 20))

    assert time.perf_counter() - began < 2


def test_one_file_has_one_plain_path():
    assert plain("./a/../b.txt") == plain("b.txt") == "b.txt"
