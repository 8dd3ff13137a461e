"""Each planted fault changes what TensorFlow computes, in both modes, and is gone when it is taken out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.faults import planting
from tests.smoke.environments import environment

HERE = Path(__file__).parent
NAMES = 131
"""Faults of the mutation study that the catalogue re-implements, the legitimate one included."""


@pytest.fixture(scope="module")
def changes(tmp_path_factory):
    """What `checking` says of each fault, by name, from one child in a real environment."""
    python = environment("keras3", tmp_path_factory.mktemp("environments"))
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    quiet.pop("PYTHONDONTWRITEBYTECODE", None)  # TensorFlow's import takes twice as long without its bytecode
    command = [python, str(HERE / "checking.py"), "--set", "mutants"]
    # half a minute of one core; much longer on a busy machine
    child = subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=1800, check=False)
    assert child.returncode == 0, child.stderr[-2000:]
    lines = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
    return {line["name"]: line for line in lines}


@pytest.mark.real
def test_every_fault_is_there_and_none_ends_in_an_error(changes):
    assert len(changes) == NAMES
    assert [line for line in changes.values() if "error" in line] == []


@pytest.mark.real
@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_every_fault_shows_while_planted(changes, mode):
    assert [name for name, line in changes.items() if line[mode] <= 1] == []


@pytest.mark.real
def test_nothing_is_left_of_any_fault(changes):
    assert [name for name, line in changes.items() if line["after"] > 1] == []


def test_a_name_is_taken_once():
    planting.register("only here", op="", text="", family="")(test_a_name_is_taken_once)

    with pytest.raises(ValueError, match="only here"):
        planting.register("only here", op="", text="", family="")(test_a_name_is_taken_once)
    del planting.FAULTS["only here"]


def test_code_is_swapped_for_whoever_holds_the_function():
    def first(x, y=2):
        return x + y

    site, held = planting.Site(tf=None), [first]
    first.__globals__[planting.TABLE] = {"t": lambda x, y=0: (x, y)}
    site._recode(first, planting.stub("t"))
    planted_answer = held[0](1)
    site.clear()
    del first.__globals__[planting.TABLE]

    assert planted_answer == (1, 0)
    assert held[0](1) == 3
