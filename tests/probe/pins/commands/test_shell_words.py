"""Shell text becomes words with their places, whatever it holds."""

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.probe.pins.commands.shell_words import Budget, commands


def words(text):
    return [[word.value for word in command.words] for command in commands(text) if command.words]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a b", [["a", "b"]]),
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a # b\nc", [["a"], ["c"]]),
        ("a#b", [["a#b"]]),
        ("a \\\n b", [["a", "b"]]),
        ("a>log b 2>&1 >>x <y", [["a", "b"]]),
        ("a==1>=2", [["a==1>=2"]]),
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("$(a b) `c d` ${e:-f g}", [["$(a b)", "`c d`", "${e:-f g}"]]),
        ("a it's", [["a", "it's"]]),
        ("x <<A y\nbody\nA\nz", [["x", "y"], ["z"]]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_a_here_document_belongs_to_its_command():
    text = "bash <<EOF\npip install a\n  EOF\nb"
    (first, _) = commands(text)

    assert [text[d.start : d.end] for d in first.documents] == ["pip install a\n"]


@settings(deadline=None)
@given(st.text(alphabet="ab'\" \\", max_size=30))
def test_quoting_is_the_shells(text):
    try:
        expected = shlex.split(text, posix=True)
    except ValueError:
        return

    assert [word for line in words(text) for word in line] == expected


@settings(deadline=None)
@given(st.text(alphabet="ab'\"\\ $({<>|;&\n`#=1E", max_size=60))
def test_places_are_in_the_text_and_in_order(text):
    at = 0
    for command in commands(text):
        for word in command.words:
            assert at <= word.start < word.end <= len(text)
            assert word.start <= word.content <= word.end
            at = word.end


def test_reading_stops_where_the_budget_ends():
    assert len(words("a;" * 100)) == 100
    assert sum(1 for _ in commands("a;" * 100, budget=Budget(30))) < 30
