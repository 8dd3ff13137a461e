"""Padding, bands, diagonals and blocks against loops; `test_moving` judges their gradients."""

from __future__ import annotations

import numpy as np
from battery.families import layouts
from battery.references.moves import NOWHERE


def test_padding_by_hand():
    row = np.arange(4)[None, None]
    with_width = lambda mode: layouts.padded(mode)(np.broadcast_to(row, (3, 4, 4)) + 0)  # noqa: E731
    assert with_width("constant")[2, 0].tolist() == [NOWHERE, 0, 1, 2, 3]
    assert with_width("constant")[0, 0].tolist() == [NOWHERE] * 5
    assert with_width("reflect")[2, 0].tolist() == [1, 0, 1, 2, 3]
    assert with_width("symmetric")[2, 0].tolist() == [0, 0, 1, 2, 3]


def test_bands_and_diagonals_by_loops():
    x = np.arange(1, 64).reshape(7, 9)
    expected = [[x[i, j] if i - j <= 1 and j - i <= 2 else NOWHERE for j in range(9)] for i in range(7)]
    assert layouts.band(x).tolist() == expected
    assert layouts.diagonal(np.array([[3, 4]])).tolist() == [[[3, NOWHERE], [NOWHERE, 4]]]


def test_blocks_by_loops():
    x = np.arange(2 * 4 * 6 * 3).reshape(2, 4, 6, 3)
    y = layouts.to_depth(x, 2)
    for n, h, w, i, j, c in np.ndindex(2, 2, 3, 2, 2, 3):
        assert y[n, h, w, (i * 2 + j) * 3 + c] == x[n, 2 * h + i, 2 * w + j, c]
    assert (layouts.from_depth(y, 2) == x).all()


def test_batches_of_blocks_by_loops():
    x = np.arange(2 * 3 * 5 * 2).reshape(2, 3, 5, 2)
    y = layouts.to_batch(x)
    assert y.shape == (8, 2, 3, 2)
    for i, j, n, h, w, c in np.ndindex(2, 2, 2, 2, 3, 2):
        row, column = 2 * h + i, 2 * w + j - 1  # one row after, one column before
        expected = x[n, row, column, c] if 0 <= row < 3 and 0 <= column < 5 else NOWHERE
        assert y[(i * 2 + j) * 2 + n, h, w, c] == expected
