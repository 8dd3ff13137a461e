"""16-bit types: what goes in is exact in the type, integer sums stay exact, and the bound allows either accumulation."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import halves
from battery.families.halves import HALVES
from battery.values import rounded

CASES = halves.cases()
SUMS = [case for case in CASES if {fill.label for fill in case.fills} == {"int", "real"}]
each = pytest.mark.parametrize("case", SUMS, ids=lambda case: case.name)


def bits(case):
    return next(half.bits for half in HALVES if case.dtype == half.name)


def of(case, label):
    return next(fill for fill in case.fills if fill.label == label)


@pytest.mark.parametrize("case", [case for case in CASES if "cast" not in case.name], ids=lambda case: case.name)
def test_inputs_are_exact_in_the_type(case):
    for fill in case.fills:
        given = [*fill.inputs, *([fill.upstream] if fill.upstream is not None else [])]
        assert all(np.array_equal(array, rounded(array, bits(case))) for array in given)


@each
def test_sums_of_integers_are_exact_in_the_type(case):
    fill = of(case, "int")
    for want in fill.wants.values():
        assert np.array_equal(want.value, rounded(want.value.astype(np.float32), bits(case)))
        assert want.judge(want.value + 1).ratio == 4


def test_no_partial_sum_of_integers_leaves_the_exact_range():
    for case in SUMS:
        if "matmul" in case.name:
            x, w = (abs(a) for a in of(case, "int").inputs)
            upstream = abs(of(case, "int").upstream)
            assert max((x @ w).max(), (upstream @ w.T).max(), (x.T @ upstream).max()) <= 256
        if "conv2d" in case.name:
            x, w = (abs(a).max() for a in of(case, "int").inputs)
            upstream = abs(of(case, "int").upstream).max()
            assert max(27 * x * w, 45 * w * upstream, 126 * x * upstream) <= 256
        if "sum" in case.name:
            assert abs(of(case, "int").inputs[0]).sum(axis=1).max() <= 256


@pytest.mark.parametrize("kind", ["sequential in the type", "float32, rounded once"])
@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)
def test_either_accumulation_is_right(half, kind):
    case = next(case for case in SUMS if case.name == f"half/matmul_{half.name}")
    fill = of(case, "real")
    x, w = fill.inputs
    found = np.zeros((7, 18), np.float32)
    for i in range(x.shape[1]):
        found = found + x[:, i : i + 1] * w[i]
        if kind.startswith("sequential"):
            found = rounded(found, half.bits)

    assert fill.wants["y"].judge(rounded(found, half.bits)).ratio < 0.5


@each
def test_a_result_that_is_lost_is_not(case):
    for label in ("int", "real"):
        for want in of(case, label).wants.values():
            if want.value.size > 4:
                assert want.judge(np.roll(want.value, 1, axis=-1)).ratio > 1


def test_six_bits_instead_of_eleven_are_not_right():
    case = next(case for case in SUMS if case.name == "half/matmul_float16")
    fill = of(case, "real")
    x, w = (rounded(a, 6).astype(np.float64) for a in fill.inputs)

    assert fill.wants["y"].judge(x @ w).ratio > 1


@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)
def test_a_cast_goes_to_the_nearest_number(half):
    (fill,) = next(case for case in CASES if case.name == f"half/cast_{half.name}").fills
    x, want = fill.inputs[0], fill.wants["y"]
    scale = 2.0 ** (half.bits - np.frexp(x)[1])
    if half.name == "float16":
        assert np.array_equal(want.value, x.astype(np.float16).astype(np.float64))

    assert (abs(want.value - x) * scale <= 0.5).all()
    assert want.judge(np.trunc(x * scale) / scale).ratio >= 2


@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)
def test_a_sum_goes_to_the_nearest_number_and_cutting_shows(half):
    (fill,) = next(case for case in CASES if case.name == f"half/add_{half.name}").fills
    (x, y), want = fill.inputs, fill.wants["s"]
    exact = x.astype(np.float64) + y
    scale = 2.0 ** (half.bits - np.frexp(exact)[1])
    if half.name == "float16":
        assert np.array_equal(want.value, (x.astype(np.float16) + y.astype(np.float16)).astype(np.float64))

    assert (abs(want.value - exact) * scale < 0.5).all()
    assert want.judge(np.trunc(exact * scale) / scale).ratio >= 2
