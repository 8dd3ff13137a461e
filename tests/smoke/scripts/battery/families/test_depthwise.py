"""Separable convolutions: the same as depthwise, then 1x1; integers that add up exactly."""

from __future__ import annotations

import numpy as np
import pytest
from battery import values
from battery.families import depthwise
from battery.families.depthwise import separable
from battery.references.windows import Windows, conv2d

SEPARABLE = [case for case in depthwise.cases() if case.name.startswith("separable/")]


def as_one_convolution(x, w, p, windows):
    """A full kernel: depthwise and pointwise weights multiplied out."""
    kh, kw, channels, multiplier = w.shape
    whole = np.einsum("abcm,cmo->abco", w, p.reshape(channels, multiplier, -1)).reshape(kh, kw, channels, -1)
    return conv2d(x, whole, windows)


def test_a_separable_convolution_and_its_gradients():
    windows, draw = Windows((2, 5, 4, 3), (3, 3), (2, 2), None, "SAME"), np.random.RandomState(2)
    given = x, w, p = draw.randn(2, 5, 4, 3), draw.randn(3, 3, 3, 2), draw.randn(1, 1, 6, 5)
    dy = draw.randn(2, 3, 2, 5)

    found = separable(windows, x, w, p, dy)

    np.testing.assert_allclose(found["y"], as_one_convolution(x, w, p, windows), atol=1e-12)
    for i, name in enumerate(("dx", "dw", "dp")):
        expected = []
        for unit in np.eye(given[i].size).reshape(-1, *given[i].shape):
            moved = [unit if i == j else given[j] for j in range(3)]  # linear in each of the three
            expected.append((as_one_convolution(*moved, windows) * dy).sum())
        np.testing.assert_allclose(found[name].ravel(), expected, atol=1e-12)


@pytest.mark.parametrize("case", SEPARABLE, ids=lambda case: case.name)
def test_separable_integers_are_exact_and_real_values_see_reduced_precision(case):
    whole, real = case.fills
    row = depthwise.SEPARABLE[case.name.split("/")[1]]
    windows = Windows(row[0], (3, 3), (row[3],) * 2, None, row[4])

    totals = separable(windows, *(abs(array) for array in (*whole.inputs, whole.upstream)))
    assert max(total.max() for total in totals.values()) <= 2**24
    assert all(array.all() for array in (*whole.inputs, whole.upstream))
    reduced = separable(windows, *(values.rounded(array, 11) for array in (*real.inputs, real.upstream)))
    for name, value in reduced.items():
        assert real.wants[name].judge(value).ratio > 1
        assert real.wants[name].judge(real.wants[name].value).ratio == 0


@pytest.mark.parametrize("case", SEPARABLE, ids=lambda case: case.name)
def test_a_lost_channel_of_a_separable_convolution_is_seen(case):
    for fill in case.fills:
        for want in fill.wants.values():
            lost = want.value.copy()
            lost[..., -1] = 0
            assert want.judge(lost).ratio > 1


def test_some_depthwise_shapes_have_more_than_16_channels_more_kernels_than_channels_and_a_stride():
    rows = depthwise.SHAPES.values()

    assert any(row[0][-1] > 16 and row[0][-1] % 4 and row[-2] == "quick" for row in rows)
    assert any(row[1] == 2 and row[3] == 2 for row in rows)
    assert any(row[4] == 2 for row in rows)
