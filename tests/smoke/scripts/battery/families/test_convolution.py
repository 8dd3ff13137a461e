"""The data of convolutions of every kind: exact in any order, blurred by no Winograd, never the same twice in a row.

What holds here for `linear_case` holds for the depthwise, transposed and three-axis convolutions made with it.
"""

from __future__ import annotations

import numpy as np
import pytest
from battery import sums, values
from battery.families import convolution, depthwise, series, transposed, volumes
from battery.references.windows import Windows, conv2d, conv2d_dw, conv2d_dx

MODULES = (convolution, series, depthwise, transposed, volumes)
CASES = [
    case
    for module in MODULES
    for case in module.cases()
    if not case.name.startswith(("separable/", "maxpool", "avgpool"))
]
QUICK_TO_MAKE = [case for case in CASES if case.level != "full"]
BLIND = 10_000
"""Beyond so many products TF32 hides among the roundings: integers judge those."""
SUMMED = "conv2d/sum_grad"

cases = pytest.mark.parametrize("case", QUICK_TO_MAKE, ids=lambda case: case.name)


@pytest.fixture
def made(monkeypatch):
    """For a case, (the sums it is judged by, label, fill) of each fill it draws."""
    found = []

    def recorded(label, linear, shapes, relu, draw):
        found.append((linear, label, sums.linear_fill(label, linear, shapes, relu, draw)))
        return found[-1][2]

    monkeypatch.setattr(convolution, "linear_fill", recorded)
    monkeypatch.setattr(series, "linear_fill", recorded)
    return lambda case: case._make() and found


def absolute_sums(linear, fill):
    x, w, b = (*(abs(array) for array in fill.inputs), 0.0)[:3]
    totals = linear.backward(x, w, abs(fill.upstream))
    return {**totals, "y": linear.forward(x, w) + b}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_integer_sums_are_exact_in_any_order_and_small_enough_for_winograd(case, made):
    linear, _, fill = next(one for one in made(case) if one[1] == "int")
    totals = absolute_sums(linear, fill)

    assert all((array == np.trunc(2 * array) / 2).all() for array in fill.inputs)  # halves at most
    assert max(total.max() for total in totals.values()) * 2 <= 2**24
    if linear.windows.kernel == (3, 3):
        assert max(totals["y"].max(), totals["dx"].max()) <= 14_000


@cases
def test_no_integer_is_zero_since_a_zero_would_hide_a_lost_product(case, made):
    for _, label, fill in made(case):
        assert all(np.all(array) for array in (*fill.inputs, fill.upstream)) or label == "real" or "relu" in case.code


@cases
def test_all_data_change_from_call_to_call_so_that_a_stale_result_shows(case):
    for before, after in zip(case.fills, case.fills[1:], strict=False):
        for name, want in after.wants.items():
            same_shape = before.wants[name].shape == want.shape
            constant = case.name == SUMMED and name == "db"
            assert constant or not same_shape or want.judge(before.wants[name].value).ratio > 1


@cases
def test_whatever_is_lost_or_turned_around_is_seen(case):
    for fill in {id(fill): fill for fill in case.fills}.values():
        for want in fill.wants.values():
            for wrong in planted(want):
                assert want.judge(wrong).ratio > 1
            assert want.judge(want.value).ratio == 0


def planted(want):
    """The last row, column, sample or channel lost, or any axis read backwards; where that changes anything."""
    for axis, length in enumerate(want.shape):
        lost = want.value.copy()
        lost[(slice(None),) * axis + (-1,)] = 0
        for wrong in (lost, np.flip(want.value, axis)):
            if length > 1 and not np.array_equal(wrong, want.value):
                yield wrong


@cases
def test_reduced_input_precision_is_seen_and_only_by_the_real_values(case, made):
    for linear, label, fill in made(case):
        x, w, *_ = (values.rounded(array, 11) for array in fill.inputs)
        dy = values.rounded(fill.upstream, 11) if fill.upstream is not None else None
        if label == "int":
            assert all((a == b).all() for a, b in zip((x, w), fill.inputs, strict=False))
        elif "relu" not in case.code:
            for name, value in linear.backward(x, w, dy).items():
                if name in fill.wants and linear.counts[name] < BLIND and name != "db":
                    assert fill.wants[name].judge(value).ratio > 1


@pytest.mark.parametrize("name", ["conv2d/k3_relu", "conv2d/k3_plus", "depthwise/relu"])
def test_no_relu_decides_within_rounding_where_a_gradient_passes(name, made):
    for linear, _, fill in made(next(case for case in CASES if case.name == name)):
        before = linear.forward(*fill.inputs[:2]) + fill.inputs[2]
        passing = fill.upstream != 0

        assert passing.mean() > 0.9
        assert (abs(before)[passing] > fill.wants["y"].limit[passing]).all()
        assert (before < 0).any()  # a lost ReLU has something to show
        assert fill.wants["y"].value.min() == 0


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("conv2d/k3_odd", "quick"),
        ("conv2d/k3_s2", "quick"),
        ("conv2d/k2_even", "quick"),
        ("conv2d/k1_wide", "quick"),
        ("conv2d/deep", "quick"),
        ("conv2d/dil2_direct", "quick"),
        ("conv2d/batch65600", "quick"),
        ("conv2d/batch_change", "quick"),
        ("conv2d/report_l1", "standard"),
        ("conv1d/causal", "standard"),
        ("conv1d/filters65537", "full"),
    ],
)
def test_the_shapes_behind_real_reports_are_there(name, level):
    assert next(case.level for case in CASES if case.name == name) == level


def test_one_convolution_is_called_beyond_32768_elements_with_another_batch_size_in_between():
    first, between, last = next(case for case in CASES if case.name == "conv2d/batch_change").fills

    assert first is last
    assert first.wants["y"].value.size > 32768
    assert between.inputs[0].shape[1:] == first.inputs[0].shape[1:]
    assert len(between.inputs[0]) < len(first.inputs[0])


def test_the_gradient_of_a_sum_is_that_of_equal_values():
    fill = next(case for case in CASES if case.name == SUMMED).fills[0]
    x, w, b = (array.astype(float) for array in fill.inputs)
    above = float(fill.upstream)

    places = 2 * 4 * 3  # samples, rows and columns of the output
    assert fill.wants["db"].value == pytest.approx(np.full(len(b), places * above))
    assert fill.wants["dx"].value[0, 2, 2] == pytest.approx(
        above * w.sum(axis=(0, 1, 3))
    )  # under every kernel position
    assert fill.wants["dw"].value[1, 1, :, 0] == pytest.approx(above * x[:, 1:5, 1:4].sum(axis=(0, 1, 2)))


def test_groups_are_a_full_kernel_with_zeros_between_the_groups():
    windows, draw = Windows((2, 5, 4, 6), (3, 3), (1, 1), None, "SAME"), np.random.RandomState(1)
    linear = convolution.GroupedSums(windows, 9, 3)
    x, w, dy = draw.randn(2, 5, 4, 6), draw.randn(3, 3, 2, 9), draw.randn(2, 5, 4, 9)
    whole = np.zeros((3, 3, 6, 9))
    for group in range(3):
        whole[:, :, 2 * group : 2 * group + 2, 3 * group : 3 * group + 3] = w[..., 3 * group : 3 * group + 3]

    gradients = linear.backward(x, w, dy)

    np.testing.assert_allclose(linear.forward(x, w), conv2d(x, whole, windows), atol=1e-12)
    np.testing.assert_allclose(gradients["dx"], conv2d_dx(dy, whole, windows), atol=1e-12)
    full = conv2d_dw(x, dy, windows)
    for group in range(3):
        found = gradients["dw"][..., 3 * group : 3 * group + 3]
        np.testing.assert_allclose(found, full[:, :, 2 * group : 2 * group + 2, 3 * group : 3 * group + 3], atol=1e-12)


def test_the_cap_of_relu6_is_reached_and_stops_the_gradient():
    case = next(case for case in CASES if case.name == "conv2d/k3_relu6")
    for fill in case.fills:
        x, w, b = (array.astype(float) for array in fill.inputs)
        before = conv2d(x, w, Windows(x.shape, (3, 3), padding="SAME")) + b
        passing = fill.upstream * ((before > 0) & (before < 6))

        assert (before % 1 == 0.5).all()
        assert min((before > 6).mean(), (before < 0).mean(), (passing != 0).mean()) > 0.05
        assert (fill.wants["y"].value == np.minimum(np.maximum(before, 0), 6)).all()
        assert (fill.wants["db"].value == passing.sum(axis=(0, 1, 2))).all()
        assert fill.wants["y"].judge(np.maximum(before, 0)).ratio > 1
