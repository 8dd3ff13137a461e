"""Pooling: no ties where the answer depends on them, averages that are integers, and a rule for ties."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import pooling, volumes
from battery.families.pooling import shares_of_ties
from battery.references.windows import Windows, average_pool, max_pool

CASES = [case for module in (pooling, volumes) for case in module.cases() if "pool" in case.name]
MAXIMA = [case for case in CASES if case.name.startswith("maxpool") and not case.name.endswith(("ties", "positions"))]
AVERAGES = [case for case in CASES if case.name.startswith("avgpool")]


@pytest.mark.parametrize("case", MAXIMA, ids=lambda case: case.name)
def test_maxima_have_no_ties_and_are_once_all_negative(case):
    centred, negative = (given.inputs[0] for given in case.fills)

    assert all(len(np.unique(x)) == x.size for x in (centred, negative))
    assert centred.min() < 0 < centred.max()
    assert negative.max() < 0


def test_some_quick_pooling_has_more_values_than_float16_can_tell_apart():
    assert any(case.fills[0].inputs[0].size > 2048 * 2 for case in MAXIMA if case.level == "quick")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_whatever_is_lost_or_turned_around_is_seen(case):
    for fill in case.fills:
        for want in fill.wants.values():
            if not hasattr(want, "value"):
                continue
            for axis, length in enumerate(want.shape):
                lost = want.value.copy()
                lost[(slice(None),) * axis + (-1,)] = 0
                for wrong in (lost, np.flip(want.value, axis)):
                    changed = length > 1 and not np.array_equal(wrong, want.value)
                    assert not changed or want.judge(wrong).ratio > 1


@pytest.mark.parametrize("case", AVERAGES, ids=lambda case: case.name)
def test_whole_averages_are_integers_that_a_rounded_reciprocal_leaves_within_bounds(case):
    fill = case.fills[0]
    for want in fill.wants.values():
        assert (want.value == np.round(want.value)).all()
        assert abs(want.value).max() > 0
        assert want.judge(want.value * (1 + 5 * 2.0**-24)).ratio < 0.5
    x = fill.inputs[0]
    assert abs(x).sum() < 2**24 or x.size > 10**6


def test_an_average_that_counts_the_padding_is_seen():
    case = next(case for case in AVERAGES if case.name == "avgpool/k3s2_same")
    windows = Windows((3, 8, 9, 5), (3, 3), (2, 2), None, "SAME")
    for fill in case.fills:
        padded = windows.pad(fill.inputs[0].astype(float))
        wrong = sum(padded[place] for *_, place in windows) / 9

        assert fill.wants["y"].judge(wrong).ratio > 1
        assert fill.wants["y"].judge(average_pool(fill.inputs[0], windows)).ratio == 0


@pytest.mark.parametrize("case", AVERAGES, ids=lambda case: case.name)
def test_averages_in_float16_are_seen(case):
    for want in case.fills[-1].wants.values():
        assert want.judge(want.value.astype(np.float16)).ratio > 1


X = np.array([[3.0, 3, 1], [3, 0, 5], [2, 2, 2]]).reshape(1, 3, 3, 1)[:, :2, :2].astype(np.float32)  # 3 3 / 3 0
WINDOWS = Windows((1, 2, 2, 1), (2, 2), (2, 2))
ABOVE = np.full((1, 1, 1, 1), 6.0)


@pytest.mark.parametrize(
    ("dx", "holds"),
    [
        ([6, 0, 0, 0], True),
        ([0, 0, 6, 0], True),
        ([2, 2, 2, 0], True),
        ([6, 6, 6, 0], True),
        ([0, 0, 0, 6], False),  # to a pixel that is no maximum
        ([6, 0, 0, 1], False),
        ([3, 0, 0, 0], False),  # half of it is lost
        ([0, 0, 0, 0], False),
        ([12, 0, 0, 0], False),
        ([-6, 6, 6, 0], False),
    ],
)
def test_the_gradient_of_tied_pixels_arrives_at_them_whole(dx, holds):
    y, _ = max_pool(X, WINDOWS)

    ratio, _ = shares_of_ties(np.array(dx, float).reshape(1, 2, 2, 1), X, y, ABOVE, WINDOWS)

    assert (ratio <= 1) == holds


def test_the_case_of_ties_has_ties():
    fill = next(case for case in CASES if case.name == "maxpool/ties").fills[0]
    x, y = fill.inputs[0], fill.wants["y"].value
    windows = Windows(x.shape, (2, 2), (2, 2))

    tied = np.stack([x[place] for *_, place in windows]) == y
    assert (tied.sum(axis=0) > 1).mean() > 0.3


def test_the_first_of_the_ties_is_the_convention_and_the_last_is_as_right():
    exact, convention = next(case for case in CASES if case.name == "maxpool/ties").fills
    x, above = exact.inputs[0], exact.upstream
    gradients = {"first": np.zeros(x.shape), "last": np.zeros(x.shape)}
    for n, i, j, c in np.ndindex(above.shape):
        places = [(n, 2 * i + row, 2 * j + column, c) for row in (0, 1) for column in (0, 1)]
        best = [place for place in places if x[place] == max(x[other] for other in places)]
        gradients["first"][best[0]] = gradients["last"][best[-1]] = above[n, i, j, c]

    assert {name: exact.wants["dx"].judge(dx)[0] > 1 for name, dx in gradients.items()} == {
        "first": False,
        "last": False,
    }
    assert convention.wants["dx"].judge(gradients["first"])[0] == 0
    assert convention.wants["dx"].judge(gradients["last"])[0] > 1
    assert convention.label == "convention"


def test_a_position_leads_back_to_the_maximum():
    fill = next(case for case in CASES if case.name == "maxpool/positions").fills[0]
    x, y, index = fill.inputs[0], fill.wants["y"].value, fill.wants["i"].value.astype(int)

    for sample in range(len(x)):
        assert (x[sample].ravel()[index[sample]] == y[sample]).all()
        assert (index[sample] % x.shape[-1] == np.arange(x.shape[-1])).all()  # of the same channel
    assert len(np.unique(x)) == x.size
    assert index.max() > 250
