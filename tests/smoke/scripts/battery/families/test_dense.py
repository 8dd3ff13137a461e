"""Dense layers: integers exact in any order, all negative means exactly 0, and batches that change."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import dense
from battery.families.fused import LOST

CASES = {case.name: case for case in dense.cases()}
WHOLE = [
    "dense/" + name for name in ("n1", "n7", "n24", "n32", "k1", "n33001", "k40000", "none", "added", "sum", "batches")
]


def of(name, label):
    return next(fill for fill in CASES[name].fills if fill.label == label)


@pytest.mark.parametrize("name", WHOLE)
def test_integer_sums_are_exact_in_any_order(name):
    fill = of(name, "int")
    x, w = (abs(a).astype(np.float64) for a in fill.inputs[:2])
    upstream = np.broadcast_to(abs(fill.upstream), (len(x), w.shape[1]))
    totals = (x @ w + 8, upstream @ w.T, x.T @ upstream, (x @ w).sum() if name == "dense/sum" else upstream.sum(axis=0))

    assert all((2 * array == np.trunc(2 * array)).all() and array.all() for array in fill.inputs)
    assert max(np.max(total) for total in totals) * 2 <= 2**24


@pytest.mark.parametrize("name", sorted(set(CASES) - {"dense/n32"}))  # as n24, and slow to judge
def test_the_reference_itself_is_right_and_a_wrong_last_element_is_not(name):
    for fill in CASES[name].fills:
        for want in fill.wants.values():
            wrong = np.array(want.value)
            wrong[(-1,) * wrong.ndim] += np.abs(want.value).max() + 1
            assert want.judge(want.value.astype(np.float32)).ratio <= 1
            assert want.judge(wrong).ratio > 1


def test_all_negative_means_exactly_nothing_behind_the_relu():
    for fill in CASES["fused/negative"].fills:
        x, w, b = fill.inputs
        before = x.astype(np.float64) @ w + b

        assert before.max() < -0.5
        assert not fill.wants["y"].value.any()
        assert fill.wants["y"].judge(before).detail.endswith(LOST)
        assert fill.wants["y"].judge(np.full_like(before, -1e-30)).ratio >= 2


def test_batches_change_and_change_back():
    assert [len(fill.inputs[0]) for fill in CASES["dense/batches"].fills] == [32, 24, 32]


def test_the_gradient_of_a_sum_does_not_depend_on_the_sample():
    wants = of("dense/sum", "real").wants

    assert (np.ptp(wants["dx"].value, axis=0) < 1e-9).all()
    assert set(of("dense/sum", "int").wants) == {"y", "dx", "dw"}


@pytest.mark.parametrize("first", ["first", "second"])
def test_a_first_row_read_again_and_again_shows_in_the_gradient_of_a_sum(first):
    """pytorch#180201: what comes from above is read past its single value."""
    x, w = (a.astype(np.float64) for a in of("dense/sum", "int").inputs)
    upstream = np.zeros((len(x), w.shape[1]))
    upstream[0 if first == "first" else 1] = 1

    assert of("dense/sum", "int").wants["dw"].judge(x.T @ upstream).ratio > 1
    assert of("dense/sum", "int").wants["dx"].judge(upstream @ w.T).ratio > 1


def test_what_quick_compiles_of_fused_activations_has_the_fills_of_standard():
    assert np.array_equal(of("fused/tanh", "real").wants["y"].value, of("dense/tanh", "real").wants["y"].value)
    assert set(of("fused/tanh", "real").wants) == {"y"}
