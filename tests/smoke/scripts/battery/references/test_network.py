"""The network's gradients by hand, against differences of its output in float64."""

from __future__ import annotations

import numpy as np
import pytest
from battery.references.network import Network

DRAW = np.random.RandomState(4)
SHAPES = ((2, 5, 4, 2), (3, 3, 2, 3), (3,), (3, 3, 3, 2), (2,), (2, 3), (3,))
GIVEN = [DRAW.randn(*shape) for shape in SHAPES]
ABOVE = DRAW.randn(2, 3)


@pytest.mark.parametrize("which", range(len(SHAPES)), ids=["dx", "dk1", "db1", "dk2", "db2", "dd", "dc"])
def test_each_gradient_is_the_derivative(which):
    network, step = Network(GIVEN[0], GIVEN[1:]), 1e-6
    assert min(*network.blocks[0].closest(), *network.blocks[1].closest()) > 10 * step  # no decision turns over

    found = network.back(ABOVE)[which]

    for index in np.ndindex(*SHAPES[which]):
        outputs = []
        for sign in (1, -1):
            moved = [array.copy() for array in GIVEN]
            moved[which][index] += sign * step
            outputs.append((Network(moved[0], moved[1:]).y * ABOVE).sum())
        assert found[index] == pytest.approx((outputs[0] - outputs[1]) / (2 * step), abs=1e-6)


def test_the_nearest_decision_is_found_before_the_relu_and_within_the_windows():
    x = np.array([[3.0, 1], [2.75, -0.5]]).reshape(1, 2, 2, 1)
    kernel = np.zeros((3, 3, 1, 1))
    kernel[1, 1] = 1
    weights = [kernel, np.zeros(1), kernel, np.zeros(1), np.ones((0, 1)), np.zeros(1)]

    assert Network(x, weights).blocks[0].closest() == (0.5, 0.25)
