"""Transposed convolution by its own definition: each pixel adds its kernel to the output, a stride apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from battery.families import transposed
from battery.families.transposed import TransposedSums
from battery.references.windows import Windows


def scattered(x, w, stride, shape, before):
    """`before` is how many pixels of the full result are cut off at the top and left."""
    n, rows, columns, _ = x.shape
    kh, kw, out, _ = w.shape
    full = np.zeros((n, stride * rows + kh, stride * columns + kw, out))
    for i, j, a, b in itertools.product(range(rows), range(columns), range(kh), range(kw)):
        full[:, i * stride + a, j * stride + b] += x[:, i, j] @ w[a, b].T
    return full[:, before[0] : before[0] + shape[1], before[1] : before[1] + shape[2]]


@pytest.mark.parametrize(
    ("shape", "kernel", "stride", "padding", "before"),
    [
        ((2, 6, 8, 3), (2, 2), 2, "VALID", (0, 0)),
        ((2, 5, 6, 3), (3, 3), 2, "SAME", (1, 0)),  # odd and even output: 2 and 1 pixels are cut off in all
        ((1, 6, 5, 2), (3, 3), 1, "SAME", (1, 1)),
        ((2, 7, 10, 1), (4, 4), 3, "VALID", (0, 0)),
    ],
)
def test_output_and_gradients(shape, kernel, stride, padding, before):
    draw = np.random.RandomState(1)
    linear = TransposedSums(Windows(shape, kernel, (stride, stride), None, padding), 2)
    x, w, dy = draw.randn(*linear.given), draw.randn(*kernel, shape[-1], 2), draw.randn(*shape)

    y, gradients = linear.forward(x, w), linear.backward(x, w, dy)

    np.testing.assert_allclose(y, scattered(x, w, stride, shape, before), atol=1e-12)
    for name, given in (("dx", x), ("dw", w)):
        units = np.eye(given.size).reshape(-1, *given.shape)
        answers = [scattered(*((u, w) if name == "dx" else (x, u)), stride, shape, before) for u in units]
        np.testing.assert_allclose(gradients[name].ravel(), [(a * dy).sum() for a in answers], atol=1e-12)
    np.testing.assert_allclose(gradients["db"], dy.sum(axis=(0, 1, 2)))


def test_some_output_is_cropped_to_an_odd_length_and_all_shapes_fit():
    assert any(row[0][1] % 2 and row[4] == "SAME" and row[3] == 2 for row in transposed.SHAPES.values())
    for case in transposed.cases():
        fill = case.fills[0]
        assert fill.wants["y"].shape == fill.upstream.shape
        assert fill.wants["dw"].shape == fill.inputs[1].shape
        assert fill.wants["dx"].shape == fill.inputs[0].shape
