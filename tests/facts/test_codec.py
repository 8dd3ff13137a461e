"""Records survive the trip to JSON and back, and what does not fit is named by its address."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.errors import BadFacts
from compat.facts.capture import Facts
from compat.facts.codec import decode, encode
from compat.facts.environment import Distribution, Environment, PluginFile
from compat.facts.interpreter import FoundInterpreter, Interpreter
from compat.facts.known import NotApplicable, Unknown
from compat.facts.machine import Gpu, Machine

texts = st.text(max_size=20)


def knowns(values):
    return st.one_of(values, st.builds(Unknown, texts), st.just(NotApplicable()))


machines = st.builds(
    Machine,
    os=knowns(texts),
    chip=knowns(texts),
    translated=knowns(st.booleans()),
    memory_bytes=knowns(st.integers(0, 2**45)),
    gpus=knowns(
        st.lists(st.builds(Gpu, name=texts, vendor=texts, cores=st.none() | st.integers()), max_size=2).map(tuple)
    ),
    environment=st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
)
environments = st.builds(
    Environment,
    kind=texts,
    path=texts,
    distributions=st.lists(
        st.builds(
            Distribution,
            name=texts,
            version=texts,
            location=texts,
            requires=st.lists(texts, max_size=2).map(tuple),
            record_complete=st.none() | st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
    plugins=knowns(st.lists(st.builds(PluginFile, path=texts, site=texts), max_size=2).map(tuple)),
)
captures = st.builds(
    Facts,
    machine=machines,
    interpreter=knowns(st.builds(Interpreter, path=texts, version=knowns(texts))),
    environment=knowns(environments),
    found=st.lists(st.builds(FoundInterpreter, path=texts, source=texts), max_size=2).map(tuple),
)


@given(captures)
def test_a_capture_comes_back_as_it_went(facts):
    assert decode(Facts, json.loads(json.dumps(encode(facts)))) == facts


@given(captures)
def test_encoded_facts_are_plain_json(facts):
    json.dumps(encode(facts), allow_nan=False)


def test_unknown_and_inapplicable_are_told_apart():
    value = encode(Machine(os=Unknown("why"), wsl=NotApplicable()))

    assert value["os"] == {"unknown": "why"}
    assert value["wsl"] == {"not_applicable": True}


@dataclass(frozen=True)
class Number:
    value: float
    pair: tuple[int, str] = (1, "a")
    maybe: int | None = None


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinities_travel_as_text(value):
    assert encode(Number(value))["value"] == str(value)
    assert decode(Number, encode(Number(value))).value == value


def test_nan_comes_back_as_nan():
    back = decode(Number, encode(Number(float("nan")))).value

    assert back != back  # noqa: PLR0124 - the very property of NaN


@pytest.mark.parametrize(
    "value, address",
    [
        ({"machine": {"os": 7}}, "machine.os: expected str, found a number"),
        ({"machine": []}, "machine: expected an object, found a list"),
        ({"found": [{"path": "p"}]}, "found[0].source: missing"),
        (
            {"environment": {"kind": "venv", "path": "p", "distributions": [{}]}},
            "environment.distributions[0].name: missing",
        ),
        ({"machine": {"translated": "yes"}}, "machine.translated: expected bool, found text"),
        ({"machine": {"memory_bytes": True}}, "machine.memory_bytes: expected int, found true/false"),
        ({"found": {}}, "found: expected a list, found an object"),
        ({"machine": {"environment": [["a"]]}}, "machine.environment[0]: expected 2 values, found 1"),
        (None, "the top level: expected an object, found null"),
    ],
)
def test_what_does_not_fit_is_named_by_its_address(value, address):
    with pytest.raises(BadFacts) as caught:
        decode(Facts, value)

    assert str(caught.value) == address


def test_an_integer_is_a_float_but_a_truth_is_not():
    assert decode(Number, {"value": 3}).value == 3.0
    with pytest.raises(BadFacts):
        decode(Number, {"value": True})


def test_keys_of_a_newer_tool_are_ignored():
    assert decode(Number, {"value": 1.5, "new": {}}) == Number(1.5)
