"""A lost activation is recognized; what reduced precision takes is no loss of structure."""

from __future__ import annotations

import numpy as np
import pytest
from battery import bounds
from battery.families.dense import MatrixSums
from battery.families.fused import LOST, activated_fill, relu_fill
from battery.references.functions import ACTIVATIONS
from battery.values import draw_for, rounded

SHAPE = (7, 20, 18)
SHAPES = ((7, 20), (20, 18), (18,))
LABELS = ("int", "real")


def filled(name, label):
    return activated_fill(label, ACTIVATIONS[name], MatrixSums(*SHAPE), SHAPES, draw_for("test"))


def before(fill):
    x, w, b = (a.astype(np.float64) for a in fill.inputs)
    return x @ w + b


def passed(name, fill):
    return fill.upstream * ACTIVATIONS[name].slope(before(fill))


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", [name for name in ACTIVATIONS if name != "none"])
def test_values_that_skipped_the_activation_fail_and_are_called_so(name, label):
    fill = filled(name, label)

    ratio, _, detail = fill.wants["y"].judge(before(fill))

    assert ratio > 1
    assert detail.endswith(LOST)


def test_other_wrong_values_are_not_called_so():
    want = filled("tanh", "real").wants["y"]

    ratio, _, detail = want.judge(want.value + 0.1)

    assert ratio > 1
    assert LOST not in detail


def test_a_relu_left_out_is_recognized():
    fill = relu_fill("real", MatrixSums(*SHAPE), SHAPES, draw_for("test"))

    assert fill.wants["y"].judge(before(fill)).detail.endswith(LOST)
    assert fill.wants["y"].judge(np.maximum(before(fill), 0)).ratio < 1e-3


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_gradients_are_those_of_the_sum_behind_the_slope(name, label):
    fill = filled(name, label)
    x, w, _ = (a.astype(np.float64) for a in fill.inputs)
    dz = passed(name, fill)

    for key, expected in (("dx", dz @ w.T), ("dw", x.T @ dz), ("db", dz.sum(axis=0))):
        np.testing.assert_allclose(fill.wants[key].value, expected, atol=1e-12)
        assert fill.wants[key].judge(expected.astype(np.float32)).ratio < 0.1


@pytest.mark.parametrize("name", ["relu", "elu", "tanh", "gelu"])
def test_a_lost_row_exceeds_the_bound_even_where_only_structure_is_judged(name):
    fill = filled(name, "int")
    x, dz = fill.inputs[0].astype(np.float64), passed(name, fill)

    assert fill.wants["dw"].judge(x[:-1].T @ dz[:-1]).ratio > 1


def in_tf32(name, fill):
    """Every product of inputs of 11 bits, forward and backward, summed exactly."""
    x, w, b = (rounded(a, 11).astype(np.float64) for a in fill.inputs)
    dz = rounded((fill.upstream * ACTIVATIONS[name].slope(x @ w + b)).astype(np.float32), 11).astype(np.float64)
    return {"y": ACTIVATIONS[name].value(x @ w + b), "dx": dz @ w.T, "dw": x.T @ dz}


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "gelu", "elu"])
@pytest.mark.parametrize("key", ["y", "dx", "dw"])
def test_reduced_precision_is_told_from_a_fault(name, key):
    whole, real = filled(name, "int"), filled(name, "real")

    ratio, bits, _ = real.wants[key].judge(in_tf32(name, real)[key])

    assert whole.wants[key].judge(in_tf32(name, whole)[key]).ratio <= 1
    assert ratio > 1
    assert bounds.REDUCED_PRECISION[0] < bits < bounds.REDUCED_PRECISION[1]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", ["relu", "relu6", "leaky_relu", "selu"])
def test_no_decision_is_within_rounding_where_a_gradient_comes_from_above(name, label):
    fill, function = filled(name, label), ACTIVATIONS[name]
    near = np.min([abs(before(fill) - kink) for kink in function.kinks], axis=0)

    assert near[fill.upstream != 0].min() > 1e-5
    assert (fill.upstream != 0).mean() > 0.9
