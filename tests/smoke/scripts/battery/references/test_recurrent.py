"""The recurrent references: their gradients are derivatives, and float32 stays within the bounds they carry."""

from __future__ import annotations

import numpy as np
import pytest
from battery.references import recurrent
from battery.references.bounded import joined

SAMPLES, STEPS, FEATURES, UNITS = 3, 4, 3, 2
LAYERS = {
    "simple_rnn": (recurrent.simple_rnn, 1, ()),
    "lstm": (recurrent.lstm, 4, ()),
    "gru": (recurrent.gru, 3, (2,)),
    "gru, reset before": (lambda *given, **named: recurrent.gru(*given, reset_after=False, **named), 3, ()),
    "lstm backwards": (lambda *given: recurrent.backwards(recurrent.lstm, *given), 4, ()),
}
MASK = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]], bool)


def data(gates, rows=()):
    draw = np.random.RandomState(gates + len(rows))
    shapes = [
        (SAMPLES, STEPS, FEATURES),
        (FEATURES, gates * UNITS),
        (UNITS, gates * UNITS),
        (*rows, gates * UNITS),
        (SAMPLES, STEPS, UNITS),
    ]
    return [draw.randn(*shape) for shape in shapes]


EACH = [(name, masked) for name in LAYERS for masked in (False, True) if not (masked and name == "lstm backwards")]
"""No program masks a layer that goes backwards."""


@pytest.mark.parametrize(("name", "masked"), EACH)
def test_the_gradients_are_the_derivatives(name, masked):
    layer, gates, rows = LAYERS[name]
    *given, dy = data(gates, rows)
    named = {"mask": MASK} if masked else {}

    found = layer(*given, **named)[1](dy)

    for position, (array, gradient) in enumerate(zip(given, found, strict=True)):
        expected = np.zeros_like(array)
        for index in np.ndindex(*array.shape):
            around = []
            for step in (1e-6, -1e-6):
                there = [a.copy() for a in given]
                there[position][index] += step
                around.append((layer(*there, **named)[0].value * dy).sum())
            expected[index] = (around[0] - around[1]) / 2e-6
        np.testing.assert_allclose(gradient.value, expected, atol=2e-8, err_msg=f"input {position}")


def test_an_lstm_of_one_unit_is_the_textbook_formula():
    x = np.array([[[0.5], [-1.0]]])
    kernel, inner, bias = np.array([[0.1, 0.2, 0.3, 0.4]]), np.array([[0.5, -0.6, 0.7, 0.8]]), np.array([0, 1, 0, 0.5])
    h = c = 0.0
    for value in (0.5, -1.0):
        i, f, g, o = (value * kernel + h * inner + bias)[0]
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))

    assert recurrent.lstm(x, kernel, inner, bias)[0].value[0, 1, 0] == pytest.approx(h, abs=1e-12)


def test_a_masked_step_keeps_the_state_and_repeats_the_output():
    *given, _ = data(4)

    masked = recurrent.lstm(*given, mask=MASK)[0].value
    whole = recurrent.lstm(*given)[0].value

    np.testing.assert_array_equal(masked[0], whole[0])
    np.testing.assert_array_equal(masked[1, 2], whole[1, 1])
    np.testing.assert_array_equal(masked[1, 3], whole[1, 1])
    assert not np.allclose(masked[2, 2], whole[2, 2])


@pytest.mark.parametrize("name", ["simple_rnn", "lstm", "gru"])
def test_float32_stays_within_the_bound_and_a_swapped_gate_does_not(name):
    layer, gates, rows = LAYERS[name]
    *given, dy = [array.astype(np.float32) for array in data(gates, rows)]
    y, back = layer(*given)

    for want in [y, *back(dy)]:
        assert want.want("op").judge(want.value.astype(np.float32))[0] <= 1
        assert want.error.max() < 3e-4
    kernel = given[1]
    given[1] = np.concatenate([kernel[:, UNITS:], kernel[:, :UNITS]], axis=1) if gates > 1 else kernel[::-1]
    assert y.want("op").judge(layer(*given)[0].value)[0] > 100


def test_joining_keeps_values_and_bounds_together():
    *given, _ = data(4)
    y = recurrent.lstm(*given)[0]

    twice = joined([y, y])

    np.testing.assert_array_equal(twice.value[..., UNITS:], y.value)
    np.testing.assert_array_equal(twice.error[..., :UNITS], y.error)
