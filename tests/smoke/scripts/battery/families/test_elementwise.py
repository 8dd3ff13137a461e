"""Broadcasting and its gradients by finite differences; a wrong axis, a lost row and low precision are out of bounds."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import elementwise

CASES = {case.name: case for case in elementwise.cases()}
PAIRS = [f"pair/{row[0]}_{row[1]}" for row in elementwise.PAIRS]
FUNCTIONS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "squared_difference": lambda x, y: (x - y) * (x - y),
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def slope(function, inputs, which, upstream, step=1e-4):
    """Exact up to rounding for what is linear or square."""
    x = inputs[which].astype(np.float64)
    found = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * step
            given = [moved if k == which else v.astype(np.float64) for k, v in enumerate(inputs)]
            ends.append((function(*given) * upstream).sum())
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.parametrize("name", [name for name in PAIRS if not name.endswith("_bias")] + ["pair/add_bias"])
def test_values_and_gradients_by_finite_differences(name):
    function = FUNCTIONS[name.split("/")[1].rsplit("_", 1)[0]]
    for fill in CASES[name].fills:
        if function in (np.maximum, np.minimum):  # no decision within the step
            assert abs(np.subtract(*fill.inputs)).min() > 2e-4
        assert np.allclose(fill.wants["z"].value, function(*(v.astype(np.float64) for v in fill.inputs)), rtol=1e-12)
        for which, key in enumerate("xy"):
            if fill.inputs[which].size < 100:
                expected = slope(function, fill.inputs, which, fill.upstream)
                assert np.allclose(fill.wants["d" + key].value, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", PAIRS)
def test_the_smaller_operands_gradient_needs_every_row(name):
    fill = CASES[name].fills[0]
    want = fill.wants["dy"]
    if want.value.size == fill.upstream.size:
        return
    lost = want.value - 1.0  # the smallest product

    assert want.judge(want.value)[0] == 0
    assert want.judge(lost)[0] > 1
    assert abs(fill.wants["dy"].value).max() <= 2**24


@pytest.mark.parametrize("name", PAIRS)
def test_low_precision_is_out_of_bounds_and_float32_is_not(name):
    for key, want in CASES[name].fills[1].wants.items():
        assert want.judge(want.value.astype(np.float32))[0] < 0.2, key
        assert want.judge(want.value * (1 + 2.0**-9))[0] > 1 or not want.value.any(), key


@pytest.mark.parametrize("name", elementwise.SINGLE)
def test_single_operands_by_hand(name):
    fill = CASES["single/" + name].fills[0]
    x, dy = fill.inputs[0].astype(np.float64), fill.upstream
    rise, value = {
        "abs": (np.where(x > 0, 1, -1), np.where(x > 0, x, -x)),
        "neg": (-1, 0 - x),
        "clip": (np.where(abs(x + 0.5) < 2.75, 1, 0), np.minimum(np.maximum(x, -3.25), 2.25)),
        "square": (x + x, x * x),
    }[name]

    assert x.all()  # none where a gradient is a convention
    assert (fill.wants["y"].value == value).all()
    assert (fill.wants["dx"].value == dy * rise).all()


def test_clipping_by_norm_keeps_the_direction_and_what_is_short():
    fill = CASES["single/clip_by_norm"].fills[0]
    x, y = (v.astype(np.float64) for v in fill.inputs)
    length = {key: np.linalg.norm(fill.wants[key].value) for key in "abcd"}

    assert length["a"] == pytest.approx(1)
    assert (fill.wants["b"].value == y).all()
    assert np.hypot(length["c"], length["d"]) == pytest.approx(1)
    assert float(fill.wants["n"].value) == pytest.approx(np.sqrt((x * x).sum() + (y * y).sum()))
    assert fill.wants["a"].judge(x)[0] > 1  # not clipped
