"""Sums, means and running sums: independent of how the reference adds, exact in integers, blind to no lost element."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import reductions

CASES = {case.name: case for case in reductions.cases()}


@pytest.mark.parametrize("name", CASES)
def test_forward_and_backward_are_each_others_transpose(name: str) -> None:
    for fill in CASES[name].fills if CASES[name].sources else ():
        x, y, dx = fill.inputs[0].astype(np.float64), fill.wants["y"].value, fill.wants["dx"].value

        assert (fill.upstream * y).sum() == pytest.approx((x * dx).sum(), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_integers_have_no_zero_and_their_sums_are_exact_in_any_order(name: str) -> None:
    fill = CASES[name].fills[0]
    arrays = [fill.inputs[0]] + ([fill.upstream] if CASES[name].sources else [])

    assert fill.label == "int"
    for values in arrays:
        assert np.all(values)
        assert np.all(values == np.round(values))
    assert abs(fill.inputs[0]).max() * terms(CASES[name]) <= 2**24


def terms(case):
    """The longest sum: along the reduced axes, or in the largest segment."""
    name, fill = case.name.split("/")[1], case.fills[0]
    if name in reductions.SEGMENTS:
        return np.bincount(fill.inputs[1] + 1)[1:].max()
    if name in reductions.RUNNING:
        return fill.inputs[0].shape[reductions.RUNNING[name][2]]
    return fill.inputs[0].size // fill.wants["y"].value.size


@pytest.mark.parametrize("name", [name for name in CASES if "/sum_" in name or "/mean_" in name])
def test_a_lost_element_is_out_of_bounds(name: str) -> None:
    fill = CASES[name].fills[0]
    divided = fill.inputs[0].size / fill.wants["y"].value.size if "/mean_" in name else 1
    found = fill.wants["y"].value.copy()
    found.flat[-1] -= fill.inputs[0].flat[-1] / divided

    assert fill.wants["y"].judge(fill.wants["y"].value)[0] == 0
    assert fill.wants["y"].judge(found)[0] > 1


@pytest.mark.parametrize("name", [name for name in CASES if "mean_" not in name or name == "reduce/mean_image"])
def test_reduced_precision_is_out_of_bounds_and_float32_is_not(name: str) -> None:
    integers, real = CASES[name].fills
    for tensor in real.wants:
        wants = [fill.wants[tensor] for fill in (integers, real)]

        assert wants[1].judge(wants[1].value.astype(np.float32))[0] < 0.1
        with np.errstate(over="ignore"):
            assert max(want.judge(want.value.astype(np.float16))[0] for want in wants) > 1


@pytest.mark.parametrize("name", ["reduce/sum_last", "reduce/sum_first", "reduce/cumsum", "reduce/unsorted_sum"])
def test_integers_see_inputs_of_eleven_bits(name: str) -> None:
    fill = CASES[name].fills[0]
    mantissa, exponent = np.frexp(fill.inputs[0].astype(np.float64))
    lost = fill.inputs[0] - np.ldexp(np.round(mantissa * 2**11) / 2**11, exponent)

    assert abs(lost).max() >= 1


def test_the_long_axis_is_past_two_to_the_sixteen_and_ends_in_a_tail() -> None:
    assert reductions.LONG > 2**16
    assert reductions.LONG % 1024 == 7


@pytest.mark.parametrize(
    ("exclusive", "reverse", "expected"),
    [
        (False, False, [1, 3, 7]),
        (True, False, [0, 1, 3]),
        (False, True, [7, 6, 4]),
        (True, True, [6, 4, 0]),
    ],
)
def test_running_sums_by_hand(exclusive: bool, reverse: bool, expected: list[int]) -> None:
    assert reductions.cumulated(np.array([1.0, 2.0, 4.0]), 0, exclusive, reverse).tolist() == expected
    both = reductions.cumulated(np.array([[1.0, 2.0, 4.0]] * 2), 1, exclusive, reverse)
    assert both.tolist() == [expected] * 2


@pytest.mark.parametrize("name", [name for name in CASES if "segment" in name or "unsorted" in name])
def test_segments_by_brute_force(name: str) -> None:
    fill = CASES[name].fills[0]
    x, ids = fill.inputs
    expected = np.zeros(fill.wants["y"].value.shape)
    rows = np.zeros(len(expected))
    for row, segment in zip(x, ids, strict=False):
        if segment >= 0:
            expected[segment] += row
            rows[segment] += 1
    if "mean" in name:
        expected /= np.maximum(rows, 1)[:, None]

    assert np.allclose(fill.wants["y"].value, expected, rtol=1e-12)
    assert len(np.unique(ids)) < len(ids)
    assert 3 not in ids  # an empty segment
    assert fill.wants["y"].value[3].tolist() == [0] * 5
    if "unsorted" in name:
        assert (np.diff(ids) < 0).any()
        assert ids.min() == -1
    else:
        assert (np.diff(ids) >= 0).all()
