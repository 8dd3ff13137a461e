"""Attention by loops and by differences; the bound holds float32 in and reduced precision out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.references.attending import Attention

STEP = 1e-6
DRAW = np.random.RandomState(9)
Q, K, V, DY = DRAW.randn(1, 2, 3, 4), DRAW.randn(1, 2, 5, 4), DRAW.randn(1, 2, 5, 4), DRAW.randn(1, 2, 3, 4)
MASK = np.where(np.triu(np.ones((3, 5)), 1) > 0, -1e9, 0.0)


def by_loops(q, k, v):
    y = np.zeros_like(q)
    for b, h, i in np.ndindex(q.shape[:3]):
        weights = [
            math.exp(0.5 * float(q[b, h, i] @ k[b, h, j])) if MASK[i, j] == 0 else 0.0 for j in range(k.shape[2])
        ]
        y[b, h, i] = sum(w * v[b, h, j] for j, w in enumerate(weights)) / sum(weights)
    return y


def test_values():
    np.testing.assert_allclose(Attention(Q, K, V, MASK, 0.5).y, by_loops(Q, K, V), atol=1e-12)


@pytest.mark.parametrize("which", [0, 1, 2], ids=["dq", "dk", "dv"])
def test_gradients(which):
    expected = np.zeros_like((Q, K, V)[which])
    for index in np.ndindex(expected.shape):
        ends = []
        for step in (STEP, -STEP):
            given = [Q.copy(), K.copy(), V.copy()]
            given[which][index] += step
            ends.append((by_loops(*given) * DY).sum())
        expected[index] = (ends[0] - ends[1]) / (2 * STEP)

    found = list(Attention(Q, K, V, MASK, 0.5).backward(DY).values())[which][0]

    np.testing.assert_allclose(found, expected, atol=1e-8)


def ratio(precision):
    """Of y computed from inputs of that many bits."""
    given = [np.ldexp(np.round(np.ldexp(a, precision)), -precision) for a in (Q, K, V)]
    found = Attention(Q, K, V, MASK, 0.5)
    return (abs(by_loops(*given) - found.y) / found.y_limit).max()


def test_float32_passes_and_ten_bits_do_not():
    assert ratio(24) < 0.1
    assert ratio(10) > 3
