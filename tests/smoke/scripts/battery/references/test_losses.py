"""Gradients against differences, values against the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.references import losses

STEP = 1e-6
Z = np.random.RandomState(3).uniform(-3, 3, (3, 5))
UPSTREAM = np.random.RandomState(4).randn(3, 5)


def slopes(function, x):
    """Of a function to one number, by central differences."""
    found = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += STEP
        down[index] -= STEP
        found[index] = (function(up) - function(down)) / (2 * STEP)
    return found


def softmax_by_definition(z):
    return np.array([[math.exp(v) / sum(math.exp(u) for u in row) for v in row] for row in z])


def test_softmax_gradient():
    expected = slopes(lambda z: (softmax_by_definition(z) * UPSTREAM).sum(), Z)

    np.testing.assert_allclose(losses.softmax_gradient(Z, UPSTREAM)[0], expected, atol=1e-8)


def test_log_softmax_and_its_gradient():
    value, _, gradient, _ = losses.log_softmax(Z, UPSTREAM)

    np.testing.assert_allclose(value, np.log(softmax_by_definition(Z)), atol=1e-12)
    np.testing.assert_allclose(
        gradient, slopes(lambda z: (np.log(softmax_by_definition(z)) * UPSTREAM).sum(), Z), atol=1e-8
    )


def test_sigmoid_cross_entropy_is_what_the_probabilities_give():
    t = np.random.RandomState(5).uniform(0, 1, Z.shape)
    p = 1 / (1 + np.exp(-Z))

    value, _, slope, _ = losses.sigmoid_cross_entropy(Z, t)

    np.testing.assert_allclose(value, -t * np.log(p) - (1 - t) * np.log(1 - p), atol=1e-12)
    np.testing.assert_allclose(slope, slopes(lambda z: losses.sigmoid_cross_entropy(z, t)[0].sum(), Z), atol=1e-8)


def test_sigmoid_cross_entropy_of_a_thousand():
    value, limit, slope, _ = losses.sigmoid_cross_entropy(np.array([1000.0, -1000.0]), np.array([0.0, 0.0]))

    assert (list(value), list(slope)) == ([1000.0, 0.0], [1.0, 0.0])
    assert limit.max() < 1e-2


def example(name):
    draw = np.random.RandomState(6)
    if name in ("kl", "binary"):
        return draw.uniform(0.1, 0.9, (3, 5)), draw.uniform(0.1, 0.9, (3, 5))
    return draw.randn(3, 5), draw.randn(3, 5)


@pytest.mark.parametrize("name", losses.LOSSES)
def test_each_loss_of_a_row_has_the_gradient_it_says(name):
    (x, t), upstream = example(name), np.array([1.0, -2.0, 0.5])

    _, _, gradient, _ = losses.LOSSES[name].of(x, t, upstream)

    expected = slopes(lambda moved: (losses.LOSSES[name].of(moved, t, upstream)[0] * upstream).sum(), x)
    np.testing.assert_allclose(gradient, expected, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "x", "t", "expected"),
    [
        ("mse", [1.0, 4.0], [0.0, 2.0], 2.5),
        ("mae", [1.0, 4.0], [0.0, 2.0], 1.5),
        ("huber", [0.5, 4.0], [0.0, 2.0], (0.125 + 1.5) / 2),
        ("kl", [0.5, 0.5], [0.25, 0.75], 0.25 * math.log(0.5) + 0.75 * math.log(1.5)),
        ("binary", [0.5, 0.5], [1.0, 0.0], math.log(2)),
    ],
)
def test_each_loss_by_hand(name, x, t, expected):
    value = losses.LOSSES[name].of(np.array([x]), np.array([t]), np.ones(1))[0]

    assert value[0] == pytest.approx(expected, abs=1e-6)
