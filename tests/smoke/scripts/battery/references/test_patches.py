"""Layers over patches: their outputs follow the definitions, their gradients are derivatives (all are linear in each argument)."""

from __future__ import annotations

import numpy as np
import pytest
from battery.references import patches
from battery.references.windows import Windows, conv2d

DRAW = np.random.RandomState(4)
STRIDED = Windows((2, 5, 4, 3), (3, 3), (2, 2), padding="SAME")
PLAIN = Windows((2, 5, 4, 3), (3, 3), padding="SAME")
BEFORE = Windows((2, 6, 4, 2), (3, 3), (2, 2), padding="SAME")
POOL = Windows((2, 5, 4, 3), (2, 2), (2, 2), padding="SAME")
LAYERS = {
    "convolution": (patches.convolution, STRIDED, [(2, 5, 4, 3), (3, 3, 3, 4), (4,)], (2, 3, 2, 4)),
    "depthwise": (patches.depthwise, PLAIN, [(2, 5, 4, 3), (3, 3, 3, 2)], (2, 5, 4, 6)),
    "separable": (patches.separable, PLAIN, [(2, 5, 4, 3), (3, 3, 3, 2), (1, 1, 6, 4), (4,)], (2, 5, 4, 4)),
    "transposed": (patches.transposed, BEFORE, [(2, 3, 2, 5), (3, 3, 2, 5), (2,)], (2, 6, 4, 2)),
    "average": (patches.average, POOL, [(2, 5, 4, 3)], (2, 3, 2, 3)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_gradients_are_the_derivatives(name):
    layer, windows, shapes, out = LAYERS[name]
    given, dy = [DRAW.randn(*shape) for shape in shapes], DRAW.randn(*out)

    found = layer(windows, *given, dy)[1]

    assert len(found) == len(given)
    for position, gradient in enumerate(found):
        assert gradient.shape == given[position].shape
        direction = DRAW.randn(*gradient.shape)
        around = []
        for step in (1e-5, -1e-5):
            there = list(given)
            there[position] = given[position] + step * direction
            around.append((layer(windows, *there, dy)[0] * dy).sum())
        assert (around[0] - around[1]) / 2e-5 == pytest.approx((gradient * direction).sum(), rel=1e-6, abs=1e-7)


def test_a_convolution_is_the_one_that_windows_compute():
    x, w, b = DRAW.randn(2, 5, 4, 3), DRAW.randn(3, 3, 3, 4), DRAW.randn(4)

    y, _ = patches.convolution(STRIDED, x, w, b, np.zeros((2, 3, 2, 4)))

    np.testing.assert_allclose(y, conv2d(x, w, STRIDED) + b, atol=1e-12)


def test_a_depthwise_convolution_is_one_convolution_for_each_channel():
    x, w = DRAW.randn(2, 5, 4, 3), DRAW.randn(3, 3, 3, 2)
    one = Windows((2, 5, 4, 1), (3, 3), padding="SAME")

    y, _ = patches.depthwise(PLAIN, x, w, np.zeros((2, 5, 4, 6)))

    for channel in range(3):
        expected = conv2d(x[..., channel : channel + 1], w[:, :, channel : channel + 1], one)
        np.testing.assert_allclose(y[..., 2 * channel : 2 * channel + 2], expected, atol=1e-12)


def test_a_transposed_convolution_places_the_kernel_at_each_input_pixel():
    x, w = np.zeros((1, 2, 2, 1)), np.arange(1.0, 10.0).reshape(3, 3, 1, 1)
    x[0, 1, 0, 0] = 1

    y, _ = patches.transposed(Windows((1, 4, 4, 1), (3, 3), (2, 2), padding="SAME"), x, w, 0.0, np.zeros((1, 4, 4, 1)))

    np.testing.assert_array_equal(y[0, :, :, 0], [[0, 0, 0, 0], [0, 0, 0, 0], [1, 2, 3, 0], [4, 5, 6, 0]])


def test_an_average_counts_only_pixels_that_are_there():
    x = np.arange(9.0).reshape(1, 3, 3, 1)

    y, _ = patches.average(Windows((1, 3, 3, 1), (2, 2), (2, 2), padding="SAME"), x, np.zeros((1, 2, 2, 1)))

    np.testing.assert_array_equal(y[0, :, :, 0], [[2, 3.5], [6.5, 8]])
