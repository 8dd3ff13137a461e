"""The float64 forward pass of the fitted network, and what its limit admits."""

from __future__ import annotations

import numpy as np
import pytest
from battery.programs import fitting

X, T, _ = fitting.pictures()
DRAW = np.random.RandomState(6)
WEIGHTS = [0.3 * DRAW.randn(*shape) for shape in ((3, 3, 3, 4), (4,), (64, 2), (2,))]


def test_one_sample_by_loops_is_the_same():
    kernel, bias, dense, last = WEIGHTS
    hidden = np.zeros((8, 8, 4))
    for i, j in np.ndindex(8, 8):
        hidden[i, j] = np.maximum(np.tensordot(X[3, i : i + 3, j : j + 3].astype(float), kernel, 3) + bias, 0)
    pooled = hidden.reshape(4, 2, 4, 2, 4).max(axis=(1, 3)).ravel()
    e = np.exp(pooled @ dense + last)

    p, losses = fitting.forward(WEIGHTS, X, T)

    np.testing.assert_allclose(p[3], e / e.sum(), atol=1e-12)
    assert losses[3] == pytest.approx(-np.log(p[3][T[3] == 1][0]), abs=1e-12)


def test_a_lost_relu_is_beyond_the_limit_by_far():
    kernel, bias, dense, last = WEIGHTS
    p, _ = fitting.forward(WEIGHTS, X, T)
    without, _ = fitting.forward([kernel, bias + 10, dense, last - 10 * dense.sum(axis=0)], X, T)  # nothing is cut off

    assert abs(p - without).max() > 100 * fitting.LIMIT
