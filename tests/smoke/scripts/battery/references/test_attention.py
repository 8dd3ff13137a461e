"""Attention by hand: its gradients are derivatives, and no step sees a later one."""

from __future__ import annotations

import numpy as np
from battery.references.attention import self_attention

DRAW = np.random.RandomState(2)
X = DRAW.randn(2, 4, 3)
SHAPES = [(3, 2, 5), (2, 5), (3, 2, 5), (2, 5), (3, 2, 4), (2, 4), (2, 4, 3), (3,)]
WEIGHTS = [0.5 * DRAW.randn(*shape) for shape in SHAPES]
DY = DRAW.randn(2, 4, 3)


def test_the_output_is_the_textbook_formula():
    y = self_attention(X, WEIGHTS, DY)[0].value

    wq, bq, wk, bk, wv, bv, wo, bo = WEIGHTS
    expected = np.zeros_like(X) + bo
    for n in range(2):
        for h in range(2):
            q, k, v = (X[n] @ w[:, h] + b[h] for w, b in ((wq, bq), (wk, bk), (wv, bv)))
            for t in range(4):
                weights = np.exp(k[: t + 1] @ q[t] / np.sqrt(5))
                expected[n, t] += (weights / weights.sum()) @ v[: t + 1] @ wo[h]
    np.testing.assert_allclose(y, expected, atol=1e-12)


def test_the_gradients_are_the_derivatives():
    given = [X, *WEIGHTS]
    found = self_attention(X, WEIGHTS, DY)[1]

    for position, gradient in enumerate(found):
        expected = np.zeros_like(given[position])
        for index in np.ndindex(*expected.shape):
            around = []
            for step in (1e-6, -1e-6):
                there = [a.copy() for a in given]
                there[position][index] += step
                around.append((self_attention(there[0], there[1:], DY)[0].value * DY).sum())
            expected[index] = (around[0] - around[1]) / 2e-6
        np.testing.assert_allclose(gradient.value, expected, atol=1e-7)


def test_a_later_step_changes_nothing_before_it():
    later = X.copy()
    later[:, 3] += 1

    np.testing.assert_array_equal(
        self_attention(later, WEIGHTS, DY)[0].value[:, :3], self_attention(X, WEIGHTS, DY)[0].value[:, :3]
    )
