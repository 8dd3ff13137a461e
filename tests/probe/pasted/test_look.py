"""The whole look: once each, only what is followed, captures taken out of the text around them."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.errors import UsageError
from compat.probe.pasted.look import look

NAMES = frozenset({"tensorflow", "numpy"})
SEED = Path(__file__).parents[2] / "data" / "machines" / "seed-m1-loss-explosion.json"


def test_a_statement_is_kept_once_with_its_first_line():
    found = look(b"x\ntensorflow 2.18.0\ntensorflow 2.18.0\n", (), NAMES)

    assert [(row.name, row.value, row.line.number) for row in found.stated] == [("tensorflow", "2.18.0", 2)]


def test_packages_that_nobody_follows_are_left_out():
    found = look(b"Successfully installed numpy-1.26.4 leftpad-1.0.0", (), NAMES)

    assert {row.name for row in found.stated} == {"numpy"}


def test_a_capture_is_read_and_the_text_around_it_is_looked_at_by_itself():
    capture = SEED.read_text()
    found = look(f"I am on Ubuntu 22.04.\n```json\n{capture}\n```\nValueError: x".encode(), (), NAMES)

    assert found.capture.machine.chip == "Apple M1"
    assert ("os", "linux") in {(row.name, row.value) for row in found.stated}
    assert not {row.name for row in found.stated} & {"tensorflow", "chip"}


def test_a_capture_cut_short_or_of_another_schema_is_text():
    capture = SEED.read_text()

    assert look(capture[: len(capture) // 2].encode(), (), NAMES).capture is None
    assert look(json.dumps({**json.loads(capture), "schema_version": 99}).encode(), (), NAMES).capture is None


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_whatever_break_the_look(raw):
    try:
        found = look(b"tensorflow " + raw, ("Symbol not found: _x",), NAMES)
    except UsageError:
        pytest.fail("there was text")
    assert found.bytes_read == len(raw) + 11
