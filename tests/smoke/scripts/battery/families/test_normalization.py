"""Normalization: every figure of the fused operation is judged, and known defects exceed the bound."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import normalization

CASES = {case.name.split("/")[1]: case for case in normalization.cases()}


def of(name):
    (fill,) = CASES[name].fills
    return fill


@pytest.mark.parametrize("name", CASES)
def test_the_reference_is_right_in_float32_and_a_lost_element_is_not(name):
    for want in of(name).wants.values():
        wrong = np.array(want.value)
        wrong.flat[-1] += 0.1 * (1 + abs(want.value).max())

        assert want.judge(want.value.astype(np.float32)).ratio < 0.5
        assert want.judge(wrong).ratio > 1


def test_training_judges_values_statistics_and_gradients():
    assert set(of("odd").wants) == {"y", "mean", "variance", "dx", "dgamma", "dbeta"}


def test_inference_with_the_statistics_of_the_batch_shows():
    fill = of("inference_fused")
    x, gamma, beta, _, _ = (a.astype(np.float64) for a in fill.inputs)
    axes = (0, 1, 2)
    wrong = (x - x.mean(axis=axes)) / np.sqrt(x.var(axis=axes) + 1e-3) * gamma + beta

    assert fill.wants["y"].judge(wrong).ratio > 1000


def test_a_variance_without_bessels_correction_shows():
    fill = of("odd")

    assert fill.wants["variance"].judge(fill.inputs[0].astype(np.float64).var(axis=(0, 1, 2))).ratio > 1


def test_a_gradient_without_the_terms_of_the_statistics_shows():
    fill = of("odd")
    x, gamma, _ = (a.astype(np.float64) for a in fill.inputs)
    constant = fill.upstream[0] * gamma / np.sqrt(x.var(axis=(0, 1, 2)) + 1e-3)

    assert fill.wants["dx"].judge(constant).ratio > 10


def test_ten_bit_statistics_show():
    fill = of("layer_odd")
    x, gamma, beta = (a.astype(np.float64) for a in fill.inputs)
    mean = x.mean(axis=-1, keepdims=True).astype(np.float16)
    wrong = (x - mean) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-3) * gamma + beta

    assert fill.wants["y"].judge(wrong).ratio > 1


@pytest.mark.parametrize("name", ["odd", "layer_odd"])
def test_no_scale_hides_a_fault(name):
    _, gamma, beta = of(name).inputs

    assert abs(gamma).min() >= 0.5
    assert (abs(abs(gamma) - 1) > 1e-4).all()
    assert beta.all()
