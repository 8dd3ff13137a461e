"""The optimizers' closed forms over all variables at once, and that a fault of each kind leaves the bound."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from battery.programs import optimizing, rules
from battery.references import optimizers
from battery.references.bounded import Bounded

RULES = {rule.name: rule for rule in rules.RULES}
STARTS, GRADIENTS = optimizing.drawn(tuple(optimizing.VARIABLES))


def float32(rule):
    """The closed form in float32: each constant and each operation rounded."""
    sizes = [start.size for start in STARTS.values()]
    parts = [slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes), strict=True)]
    reference, weights = rule.reference(lambda value, error=0.0: np.float32(value)), optimizing.flat(STARTS)
    for number, step in enumerate(GRADIENTS):
        if rule.schedule is not None:
            reference.rate = np.float32(rule.schedule(number))
        clipped = rule.clip(Bounded(optimizing.flat(step)), parts).value.astype(np.float32)
        (weights,) = reference.apply([weights], [clipped])
    return [weights[part].reshape(start.shape) for part, start in zip(parts, STARTS.values(), strict=True)]


@pytest.mark.parametrize("name", RULES)
def test_float32_arithmetic_of_the_same_formula_is_right(name):
    wants = optimizing.closed_form(RULES[name], RULES[name].reference, STARTS, GRADIENTS)

    for want, found in zip(wants, float32(RULES[name]), strict=True):
        assert found.dtype == np.float32
        assert want.judge(found)[0] < 0.8


FAULTS = {
    "epsilon 1e-8": ("adam", optimizers.Adam(epsilon=1e-8)),
    "beta_2 0.99": ("adam", optimizers.Adam(beta_2=0.99)),
    "momentum 0.89": ("momentum", optimizers.Momentum(momentum=0.89)),
    "no momentum": ("momentum", optimizers.Momentum()),
    "clipnorm ignored": ("clipnorm", optimizers.Momentum()),
    "weight decay ignored": ("adamw", optimizers.Adam()),
    "amsgrad forgotten": ("amsgrad", optimizers.Adam(beta_1=0.8, beta_2=0.5, epsilon=1e-3)),
    "another epsilon": ("amsgrad", optimizers.Adam(beta_1=0.8, beta_2=0.5, amsgrad=True)),
    "epsilon of Adagrad": ("adagrad", optimizers.Adagrad(1e-2)),
    "rho ignored": ("rms_momentum", optimizers.RMSprop(momentum=0.7, epsilon=1e-2)),
    "momentum is 0.9": ("nesterov", optimizers.Momentum(momentum=0.9, nesterov=True)),
    "centering forgotten": ("centered", optimizers.RMSprop()),
    "nesterov forgotten": ("nesterov", optimizers.Momentum(momentum=0.8)),
    "schedule ignored": ("schedule", optimizers.Momentum()),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_formula_is_out_of_bounds(fault):
    name, wrong = FAULTS[fault]
    weights = [optimizing.flat(STARTS).astype(float)]
    for step in GRADIENTS:
        weights = wrong.apply(weights, [optimizing.flat(step).astype(float)])
    wants, at, ratios = optimizing.closed_form(RULES[name], RULES[name].reference, STARTS, GRADIENTS), 0, []
    for want in wants:
        size = want.value.size
        ratios.append(want.judge(weights[0][at : at + size].reshape(want.shape))[0])
        at += size

    assert max(ratios) > 10


def test_one_element_of_each_variable_has_no_gradient_and_keeps_its_value():
    for want, start in zip(
        optimizing.closed_form(RULES["adam"], RULES["adam"].reference, STARTS, GRADIENTS), STARTS.values(), strict=True
    ):
        assert want.value.flat[0] == start.flat[0]


def test_names_are_used_once():
    assert len(RULES) == len(rules.RULES)


def test_the_epsilon_of_an_older_rmsprop_is_outside_the_root():
    rule = RULES["rmsprop"]
    inside, outside = (
        optimizing.closed_form(rule, formula, STARTS, GRADIENTS) for formula in (rule.reference, rule.older)
    )

    ratios = [one.judge(other.value).ratio for one, other in zip(inside, outside, strict=True)]
    assert max(ratios) > 100


def test_what_an_older_keras_computes_by_another_schedule_is_not_judged():
    class Old:
        __module__ = "keras.optimizers.optimizer_v2.nadam"

    optimizers = SimpleNamespace(Nadam=lambda **named: Old())
    session = SimpleNamespace(tf=SimpleNamespace(keras=SimpleNamespace(optimizers=optimizers)))

    assert optimizing.made(session, RULES["nadam"]) is None
