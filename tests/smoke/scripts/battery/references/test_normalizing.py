"""Gradients against differences; one-pass statistics in float32 are right, another epsilon is not."""

from __future__ import annotations

import numpy as np
import pytest
from battery.references.normalizing import Normalized

STEP = 1e-6
EPSILON = 1e-3
AXES = {"batch": (0, 1, 2), "layer": (3,)}
DRAW = np.random.RandomState(8)
X, GAMMA, BETA, DY = DRAW.randn(2, 3, 2, 4) + 0.5, DRAW.randn(4), DRAW.randn(4), DRAW.randn(2, 3, 2, 4)


def by_definition(x, gamma, beta, axes, mean=None, variance=None):
    mean = x.mean(axis=axes, keepdims=True) if mean is None else mean
    variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True) if variance is None else variance
    return (x - mean) / np.sqrt(variance + EPSILON) * gamma + beta


def slopes(function, x):
    found = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += STEP
        down[index] -= STEP
        found[index] = (function(up) - function(down)) / (2 * STEP)
    return found


@pytest.mark.parametrize(
    "statistics", [(None, None), (np.full(4, 0.3), np.full(4, 1.7))], ids=["training", "inference"]
)
@pytest.mark.parametrize("axes", AXES.values(), ids=AXES)
def test_values_and_all_gradients(axes, statistics):
    found = Normalized(X, GAMMA, BETA, axes, EPSILON, *statistics)
    gradients = {name: value for name, (value, _) in found.backward(DY).items()}

    def loss(x, gamma, beta):
        return (by_definition(x, gamma, beta, axes, *statistics) * DY).sum()

    np.testing.assert_allclose(found.y, by_definition(X, GAMMA, BETA, axes, *statistics), atol=1e-12)
    np.testing.assert_allclose(gradients["dx"], slopes(lambda x: loss(x, GAMMA, BETA), X), atol=1e-7)
    np.testing.assert_allclose(gradients["dgamma"], slopes(lambda gamma: loss(X, gamma, BETA), GAMMA), atol=1e-7)
    np.testing.assert_allclose(gradients["dbeta"], slopes(lambda beta: loss(X, GAMMA, beta), BETA), atol=1e-7)


def test_the_variance_reported_is_that_of_a_sample():
    found = Normalized(X, GAMMA, BETA, (0, 1, 2), EPSILON)

    np.testing.assert_allclose(found.bessel()[0].ravel(), X.var(axis=(0, 1, 2), ddof=1), atol=1e-12)


def single_pass(x, gamma, beta):
    """Mean of squares less square of mean, all in float32, and folded into one scale and shift."""
    m = np.float32(x[..., 0].size)
    mean = x.sum(axis=(0, 1, 2), dtype=np.float32) / m
    variance = (x * x).sum(axis=(0, 1, 2), dtype=np.float32) / m - mean * mean
    scale = gamma / np.sqrt(variance + np.float32(EPSILON))
    return x * scale + (beta - mean * scale)


@pytest.mark.parametrize("offset", [0, 3, 30])
def test_statistics_in_one_pass_are_right(offset):
    x, gamma, beta = (a.astype(np.float32) for a in (np.random.RandomState(1).randn(8, 5, 5, 4) + offset, GAMMA, BETA))
    found = Normalized(x, gamma, beta, (0, 1, 2), EPSILON)

    assert (abs(single_pass(x, gamma, beta) - found.y) / found.y_limit).max() < 0.5


def test_another_epsilon_is_not():
    found = Normalized(X, GAMMA, BETA, (0, 1, 2), EPSILON)
    other = Normalized(X, GAMMA, BETA, (0, 1, 2), 1e-5)

    assert (abs(other.y - found.y) / found.y_limit).max() > 10


def test_the_biased_variance_is_not():
    found = Normalized(X, GAMMA, BETA, (0, 1, 2), EPSILON)
    value, limit = found.bessel()

    assert (abs(found.variance - value) / limit).min() > 10
