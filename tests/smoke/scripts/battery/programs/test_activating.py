"""The activations in float64: known values, and a lost ReLU far out of bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.programs import activating
from battery.references.bounded import Bounded

VALUES = {
    "relu": (0.0, 2.0),
    "relu_layer": (0.0, 2.0),
    "relu6": (0.0, 2.0),
    "leaky_relu": (-0.2, 2.0),
    "elu": (math.exp(-1) - 1, 2.0),
    "gelu": (-0.15865525393145707, 1.9544997361036416),  # x times the normal law's distribution function
    "tanh": (math.tanh(-1), math.tanh(2)),
    "sigmoid": (1 / (1 + math.e), 1 / (1 + math.exp(-2))),
}


@pytest.mark.parametrize("name", activating.ACTIVATIONS)
def test_it_has_its_known_values(name):
    function = activating.ACTIVATIONS[name][1]

    np.testing.assert_allclose(function(Bounded([-1.0, 2.0])).value, VALUES[name], atol=1e-15)


def test_the_bounded_relu_stops_at_six():
    assert activating.ACTIVATIONS["relu6"][1](Bounded([7.0])).value[0] == 6


def test_weights_that_let_nothing_through_a_relu_leave_the_last_bias_alone():
    (_, _, _), (label, x, weights) = activating.fills()
    wants = activating.closed_form(x, weights)

    assert label == "negative"
    np.testing.assert_array_equal(wants["relu"].value, np.full((8, 1), weights[-1][0]))
    assert wants["relu"].limit.max() < 1e-6


def test_a_net_without_its_relu_is_out_of_bounds():
    for _, x, weights in activating.fills():
        want = activating.closed_form(x, weights)["relu"]
        linear = (x.astype(float) @ weights[0] + weights[1]) @ weights[-2] + weights[-1]

        assert want.judge(linear)[0] > 1000
