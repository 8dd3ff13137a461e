"""Normalization: the gradients are derivatives, in both of its shapes; float32 is within, another variance is not."""

from __future__ import annotations

import numpy as np
import pytest
from battery.references import normalization

DRAW = np.random.RandomState(11)
X, DY = DRAW.randn(2, 4, 3, 5) + 1
GAMMA, BETA = DRAW.randn(2, 5)
SHAPES = {"batch": (0, 1), "layer": (2,)}


def output(axes, given):
    return normalization.trained(*given, 1e-3, axes, DY)[0].value


@pytest.mark.parametrize("name", SHAPES)
def test_the_gradients_are_the_derivatives(name):
    axes, given = SHAPES[name], [X, GAMMA, BETA]
    found = normalization.trained(*given, 1e-3, axes, DY)[1]

    for position, gradient in enumerate(found):
        expected = np.zeros_like(given[position])
        for index in np.ndindex(*expected.shape):
            around = []
            for step in (1e-6, -1e-6):
                there = [a.copy() for a in given]
                there[position][index] += step
                around.append((output(axes, there) * DY).sum())
            expected[index] = (around[0] - around[1]) / 2e-6
        np.testing.assert_allclose(gradient.value, expected, atol=1e-7)


def float32(axes, epsilon=1e-3, single_pass=False, bessel=1.0):
    x, gamma, beta = (a.astype(np.float32) for a in (X, GAMMA, BETA))
    mean = x.mean(axis=axes, keepdims=True, dtype=np.float32)
    if single_pass:
        variance = (x * x).mean(axis=axes, keepdims=True, dtype=np.float32) - mean * mean
    else:
        variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True, dtype=np.float32)
    scale = gamma / np.sqrt(variance * np.float32(bessel) + np.float32(epsilon))
    return x * scale + (beta - mean * scale)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(
    ("options", "right"),
    [({}, True), ({"single_pass": True}, True), ({"epsilon": 1e-5}, False), ({"bessel": 12 / 11}, False)],
    ids=["two passes", "single pass", "another epsilon", "unbiased variance"],
)
def test_both_ways_to_a_variance_are_right_and_another_variance_is_not(name, options, right):
    given = [a.astype(np.float32) for a in (X, GAMMA, BETA)]
    want = normalization.trained(*given, 1e-3, SHAPES[name], DY)[0].want("op")

    assert (want.judge(float32(SHAPES[name], **options))[0] <= 1) is right


def test_inference_uses_the_moments_it_is_given():
    y = normalization.inferred(X, GAMMA, BETA, 1e-3, np.full(5, 2.0), np.full(5, 4.0)).value

    np.testing.assert_allclose(y, (X - 2) / np.sqrt(4.001) * GAMMA + BETA, atol=1e-12)
