"""The data and bounds of the update kernels: each way of updating wrongly is out of bounds on at least one weight."""

from __future__ import annotations

import numpy as np
import pytest
from battery import bounds
from battery.programs import updating
from battery.references import updates

STARTS, GRADIENTS = updating.drawn()


def worst(update, found):
    """The largest ratio over the weights, for answers that `found(start, gradients)` gives."""
    ratios = []
    for start, steps in zip(STARTS, zip(*GRADIENTS, strict=True), strict=True):
        weight, moved = updates.applied(update, start, steps)
        want = bounds.optimizer("op", weight, start.astype(np.float64), moved, updating.UPDATES, update.constant)
        ratios.append(want.judge(found(start, steps))[0])
    return max(ratios)


def test_two_weights_start_at_zero_and_one_element_of_each_has_no_gradient():
    assert sum(not start.any() for start in STARTS) == 2
    assert max(start.size for start in STARTS) == 65541
    for step in GRADIENTS:
        assert all(g.flat[0] == 0 and np.count_nonzero(g) == g.size - 1 for g in step)


@pytest.mark.parametrize("name", updating.KERNELS)
def test_float32_steps_are_within_bounds(name):
    update = updating.KERNELS[name][1]

    def found(start, steps):
        state = {key: value.astype(np.float32) for key, value in update.start(start.shape).items()}
        weight = start
        for t, g in enumerate(steps, 1):
            weight = (weight + np.float32(update.step(state, g, t))).astype(np.float32)
            state = {key: value.astype(np.float32) for key, value in state.items()}
        return weight

    assert 0 < worst(update, found) < 0.7


def with_constants(update, **constants):
    """The update as computed with other constants."""

    def found(start, steps):
        with pytest.MonkeyPatch.context() as patch:
            for key, value in constants.items():
                patch.setattr(updates, key, value)
            return updates.applied(update, start, steps)[0]

    return found


@pytest.mark.parametrize(
    ("name", "constants"),
    [
        ("adam", {"EPSILON": 1e-3}),
        ("adam", {"EPSILON": 1e-8}),
        ("adam", {"BETA_2": 0.99}),
        ("adam", {"BETA_1": 0.89}),
        ("keras_momentum", {"MOMENTUM": 0.89}),
        ("momentum", {"MOMENTUM": 0.89}),
        ("rmsprop", {"DECAY": 0.89}),
        ("rmsprop", {"EPSILON": 1e-8}),
        ("adagrad", {"EPSILON": 1e-3}),
        ("adadelta", {"EPSILON": 1e-6}),
        ("adamax", {"EPSILON": 1e-8}),
        ("descent", {"RATE": 1.001e-2}),
    ],
)
def test_another_constant_is_out_of_bounds(name, constants):
    update = updating.KERNELS[name][1]

    assert worst(update, with_constants(update, **constants)) > 1


@pytest.mark.parametrize("name", updating.KERNELS)
def test_lost_elements_lost_steps_and_half_precision_are_out_of_bounds(name):
    update = updating.KERNELS[name][1]

    def tail(start, steps):
        weight = updates.applied(update, start, steps)[0]
        weight.flat[start.size // 256 * 256 :] = start.flat[start.size // 256 * 256 :]
        return weight

    assert worst(update, tail) > 1
    assert worst(update, lambda start, steps: updates.applied(update, start, steps[:-1])[0]) > 1
    assert worst(update, lambda start, steps: np.float16(updates.applied(update, start, steps)[0])) > 1


COMBINE = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "max": max, "min": min, "update": lambda a, b: b}


@pytest.mark.parametrize("name", updating.CHANGES)
def test_changes_of_variables_by_loops(name):
    draw = np.random.RandomState(2)
    w, x, u = (draw.randint(-2000, 2001, shape).astype(np.float32) for shape in ((17, 5), (17, 5), (33, 5)))
    i = np.concatenate([draw.permutation(17), draw.randint(0, 9, 16)])
    how = {"embedding": "sub"}.get(name, name.split("_")[-1])
    if "assign" in name:
        expected = (
            x
            if name == "assign"
            else [[COMBINE[how](a, b) for a, b in zip(*two, strict=True)] for two in zip(w, x, strict=True)]
        )
    else:
        expected = w.astype(float)
        for row, values in list(zip(i, u, strict=True))[: 9 if how == "update" else None]:
            expected[row] = [COMBINE[how](a, b) for a, b in zip(expected[row], values, strict=True)]

    assert (updating.CHANGES[name][2](w, x, u, i) == expected).all()
