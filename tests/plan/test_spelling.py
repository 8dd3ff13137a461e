"""Version sets as each format spells them, beside what stood there before."""

import shlex

import pytest

from compat.facts.pins import Span, Writing
from compat.plan.spelling import added, quoted, renamed, respelled


@pytest.mark.parametrize(
    "old, new, text",
    [
        ("", "<2.20", "<2.20"),
        ("==2.15.1", "==2.16.2", "==2.16.2"),
        (">=2.16", ">=2.16,<2.20", ">=2.16,<2.20"),
        (">= 2.16", ">=2.16,<2.20", ">= 2.16,< 2.20"),
        (">=2.9, <3", "<3,>=2.9,<2.20", ">=2.9, <3, <2.20"),
        (">=2.9, <3", ">=2.9,<2.20", ">=2.9, <2.20"),
        (">=2.16", "", ""),
    ],
)
def test_bounds_that_stay_are_left_as_they_are_written(old, new, text):
    assert respelled(old, "pep440", new) == text


@pytest.mark.parametrize(
    "old, new, text",
    [
        ("*", "<2.20", "<2.20"),
        ("2.9.0", "==2.16.2", "2.16.2"),
        ("2.9.0", ">=2.16", ">=2.16"),
        ("^2.10", ">=2.10,<2.20", ">=2.10,<2.20"),
        ("==2.9.0", "==2.16.2", "==2.16.2"),
        ("2.9.0", "==2.16.*", "==2.16.*"),
        ("^2.10", "", "*"),
    ],
)
def test_poetry_has_a_bare_version_and_a_star(old, new, text):
    assert respelled(old, "poetry", new) == text


def test_pipfile_has_a_star_for_any_version():
    assert respelled("*", "pipfile", "==2.16.2") == "==2.16.2"
    assert respelled("==2.9", "pipfile", "") == "*"


@pytest.mark.parametrize(
    "old, new, name, text",
    [
        ("tensorflow", "<2.20", "", "'tensorflow<2.20'"),
        ("tensorflow", "==2.16.2", "", "tensorflow==2.16.2"),
        ('"tensorflow>=2.16"', ">=2.16,<2.20", "", '"tensorflow>=2.16,<2.20"'),
        ("'tensorflow>=2.16'", ">=2.16,<2.20", "", "'tensorflow>=2.16,<2.20'"),
        (r"\"tensorflow>=2.16\"", ">=2.16,<2.20", "", r"\"tensorflow>=2.16,<2.20\""),
        ("tensorflow-macos==2.15.1", None, "tensorflow", "tensorflow==2.15.1"),
        ("'keras[tf]==2'", "==3", "", "'keras[tf]==3'"),
        ("'keras==2; python_version > \"3.9\"'", "==3", "", "'keras==3; python_version > \"3.9\"'"),
        ("'unclosed==2", "==3", "", None),
        ("$PKG==2", "==3", "", None),
    ],
)
def test_a_word_of_a_shell_line_keeps_its_quotes_or_gets_some(old, new, name, text):
    assert respelled(old, "word", new, name=name) == text


@pytest.mark.parametrize("word", ["numpy<2", "numpy", "keras[tf]>=2", "a; python_version < '3.9'", "numpy==1.26.*"])
def test_a_shell_hands_a_quoted_word_on_as_it_was(word):
    assert shlex.split(quoted(word)) == [word]


def writing(spelling, *, joint="\n", opening="", closing=""):
    return Writing(
        specifier=Span(start=0, end=0), spelling=spelling, entry_end=0, joint=joint, opening=opening, closing=closing
    )


@pytest.mark.parametrize(
    "requirement, how, text",
    [
        ("numpy<2", writing("pep440"), "\nnumpy<2"),
        ("numpy<2", writing("pep440", joint=", ", opening='"', closing='"'), ', "numpy<2"'),
        (
            'numpy<2; python_version < "3.12"',
            writing("pep440", joint=", ", opening='"', closing='"'),
            """, "numpy<2; python_version < '3.12'\"""",
        ),
        (
            "numpy<2; python_version < '3.12'",
            writing("pep440", joint=", ", opening="'", closing="'"),
            """, 'numpy<2; python_version < "3.12"'""",
        ),
        ("numpy<2", writing("pep440", joint="\n  ", opening="- "), "\n  - numpy<2"),
        ("numpy<2", writing("poetry"), '\nnumpy = "<2"'),
        ("numpy", writing("pipfile"), '\nnumpy = "*"'),
        ("keras[tf]==3", writing("poetry"), '\nkeras = { version = "==3", extras = ["tf"] }'),
        (
            "numpy<2; python_version < '3.12'",
            writing("pipfile"),
            """\nnumpy = { version = "<2", markers = 'python_version < "3.12"' }""",
        ),
        ("numpy<2", writing("word", joint=" "), " 'numpy<2'"),
    ],
)
def test_another_entry_is_spelled_as_its_neighbours(requirement, how, text):
    assert added(requirement, how) == text


def test_a_name_is_found_only_where_it_stands():
    assert renamed("TensorFlow_macOS==2", "tensorflow-macos") == len("TensorFlow_macOS")
    assert renamed("tensorflow==2", "tensorflow-macos") is None
    assert renamed("==2", "tensorflow") is None
