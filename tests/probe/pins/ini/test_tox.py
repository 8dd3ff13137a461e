import pytest
from hypothesis import given

from compat.probe.pins.ini import tox_envs
from compat.probe.pins.ini.tox import read
from tests.probe.pins.reading import assert_read, mutated, named, rows, source, takes_another_behind_each

TEXT = """\
[tox]
envlist = py{39,310}-tf{211,215}, lint
[base]
deps =
    pytest
[testenv]
deps =
    {[base]deps}
    numpy<2   # why
    tf211: tensorflow==2.11.*
    !tf211: keras
    -rnone.txt
commands =
    pip install foo==1
    pip show tensorflow
[testenv:lint]
basepython = python3.12
deps = ruff
[testenv:mac]
platform = darwin
deps =
    tensorflow-metal
"""


def test_each_line_is_told_once_with_its_condition_as_a_group():
    file = read(source("tox.ini", TEXT))

    assert [(pin.line, pin.column, pin.name, pin.specifier, pin.group) for pin in file.pins] == [
        (5, 5, "pytest", "", "testenv"),
        (9, 5, "numpy", "<2", "testenv"),
        (10, 12, "tensorflow", "==2.11.*", "testenv with tf211"),
        (11, 13, "keras", "", "testenv with !tf211"),
        (14, 17, "foo", "==1", "testenv commands"),
        (18, 8, "ruff", "", "env lint"),
        (22, 5, "tensorflow-metal", "", "env mac"),
    ]
    assert named(file, "tensorflow-metal").marker == "sys_platform == 'darwin'"


def test_each_environment_is_the_groups_that_hold_for_it():
    assert read(source("tox.ini", TEXT)).scopes == (
        ("testenv", "testenv with tf211", "testenv commands", "env py39-tf211"),
        ("testenv", "testenv with !tf211", "testenv commands", "env py39-tf215"),
        ("testenv", "testenv with tf211", "testenv commands", "env py310-tf211"),
        ("testenv", "testenv with !tf211", "testenv commands", "env py310-tf215"),
        ("env lint", "testenv commands"),
        ("env mac", "testenv commands"),
    )


def test_pythons_are_named_by_environments_and_base_python():
    told = [(one.version, one.line, one.group) for one in read(source("tox.ini", TEXT)).pythons]

    assert told[0] == ("3.9", 2, "env py39-tf211")
    assert told[-1] == ("3.12", 17, "env lint")
    assert len(told) == 5


def test_sections_that_refer_to_one_another_end():
    file = read(source("tox.ini", "[a]\nb = {[testenv]deps}\n[testenv]\ndeps =\n  {[a]b}\n  numpy\n"))

    assert {pin.name for pin in file.pins} == {"numpy"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("py{39,310}-tf", ("py39-tf", "py310-tf")),
        ("py3{9-11}", ("py39", "py310", "py311")),
        ("plain", ("plain",)),
        ("{1-999}{1-999}", ()),
    ],
)
def test_generative_names_are_expanded_within_limits(text, wanted):
    assert tox_envs.expanded(text) == wanted


@pytest.mark.parametrize(
    ("expression", "name", "wanted"),
    [
        ("py39", "py39-tf", True),
        ("py39-tf", "py39", False),
        ("py39,lint", "lint", True),
        ("py{39,310}-!tf", "py310-tf", False),
        ("!tf", "py39", True),
    ],
)
def test_a_condition_holds_for_some_environments(expression, name, wanted):
    assert tox_envs.holds(expression, name) is wanted


@pytest.mark.parametrize(
    ("name", "wanted"), [("py39", "3.9"), ("py3.12-a", "3.12"), ("lint", ""), ("3.11", "3.11"), ("py3", "")]
)
def test_a_name_says_its_python(name, wanted):
    assert tox_envs.python(name) == wanted


def test_another_requirement_can_follow_each():
    assert takes_another_behind_each(read, "tox.ini", TEXT.replace("    pip install foo==1\n", "")) == 6


def test_a_broken_file_says_where():
    assert read(source("tox.ini", "x\n")).problem == "a line before the first section"
    assert rows(read(source("tox.ini", ""))) == []


@given(mutated(TEXT))
def test_no_text_raises(text):
    assert_read(read, "tox.ini", text)
