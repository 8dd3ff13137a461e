"""All cases together: named once, the same for everybody, computed by public calls, compiled where it tells something."""

from __future__ import annotations

import collections

import pytest
from battery import catalogue, values
from battery.levels import Level
from battery.programs import collection

CASES = {case.name: case for case in catalogue.all_cases()}
PROGRAMS = collection.all_programs(Level("full"))
REPORTED = ("k3_odd", "k3_s2", "k2_even", "k1_wide", "dil2_direct", "batch65600", "deep")


def test_ids_are_unique():
    names = [case.name for case in catalogue.all_cases()]
    programs = [(program.name, program.mode) for program in PROGRAMS]

    assert len(names) == len(set(names))
    assert len(programs) == len(set(programs))


@pytest.mark.parametrize("name", REPORTED)
def test_the_shapes_behind_real_reports_are_in_the_quick_battery(name):
    assert CASES[f"conv2d/{name}"].level == "quick"


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_a_case_is_a_public_expression_of_its_inputs(case):
    names = case.expression.__code__.co_names

    assert "raw_ops" not in names
    assert set(case.inputs) <= set(case.expression.__code__.co_varnames)
    assert case.sources <= len(case.inputs)


@pytest.mark.parametrize("case", [case for case in CASES.values() if case.level == "quick"], ids=lambda case: case.name)
def test_the_data_of_a_quick_case_fit_it(case):
    for fill in case.fills:
        assert len(fill.inputs) == len(case.inputs)
        assert set(fill.wants) <= set(case.names)
        assert fill.wants or case.across
        assert (fill.upstream is None) == (case.sources == 0)
    case._fills = None


def test_every_operation_is_compiled_at_standard_at_least_once():
    compiled, eager = collections.Counter(), set()
    for case in CASES.values():
        if Level("standard").runs(case.level):
            eager.add(case.op)
            compiled[case.op] += Level("standard").runs(case.graph)

    assert [op for op in eager if not compiled[op]] == []


def test_everybody_computes_the_same_values():
    again = {case.name: case for case in catalogue.all_cases()}

    for name in ("conv2d/k3_odd", "maxpool/k3s2", "dense/n7", "index/embedding", "reduce/sum_last"):
        pairs = list(zip(CASES[name].fills, again[name].fills, strict=True))
        assert pairs
        assert all((one.inputs[0] == other.inputs[0]).all() for one, other in pairs)


def test_another_seed_is_other_values(monkeypatch):
    before = CASES["conv2d/k3_odd"].fills[0].inputs[0]
    monkeypatch.setattr(values, "SEED", 1)

    after = {case.name: case for case in catalogue.all_cases()}["conv2d/k3_odd"].fills[0].inputs[0]

    assert (after != before).any()


def test_logits_stay_close_together_since_fast_exponentials_degrade_with_their_argument():
    import numpy as np

    z = values.logits(np.random.RandomState(0), 100, 1000)

    assert np.ptp(z) <= 8
    assert np.ptp(z) > 4


@pytest.mark.parametrize("highest", [1, 2, 7])
def test_whole_numbers_take_every_value_but_zero(highest):
    import numpy as np

    found = set(values.whole_numbers(np.random.RandomState(0), (1000,), highest).tolist())

    assert found == set(range(-highest, highest + 1)) - {0}
