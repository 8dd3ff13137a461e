"""Extremes without ties and beyond 2^16, whole numbers that wrap as two's complement, gradients by finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.families import folds

CASES = {case.name.split("/")[1]: case for case in folds.cases()}


def both(name):
    return CASES[name].fills


@pytest.mark.parametrize("name", folds.EXTREMES)
def test_extremes_are_negative_and_untied(name):
    for fill in both(name):
        (x,) = fill.inputs

        assert x.max() < 0 if name.startswith("max") else x.min() > 0  # starting from 0 is wrong
        assert np.unique(x).size == x.size
        if "long" in name:
            assert int(x.argmax() if name.startswith("max") else x.argmin()) >= 2**16


@pytest.mark.parametrize("name", ["max_axes", "min_last"])
def test_extremes_send_their_gradient_to_the_winner(name):
    (x,), upstream = both(name)[0].inputs, both(name)[0].upstream
    wants = both(name)[0].wants
    axes = folds.EXTREMES[name][3]
    winner = x.max(axis=axes, keepdims=True) if name.startswith("max") else x.min(axis=axes, keepdims=True)
    dy = np.asarray(upstream).reshape(winner.shape)

    assert (wants["y"].value.reshape(winner.shape) == winner).all()
    assert (wants["dx"].value == np.where(x == winner, dy, 0)).all()


def test_int32_sums_wrap_and_int64_sums_do_not():
    either, convention = both("sum_int32_wraps")
    exact = [sum(int(v) for v in column) for column in either.inputs[0].T]
    wrapped = np.array([(total + 2**31) % 2**32 - 2**31 for total in exact])
    stopped = np.full(3, 2**31 - 1)

    assert min(exact) > 2**31
    assert [either.wants["y"].judge(sums)[0] > 1 for sums in (wrapped, stopped, wrapped + 1)] == [False, False, True]
    assert [convention.wants["y"].judge(sums)[0] > 1 for sums in (wrapped, stopped)] == [False, True]
    assert (either.label, convention.label) == ("exact", "convention")
    for fill in both("sum_int64"):
        exact = [sum(int(v) for v in column) for column in fill.inputs[0].T]

        assert min(exact) > 2**32
        assert max(exact) < 2**53  # what a float64 reference can hold
        assert fill.wants["y"].value.tolist() == exact


def test_whole_means_are_cut_and_some_would_be_rounded_up():
    parts = []
    for fill in both("mean_int32"):
        for column, mean in zip(fill.inputs[0].T.tolist(), fill.wants["y"].value, strict=False):
            assert mean == sum(column) // 1031
            parts.append(sum(column) % 1031 / 1031)
    assert max(parts) > 0.5


def test_any_and_all_hang_on_the_last_element_of_one_row():
    for fill in both("any"):
        (x,) = fill.inputs
        shortened = x[:, :-1].any(axis=1)

        assert fill.wants["some"].judge(x.any(axis=1))[0] == 0
        assert fill.wants["some"].judge(shortened)[0] > 1
        assert fill.wants["every"].value.tolist() == [1, 0, 0, 0, 0]
        assert fill.wants["none"].judge((~x[:, :-1]).all(axis=1))[0] > 1


def numeric(function, x, upstream, step=1e-6):
    found = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.astype(np.float64)
            moved[place] += sign * step
            ends.append((function(moved) * upstream).sum())
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("prod", lambda x: np.prod(x, axis=1)),
        ("logsumexp_extreme", lambda x: np.log(np.exp(x - 0.0 * x).sum(axis=1)) if abs(x).max() < 90 else safe(x)),
        ("euclidean", lambda x: np.sqrt((x * x).sum(axis=1))),
        ("norm", lambda x: np.sqrt((x * x).sum(axis=1))),
        ("variance", lambda x: x.var(axis=1)),
    ],
)
def test_gradients_by_finite_differences(name, function):
    fill = both(name)[1]
    small = tuple(slice(0, 3) if axis == 0 else slice(None) for axis in range(fill.inputs[0].ndim))
    x, dy = fill.inputs[0][small], np.asarray(fill.upstream)[:3]

    assert np.allclose(function(x.astype(np.float64)), fill.wants["y"].value[:3], rtol=1e-9)
    assert np.allclose(numeric(function, x, dy), fill.wants["dx"].value[small], rtol=1e-5, atol=1e-6)


def safe(x):
    """In Python's own arithmetic, row by row."""
    rows = []
    for row in x:
        top = max(row)
        rows.append(top + math.log(math.fsum(math.exp(v - top) for v in row)))
    return np.array(rows)


def test_logsumexp_sees_a_missing_maximum_and_half_precision():
    with np.errstate(over="ignore", divide="ignore"):
        fill = both("logsumexp_extreme")[0]
        naive = np.log(np.exp(fill.inputs[0]).sum(axis=1))
        assert fill.wants["y"].judge(naive)[0] == math.inf
    want = both("logsumexp")[0].wants["y"]
    assert want.judge(want.value.astype(np.float32))[0] < 0.1
    assert want.judge(want.value.astype(np.float16))[0] > 1


@pytest.mark.parametrize("name", ["norm", "euclidean", "variance", "prod"])
def test_reduced_precision_is_out_of_bounds(name):
    for tensor in ("y", "dx"):
        want = both(name)[1].wants[tensor]
        assert want.judge(want.value.astype(np.float32))[0] < 0.2
        assert want.judge(want.value.astype(np.float16))[0] > 1


def test_running_products_and_counts_by_hand():
    fill = both("cumprod")[0]
    (x,) = fill.inputs
    for row in range(9):
        assert (fill.wants["y"].value[row] == [math.prod(map(int, x[: row + 1, k])) for k in range(9)]).all()
        assert (fill.wants["z"].value[row] == [math.prod(map(int, x[row + 1 :, k])) for k in range(9)]).all()
    fill = both("counts")[0]
    ids, x = fill.inputs
    assert fill.wants["bins"].value.tolist() == [int((ids == k).sum()) for k in range(300)]
    assert fill.wants["bars"].value.tolist() == [int(((x >= 10 * k) & (x < 10 * k + 10)).sum()) for k in range(30)]
    assert fill.wants["bars"].value.sum() == 5003


def test_segment_maxima_by_brute_force():
    fill = both("unsorted_max")[0]
    x, ids = fill.inputs
    for segment in range(9):
        rows = x[ids == segment]
        assert (fill.wants["y"].value[segment] == rows.max(axis=0)).all()
        assert (np.sort(fill.wants["dx"].value[ids == segment], axis=0)[1:-1] == 0).all()
