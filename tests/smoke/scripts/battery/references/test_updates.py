"""With the same gradient at every step each update has a closed form of another kind, which the recurrences must meet."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.references import updates

RATE, MOMENTUM, EPSILON = updates.RATE, updates.MOMENTUM, updates.EPSILON
STEPS = 5
CONSTANT = {
    "descent": (updates.Descent(), lambda g, t: RATE * g),
    "momentum": (updates.Momentum(), lambda g, t: RATE * g * geometric(t)),
    "nesterov": (updates.Momentum(True), lambda g, t: RATE * g * geometric(t + 1)),
    "keras_momentum": (updates.KerasMomentum(), lambda g, t: RATE * g * geometric(t)),
    "keras_nesterov": (updates.KerasMomentum(True), lambda g, t: RATE * g * geometric(t + 1)),
    "adam": (updates.Adam(), lambda g, t: RATE * g / (abs(g) + EPSILON / math.sqrt(1 - updates.BETA_2**t))),
    "adagrad": (updates.Adagrad(), lambda g, t: RATE * g / (math.sqrt(0.1 + t * g * g) + EPSILON)),
    "adamax": (updates.AdaMax(), lambda g, t: RATE * g / (abs(g) + EPSILON)),
    "rmsprop": (
        updates.RMSProp(),
        lambda g, t: sum(
            MOMENTUM ** (t - k) * RATE * g / math.sqrt((1 - updates.DECAY**k) * g * g + EPSILON)
            for k in range(1, t + 1)
        ),
    ),
}


def geometric(t: int) -> float:
    return (1 - MOMENTUM**t) / (1 - MOMENTUM)


@pytest.mark.parametrize("g", [3.0, -0.02, 1e-7])
@pytest.mark.parametrize("name", CONSTANT)
def test_a_constant_gradient_gives_the_sum(name: str, g: float) -> None:
    update, closed = CONSTANT[name]

    weight, moved = updates.applied(update, np.array([2.0]), [np.array([g])] * STEPS)

    total = sum(closed(g, t) for t in range(1, STEPS + 1))
    assert 2.0 - weight[0] == pytest.approx(total, rel=1e-12 / min(1, abs(total)))
    assert moved[0] == pytest.approx(abs(total), rel=1e-12)


def test_adadelta_moves_by_the_ratio_of_two_roots() -> None:
    g, tiny = 0.5, EPSILON
    first = math.sqrt(tiny) / math.sqrt(0.1 * g * g + tiny) * g
    second = math.sqrt(0.1 * first**2 + tiny) / math.sqrt(0.19 * g * g + tiny) * g

    weight, _ = updates.applied(updates.Adadelta(), np.zeros(1), [np.array([g])] * 2)

    assert weight[0] == pytest.approx(-first - second, rel=1e-12)


@pytest.mark.parametrize("name", CONSTANT)
def test_without_gradient_nothing_moves(name: str) -> None:
    weight, moved = updates.applied(CONSTANT[name][0], np.array([2.0]), [np.zeros(1)] * STEPS)

    assert weight[0] == 2
    assert moved[0] == 0


def test_gradients_of_changing_sign_move_less_than_they_could() -> None:
    weight, moved = updates.applied(updates.Momentum(), np.zeros(1), [np.array([1.0]), np.array([-1.0])])

    assert weight[0] == pytest.approx(-RATE * (1 + 0.9 - 1))
    assert moved[0] == pytest.approx(RATE * (1 + 1.9))
