"""A notebook's code cells install; its outputs and its prose do not."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.probe.pins.commands.notebook import read
from compat.probe.pins.source import Source
from tests.ending import ending


def notebook(*sources, **more):
    cells = [{"cell_type": "code", "source": source, **more} for source in sources]
    return json.dumps({"cells": cells, "nbformat": 4}, indent=1)


def of(text):
    return read(Source(Path("/nowhere/a.ipynb"), text))


@pytest.mark.parametrize(
    "source, names",
    [
        (["!pip install tensorflow==2.9 --user\n"], ["tensorflow"]),
        (["import é\n", "%pip install -q 'a<2' \\\n", "   b\n", "x = 1"], ["a", "b"]),
        ("!{sys.executable} -m pip install a", ["a"]),
        (["%conda install -c apple tensorflow-deps"], ["tensorflow-deps"]),
        (["%%bash\n", "if true; then\n", "pip install a\n", "fi"], ["a"]),
        ("pip install a", ["a"]),
        ('!pip install "a==1" "b"', ["a", "b"]),
        (["!uv pip install a"], ["a"]),
        (["# !pip install a\n", "print('!pip install a')"], []),
        (["!echo pip install a"], []),
        ([], []),
    ],
)
def test_cells(source, names):
    text = notebook(source)
    file = of(text)

    assert [pin.name for pin in file.pins] == names
    for pin in file.pins:
        line = text.split("\n")[pin.line - 1]
        assert line[pin.column - 1 :].startswith(pin.name)


def test_outputs_and_prose_are_not_searched():
    text = json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["!pip install no"]},
                {
                    "outputs": [{"text": ["!pip install no"], "data": {"source": ["!pip install no"]}}],
                    "cell_type": "code",
                    "source": ["!pip install yes"],
                },
            ]
        }
    )

    assert [pin.name for pin in of(text).pins] == ["yes"]


def test_a_quoted_word_is_edited_with_its_escapes():
    text = notebook(['!pip install "tensorflow==2.9"\n'])
    (pin,) = of(text).pins
    writing = pin.writing
    edited = text[: writing.specifier.start] + "'tensorflow<2.9'" + text[writing.specifier.end :]

    assert [(p.name, p.specifier) for p in of(edited).pins] == [("tensorflow", "<2.9")]
    assert json.loads(edited)["cells"][0]["source"] == ["!pip install 'tensorflow<2.9'\n"]


@pytest.mark.parametrize(
    "text, problem",
    [("{", "not JSON"), ("[" * 200_000, "nested too deeply"), ("", "not JSON"), ("1" * 10_000, "not JSON")],
)
def test_what_is_no_json_is_a_problem(text, problem):
    assert of(text).problem.startswith(problem)


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"cells": 3}', '{"cells": [3, {"source": 4}, {"source": [5]}, null]}', "null"]
)
def test_json_of_another_shape_has_no_pins(text):
    assert (of(text).pins, of(text).problem) == ((), None)


def test_huge_outputs_cost_little():
    text = notebook(["!pip install a"], outputs=[{"data": {"image/png": "x" * 10_000_000, "n": list(range(200_000))}}])

    with ending():
        assert [pin.name for pin in of(text).pins] == ["a"]


@settings(deadline=None)
@given(st.text(max_size=30), st.integers(0, 200))
def test_a_mutilated_notebook_is_read_without_raising(put, at):
    text = notebook(["!pip install 'a<2'\n", put], "%%bash\npip install " + put)

    of(text)
    of(text[:at])
    of(text[:at] + put + text[at:])
