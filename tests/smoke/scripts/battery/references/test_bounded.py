"""Running error bounds: float32 arithmetic of any order stays inside, and not by orders of magnitude."""

from __future__ import annotations

import numpy as np
import pytest
from battery.references import bounded
from battery.references.bounded import Bounded
from battery.wants import U

DRAW = np.random.RandomState(3)
X, Y = (DRAW.randn(40, 30).astype(np.float32) for _ in range(2))
SQUARE = DRAW.randn(30, 20).astype(np.float32)
ONE = np.float32(1)
COMPUTATIONS = {
    "sum of three": (lambda x, y: x + y + x * y, lambda x, y: x * y + y + x),
    "quotient": (lambda x, y: x / (y * y + 1), lambda x, y: x / (y * y + ONE)),
    "product": (lambda x, y: x @ SQUARE, lambda x, y: x[:, ::-1] @ SQUARE[::-1]),
    "mean": (lambda x, y: (x * y).mean(axis=0), lambda x, y: (x * y)[::-1].cumsum(axis=0)[-1] / np.float32(40)),
    "tanh": (lambda x, y: bounded.tanh(x * y), lambda x, y: np.tanh(x * y)),
    "sigmoid": (lambda x, y: bounded.sigmoid(x * y), lambda x, y: ONE / (ONE + np.exp(-x * y))),
    "root": (lambda x, y: x / bounded.sqrt(y * y + 1e-7), lambda x, y: x / np.sqrt(y * y + np.float32(1e-7))),
    "softmax": (lambda x, y: bounded.softmax(x * y), lambda x, y: softmax32(x * y)),
    "constant": (lambda x, y: 0.1 * x - 0.3, lambda x, y: np.float32(0.1) * x - np.float32(0.3)),
    "largest": (lambda x, y: bounded.maximum(x * y, y), lambda x, y: np.maximum(x * y, y)),
}


def softmax32(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True, dtype=np.float32)


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_float32_is_inside_the_bound_and_the_bound_is_close(name):
    exact, rounded = COMPUTATIONS[name]
    expected, found = exact(Bounded(X), Bounded(Y)), rounded(X, Y)

    assert found.dtype == np.float32
    assert expected.want("op").judge(found)[0] <= 1
    assert np.median(expected.error) < 400 * U * max(1.0, np.abs(expected.value).max())


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_values_rounded_to_half_precision_on_the_way_are_outside(name):
    exact, rounded = COMPUTATIONS[name]
    half = [array.astype(np.float16).astype(np.float32) for array in (X, Y)]

    assert exact(Bounded(X), Bounded(Y)).want("op").judge(rounded(*half))[0] > 1


def test_an_error_put_in_comes_out_as_it_is_carried():
    value = np.array([[0.5, -1.5]])

    product = Bounded(value, 1e-3) @ np.array([[2.0], [4.0]])
    bent = bounded.tanh(Bounded(value, 1e-3))

    assert product.error[0, 0] == pytest.approx(6e-3, rel=1e-3)
    np.testing.assert_allclose(bent.error, 1e-3 * (1 - np.tanh(value) ** 2), rtol=1e-2)


def test_an_array_on_the_left_is_not_spread_over_its_elements():
    assert isinstance(SQUARE.T @ Bounded(X).T, Bounded)
    assert isinstance(X - Bounded(Y), Bounded)
    assert isinstance(2 / Bounded(X), Bounded)


def test_a_number_that_float32_has_not_brings_its_rounding_along():
    assert bounded.bounded(0.1).error == pytest.approx(0.1 * U)
    assert bounded.bounded(0.5).error == 0
    assert bounded.bounded(3).error == 0
