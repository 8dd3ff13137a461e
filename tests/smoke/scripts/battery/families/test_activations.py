"""Activations and mathematics alone: every data point counts, and no answer is ambiguous."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import activations

CASES = activations.cases()
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each
def test_the_reference_is_right_in_float32_and_neither_shifted_nor_cut(case):
    for want in case.fills[0].wants.values():
        lost = np.array(want.value)
        lost.flat[-1] += 1 + abs(lost.flat[-1])

        assert want.judge(want.value.astype(np.float32)).ratio <= 0.5
        assert want.judge(np.roll(want.value, 1)).ratio > 1
        assert want.judge(lost).ratio > 1


@each
def test_inputs_are_finite_and_never_where_a_slope_jumps(case):
    fill = case.fills[0]

    assert all(np.isfinite(a).all() and a.all() for a in fill.inputs)
    assert all(np.isfinite(want.value).all() and np.isfinite(want.limit).all() for want in fill.wants.values())


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow"])
def test_a_broadcast_row_gets_the_gradient_of_all_rows(name):
    (fill,) = next(case for case in CASES if case.name == f"math/{name}").fills
    want = fill.wants["dw"]

    assert want.shape == (33,)
    assert want.judge(want.value / 9).ratio > 1  # the mean, or one row of nine


@pytest.mark.parametrize("name", ["relu", "relu6", "leaky_relu"])
def test_a_gradient_that_passes_everywhere_is_wrong(name):
    (fill,) = next(case for case in CASES if case.name == f"activation/{name}").fills

    assert fill.wants["dx"].judge(fill.upstream).ratio >= 2
