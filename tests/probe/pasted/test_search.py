"""Signatures are found in any wrapping, at their last place, within a time limit, by few passes over the text."""

import pytest

from compat.matrix.load import load
from compat.probe.pasted.lines import Log
from compat.probe.pasted.search import find, gates
from compat.verdict.diagnose.diagnosis import signatures_of

NAMES = (
    "Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii",
    "AttributeError: _ARRAY_API not found",
    "Could not find a version that satisfies the requirement tensorflow-metal",
    "requirement tensorflow==2.9…(from versions: 2.13",
)


def found(text):
    return {hit.signature: hit.line.number for hit in find(Log(text.encode()), NAMES)}


@pytest.mark.parametrize(
    "text, number",
    [
        (f"x\n{NAMES[1]}", 2),
        (f"x\n\n> > {NAMES[1]}\n", 3),
        ("AttributeError:\n   _ARRAY_API not\n   found", 3),
        ("│ AttributeError: _ARRAY_API │\n│ not found │", 2),
        ("AttributeErr\nor: _ARRAY_A\nPI not found", 1),
    ],
)
def test_wrapping_hides_nothing(text, number):
    assert list(found(text)) == [NAMES[1]]
    assert abs(found(text)[NAMES[1]] - number) <= 2


def test_the_last_place_counts():
    assert found(f"{NAMES[1]}\n\n\n{NAMES[1]}")[NAMES[1]] == 4


def test_a_near_miss_is_none():
    assert found("AttributeError: _ARRAY_API found, not\nlost") == {}
    assert found("requirement tensorflow==2.8 (from versions: 2.13)") == {}


def test_every_signature_of_the_matrix_finds_itself():
    signatures = signatures_of(load())
    text = "\n".join(signature.replace("…", " and then ") for signature in signatures)

    assert {hit.signature for hit in find(Log(text.encode()), signatures)} == set(signatures)


def test_few_words_lead_to_all_signatures():
    signatures = signatures_of(load())
    led = gates(signatures)

    assert {signature for group in led.values() for signature in group} == set(signatures)
    assert len(led) < len(signatures) / 3


def test_a_search_ends_at_its_time_limit_with_what_it_has():
    ticks = iter(range(0, 10_000, 4))
    text = "\n".join(f"{name} number {i} AttributeError: no" for i, name in enumerate(NAMES))

    assert len(find(Log(text.encode()), NAMES, clock=lambda: next(ticks))) < len(found(text))
