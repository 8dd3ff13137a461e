"""What a dropout's mask may be: NumPy's own passes, and each reported or imagined fault does not."""

from __future__ import annotations

import numpy as np
import pytest
from battery.programs import dropping
from battery.references import chance

RATE = 0.25
MASK = np.random.RandomState(8).rand(*dropping.SHAPE) >= RATE


def test_independent_masks_pass_with_room():
    for seed in range(20):
        draw = np.random.RandomState(seed)
        one, other = (draw.rand(*dropping.SHAPE) >= RATE for _ in range(2))

        assert max(chance.kept(one, RATE)[0], dropping.repeats(one, RATE)[0], dropping.alike(one, other, RATE)[0]) < 0.8


@pytest.mark.parametrize("period", [3, 12, 64, 192, 256, 1024, 4096, 16384, 65536])
def test_a_mask_that_repeats_itself_is_found(period):
    flat = MASK.ravel()
    repeated = np.tile(flat[:period], flat.size // period + 1)[: flat.size].reshape(MASK.shape)

    assert max(dropping.repeats(repeated, RATE)[0], chance.kept(repeated, RATE)[0]) > 1


def test_the_mask_of_the_step_before_is_found():
    assert dropping.alike(MASK, MASK, RATE)[0] > 10


def test_a_rate_off_by_two_points_is_found():
    draw = np.random.RandomState(1)

    assert chance.kept(draw.rand(*dropping.SHAPE) >= RATE + 0.02, RATE)[0] > 1


def test_what_is_kept_must_be_scaled_and_what_is_dropped_must_be_nothing():
    x = np.full(dropping.SHAPE, 3.0, np.float32)
    want = dropping.scaled("Dropout", x, MASK, RATE)
    right = np.where(MASK, x / np.float32(0.75), 0)

    assert want.judge(right)[0] <= 1
    assert want.judge(right * 0.75)[0] > 1
    assert want.judge(np.where(MASK, right, 1e-6))[0] > 1
