"""The closed forms against the formulas of the papers, step by step on one number, and what clipping does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.references import optimizers
from battery.references.bounded import Bounded

GRADIENTS = (0.3, -2.0, 0.7)


def ended(rule, start=1.5):
    weights = [np.array([start])]
    for g in GRADIENTS:
        weights = rule.apply(weights, [np.array([g])])
    return float(weights[0][0])


def adam(w, rate=1e-3, amsgrad=False, decay=0.0):
    m = v = highest = 0.0
    for t, g in enumerate(GRADIENTS, 1):
        w -= rate * decay * w
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        highest = max(highest, v)
        second = highest if amsgrad else v
        w -= rate * math.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (math.sqrt(second) + 1e-7)
    return w


def sgd(w, momentum, nesterov):
    velocity = 0.0
    for g in GRADIENTS:
        velocity = momentum * velocity - 0.01 * g
        w += momentum * velocity - 0.01 * g if nesterov else velocity
    return w


def rmsprop(w, momentum=0.0, centered=False):
    v = mean = step = 0.0
    for g in GRADIENTS:
        v, mean = 0.9 * v + 0.1 * g * g, 0.9 * mean + 0.1 * g
        step = momentum * step + 1e-3 * g / math.sqrt(v - centered * mean**2 + 1e-7)
        w -= step
    return w


def adagrad(w):
    total = 0.1
    for g in GRADIENTS:
        total += g * g
        w -= 1e-3 * g / math.sqrt(total + 1e-7)
    return w


def adadelta(w):
    v = moved = 0.0
    for g in GRADIENTS:
        v = 0.95 * v + 0.05 * g * g
        step = math.sqrt(moved + 1e-7) / math.sqrt(v + 1e-7) * g
        moved = 0.95 * moved + 0.05 * step * step
        w -= 1e-3 * step
    return w


def adamax(w):
    m = u = 0.0
    for t, g in enumerate(GRADIENTS, 1):
        m, u = 0.9 * m + 0.1 * g, max(0.999 * u, abs(g))
        w -= 1e-3 / (1 - 0.9**t) * m / (u + 1e-7)
    return w


def nadam(w):
    m = v = 0.0
    product = 1.0
    for t, g in enumerate(GRADIENTS, 1):
        now, after = 0.9 * (1 - 0.5 * 0.96**t), 0.9 * (1 - 0.5 * 0.96 ** (t + 1))
        product *= now
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        ahead = after * m / (1 - product * after) + (1 - now) * g / (1 - product)
        w -= 1e-3 * ahead / (math.sqrt(v / (1 - 0.999**t)) + 1e-7)
    return w


RULES = {
    "adam": (optimizers.Adam(), adam(1.5)),
    "amsgrad": (optimizers.Adam(amsgrad=True), adam(1.5, amsgrad=True)),
    "adamw": (optimizers.Adam(decay=0.01), adam(1.5, decay=0.01)),
    "sgd": (optimizers.Momentum(), sgd(1.5, 0.0, False)),
    "momentum": (optimizers.Momentum(momentum=0.9), sgd(1.5, 0.9, False)),
    "nesterov": (optimizers.Momentum(momentum=0.9, nesterov=True), sgd(1.5, 0.9, True)),
    "rmsprop": (optimizers.RMSprop(), rmsprop(1.5)),
    "centered": (optimizers.RMSprop(centered=True), rmsprop(1.5, centered=True)),
    "rmsprop with momentum": (optimizers.RMSprop(momentum=0.9), rmsprop(1.5, momentum=0.9)),
    "adagrad": (optimizers.Adagrad(), adagrad(1.5)),
    "adadelta": (optimizers.Adadelta(), adadelta(1.5)),
    "adamax": (optimizers.Adamax(), adamax(1.5)),
    "nadam": (optimizers.Nadam(), nadam(1.5)),
}


@pytest.mark.parametrize("name", RULES)
def test_three_steps_are_the_formula(name):
    rule, expected = RULES[name]

    assert ended(rule) == pytest.approx(expected, abs=1e-14)


def test_with_bounds_the_values_stay_and_the_bound_admits_a_rounded_complement_of_beta():
    def moved(rule, gradients):
        weights = [gradients[0] * 0.0]
        for g in gradients:
            weights = rule.apply(weights, [g])
        return weights[0]

    gradients = [np.array([g, 0.0], np.float32) for g in GRADIENTS]
    exact = moved(optimizers.Adam(), [g.astype(float) for g in gradients])
    bounded = moved(optimizers.Adam(number=optimizers.rounded), [Bounded(g) for g in gradients])
    off = optimizers.Adam()
    off.average = lambda key, decay, new: off.state.setdefault(key, np.zeros(2)).__iadd__(
        (new - off.state[key]) * float(np.float32(1) - np.float32(decay))
    )
    found = moved(off, [g.astype(float) for g in gradients])

    np.testing.assert_allclose(bounded.value, exact, rtol=1e-12)
    assert 0 < abs(found[0] - exact[0]) < 2 * bounded.error[0] < 1e-3 * len(GRADIENTS) * 1e-3  # of the steps' sizes
    assert bounded.value[1] == bounded.error[1] == 0
