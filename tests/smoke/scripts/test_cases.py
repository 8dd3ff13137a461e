"""The inputs of the battery: exact in any order, blurred by no Winograd, without ties, and the same for everybody."""

from __future__ import annotations

import cases
import numpy as np
import pytest
import references

LINEAR = [case for case in cases.all_cases() if case.name.startswith(("conv2d/", "dense/"))]
POOLS = [case for case in cases.all_cases() if case.name.startswith("maxpool/")]


def fill(case, label):
    return next(fill for fill in case.fills if fill.label == label)


def test_ids_are_unique():
    names = [case.name for case in cases.all_cases()]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ["k3_odd", "k3_s2", "k2_even", "k1_wide", "dil2_direct", "report_l1"])
def test_the_shapes_behind_real_reports_are_in_the_quick_battery(name):
    assert f"conv2d/{name}" in {case.name for case in cases.all_cases() if case.level == "quick"}


@pytest.mark.parametrize("case", LINEAR, ids=lambda case: case.name)
def test_integer_sums_are_exact_in_any_order_and_small_enough_for_winograd(case):
    given = fill(case, "int")
    x, k, b = (abs(value) for value in given.inputs)
    windows = windows_of(case, x, k)
    sums = cases.ConvolutionSums(windows, k.shape[3]) if windows else cases.MatrixSums(*x.shape, k.shape[1])
    totals = {"y": sums.forward(x, k) + b, **sums.backward(x, k, abs(given.upstream))}

    assert all((value == np.trunc(2 * value) / 2).all() for value in given.inputs)  # halves at most
    assert max(total.max() for total in totals.values()) * 2 <= 2**24
    if windows and k.shape[:2] == (3, 3):
        assert totals["y"].max() <= 14_000
        assert totals["dx"].max() <= 14_000


def windows_of(case, x, k):
    if x.ndim == 2:
        return None
    row = cases.CONVOLUTIONS[case.name.split("/")[1]]
    return references.Windows(x.shape, k.shape[:2], (row[6],) * 2, (row[7],) * 2, row[8])


@pytest.mark.parametrize("case", LINEAR, ids=lambda case: case.name)
def test_no_integer_is_zero_since_a_zero_would_hide_a_lost_product(case):
    given = fill(case, "int")

    assert all(value.all() for value in (*given.inputs, given.upstream))


@pytest.mark.parametrize("case", LINEAR, ids=lambda case: case.name)
def test_a_stale_result_shows_because_the_data_alternates(case):
    first, second, third = [fill for fill in case.fills if fill.label == "int"]

    assert first is third
    assert all((first.wants[name].value != second.wants[name].value).any() for name in first.wants)


@pytest.mark.parametrize("name", ["conv2d/k3_relu", "dense/n1", "dense/n7", "dense/n24"])
@pytest.mark.parametrize("label", ["int", "real"])
def test_no_relu_decides_within_rounding_where_a_gradient_passes(name, label):
    given = fill(next(case for case in LINEAR if case.name == name), label)
    x, k, b = (value.astype(float) for value in given.inputs)
    before = x @ k + b if x.ndim == 2 else references.conv2d(x, k, windows_of_name(name, x, k)) + b

    assert (abs(before)[given.upstream != 0] > given.wants["y"].limit[given.upstream != 0]).all()
    assert (before < 0).any()  # a lost ReLU has something to show


def windows_of_name(name, x, k):
    return windows_of(next(case for case in LINEAR if case.name == name), x, k)


@pytest.mark.parametrize("case", POOLS, ids=lambda case: case.name)
def test_pooling_inputs_have_no_ties_and_are_once_all_negative(case):
    centred, negative = (given.inputs[0] for given in case.fills)

    assert all(len(np.unique(x)) == x.size for x in (centred, negative))
    assert centred.min() < 0 < centred.max()
    assert negative.max() < 0


def test_some_quick_pooling_has_more_values_than_float16_can_tell_apart():
    assert any(case.fills[0].inputs[0].size > 2048 for case in POOLS if case.level == "quick")


def test_logits_stay_close_together_since_fast_exponentials_degrade_with_their_argument():
    z = cases.logits(100, 1000, np.random.RandomState(0))

    assert np.ptp(z) <= 8


def test_everybody_computes_the_same_values():
    again = {case.name: case for case in cases.all_cases()}

    for case in (*LINEAR[:2], *POOLS[:2]):
        pairs = zip(case.fills, again[case.name].fills, strict=True)
        assert all((one.inputs[0] == other.inputs[0]).all() for one, other in pairs)


def test_another_seed_is_other_values(monkeypatch):
    before = LINEAR[0].fills[0].inputs[0]
    monkeypatch.setattr(cases, "SEED", 1)

    assert (cases.all_cases()[0].fills[0].inputs[0] != before).any()
