import configparser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compat.probe.pins.ini import places as ini_places
from tests.probe.pins.reading import source

TEXT = """\
[options]
install_requires =
    numpy  # why
    # nothing
    keras<3

python_requires: >=3.9
[b]
"""


def parse(text):
    return ini_places.parse(source("setup.cfg", text))


def test_each_line_of_a_value_knows_its_place():
    lines = parse(TEXT).option("options", "install_requires").filled

    assert [(line.text, TEXT[line.at : line.end], line.indent) for line in lines] == [
        ("numpy  # why", "numpy  # why", "    "),
        ("keras<3", "keras<3", "    "),
    ]


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("a = 1\n", "a line before the first section", 1),
        ("[a]\nb\n", "neither a section nor an option", 2),
        ("[a]\n= 1\n", "neither a section nor an option", 2),
        ("[a]\nb=1\nb=2\n", "the option b is there twice", 3),
        ("[a]\n[a]\n", "the section a is there twice", 2),
    ],
)
def test_what_configparser_refuses_is_a_problem(text, problem, line):
    found = parse(text)

    assert (found.problem, found.line) == (problem, line)


@given(st.text(alphabet="ab[]=:#; \t\r\n", max_size=60))
@example("[a]\nb = c\n  d\n\n  e\n[b]\n  c : d\n")
@example("[a]\n  b = c\n d = e\n   f\n")
def test_values_are_configparsers(text):
    oracle = configparser.RawConfigParser(default_section="\0")
    oracle.optionxform = str
    wanted = None
    try:
        oracle.read_string(text.replace("\r\n", "\n"))
        wanted = {
            section: {name: oracle.get(section, name).split() for name in oracle.options(section)}
            for section in oracle.sections()
        }
    except (configparser.Error, AttributeError):
        wanted = None

    found = parse(text)

    told = {
        section: {name: option.text.split() for name, option in options.items()}
        for section, options in found.sections.items()
    }
    assert (None if found.problem else told) == wanted
