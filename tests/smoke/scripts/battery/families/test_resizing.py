"""Resizing and patches: no rounding decides, and pixels are laid out as TensorFlow documents them."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import resizing
from battery.references.resizing import positions

CASES = resizing.cases()


@pytest.mark.parametrize(
    ("given", "wanted"), [pair for row in resizing.SIZES.values() for pair in zip(row[0][1:3], row[1], strict=True)]
)
def test_no_nearest_pixel_is_decided_by_rounding(given, wanted):
    edges = positions(given, wanted) + 0.5

    assert abs(edges - np.round(edges)).min() > 1e-3


@pytest.mark.parametrize("case", [case for case in CASES if case.fills[0].label == "int"], ids=lambda case: case.name)
def test_whole_values_stay_whole(case):
    for fill in case.fills:
        assert all((want.value == np.round(want.value)).all() for want in fill.wants.values())
        assert max(abs(want.value).max() for want in fill.wants.values()) < 2**24


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_whatever_is_lost_or_turned_around_is_seen(case):
    for fill in case.fills:
        for want in fill.wants.values():
            for axis in range(4):
                lost = want.value.copy()
                lost[(slice(None),) * axis + (-1,)] = 0
                assert want.judge(lost).ratio > 1 or np.array_equal(lost, want.value)
                assert want.judge(np.flip(want.value, axis)).ratio > 1
            assert want.judge(want.value * (1 + 2e-3)).ratio > 1


def test_bilinear_weights_of_half_precision_are_seen():
    for case in CASES:
        if case.fills[0].label == "bound":
            want = case.fills[-1].wants["y"]
            assert want.judge(want.value.astype(np.float16)).ratio > 1


def test_a_patch_lists_its_pixels_row_by_row_and_zeros_beyond_the_border():
    fill = next(case for case in CASES if case.name.startswith("patches/")).fills[0]
    x, y = fill.inputs[0], fill.wants["y"].value

    # 7 rows by 3 with stride 2 pad one row above and below, 6 columns by 3 with stride 1 one on each side
    assert y.shape == (2, 4, 6, 45)
    assert (
        y[1, 1, 2].tolist() == np.concatenate([x[1, row, column] for row in (1, 2, 3) for column in (1, 2, 3)]).tolist()
    )
    assert not y[0, 0, 0, :15].any()  # above the image
    assert y[0, 0, 0, 20:25].tolist() == x[0, 0, 0].tolist()
    assert not y[0, 0, 5, 25:30].any()  # right of it
    assert x.all()
