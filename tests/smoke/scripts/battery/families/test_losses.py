"""Losses: the data are what they are said to be, and common mistakes exceed the bound."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import losses
from battery.references.neural import softmax

CASES = {case.name: case for case in losses.cases()}


def of(name):
    (fill,) = CASES[name].fills
    return fill


@pytest.mark.parametrize("name", CASES)
def test_the_reference_is_right_in_float32_and_a_wrong_last_element_is_not(name):
    for want in of(name).wants.values():
        wrong = np.array(want.value)
        wrong[(-1,) * wrong.ndim] += 0.1 * (1 + abs(want.value).max())

        assert np.isfinite(want.limit).all()
        assert want.judge(want.value.astype(np.float32)).ratio < 0.5
        assert want.judge(wrong).ratio > 1


@pytest.mark.parametrize("name", ["xent/c10", "xent/sparse_c10", "xent/soft"])
def test_an_upstream_gradient_that_is_ignored_shows(name):
    fill = of(name)

    assert fill.wants["dz"].judge(fill.wants["dz"].value / fill.upstream[:, None]).ratio > 100


def test_a_label_that_is_not_subtracted_shows():
    fill = of("xent/sparse_c10")

    assert fill.wants["dz"].judge(softmax(fill.inputs[0]) * fill.upstream[:, None]).ratio > 100


@pytest.mark.parametrize("name", ["xent/sparse_c10", "xent/sparse_c1000", "xent/sparse_c70001"])
def test_first_and_last_class_are_among_the_targets(name):
    z, numbers = of(name).inputs

    assert {0, z.shape[1] - 1} <= set(numbers.tolist())


def test_a_sum_instead_of_the_mean_shows():
    fill = of("xent/mean")

    assert fill.wants["y"].judge(7 * fill.wants["y"].value).ratio > 100
    assert fill.wants["dz"].judge(7 * fill.wants["dz"].value).ratio > 100


def test_half_precision_logits_near_ten_thousand_show():
    fill = of("softmax/offset")
    z = fill.inputs[0].astype(np.float16).astype(np.float32)

    assert fill.wants["y"].judge(softmax(z)).ratio > 100


def test_the_differences_of_logits_near_ten_thousand_are_exact():
    z = of("softmax/offset").inputs[0]

    assert np.array_equal(z - z.max(), (z.astype(np.float64) - z.max()).astype(np.float32))


def test_the_wrong_axis_shows():
    fill = of("softmax/axis")

    assert fill.wants["y"].judge(softmax(fill.inputs[0])).ratio > 100


def test_targets_without_probability_have_a_finite_loss():
    fill = of("xent/far")

    assert fill.wants["y"].value.max() > 150
    assert (fill.wants["y"].limit < 0.1).all()


def test_a_clipped_probability_shows():
    fill = of("xent/far")

    assert fill.wants["y"].judge(np.minimum(fill.wants["y"].value, -np.log(1e-7))).ratio > 100
