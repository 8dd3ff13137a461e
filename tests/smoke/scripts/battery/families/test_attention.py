"""Attention: a mask that is lost, a scale that is lost and a future that is seen exceed the bound."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import attention
from battery.references.neural import softmax

CASES = {case.name.split("/")[1]: case for case in attention.cases()}
LABELS = ("int", "real")


def of(name, label):
    return next(fill for fill in CASES[name].fills if fill.label == label)


def attended(q, k, v, mask, scale=0.25):
    q, k, v = (a.astype(np.float64) for a in (q, k, v))
    return softmax(scale * q @ np.swapaxes(k, -1, -2) + mask) @ v


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", CASES)
def test_the_reference_is_right_in_float32_and_rolled_positions_are_not(name, label):
    fill = of(name, label)

    assert set(fill.wants) == {"y", "dq", "dk", "dv"}
    for want in fill.wants.values():
        assert want.judge(want.value.astype(np.float32)).ratio < 0.1
        assert want.judge(np.roll(want.value, 1, axis=-2)).ratio > 1


@pytest.mark.parametrize("label", LABELS)
def test_a_lost_mask_shows(label):
    fill = of("causal", label)
    q, k, v, mask = fill.inputs

    assert fill.wants["y"].judge(attended(q, k, v, mask)).ratio < 0.01
    assert fill.wants["y"].judge(attended(q, k, v, 0 * mask)).ratio > 1


@pytest.mark.parametrize("label", LABELS)
def test_a_lost_scale_shows(label):
    fill = of("causal", label)

    assert fill.wants["y"].judge(attended(*fill.inputs, scale=1)).ratio > 1


def test_the_first_position_sees_only_itself():
    fill = of("causal", "real")

    np.testing.assert_allclose(fill.wants["y"].value[:, :, 0], fill.inputs[2][:, :, 0], atol=1e-12)


def test_keys_are_as_many_as_said():
    assert of("cross", "real").inputs[1].shape == (3, 2, 33, 18)
