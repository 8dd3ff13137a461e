"""What counts as wrong: faults of every kind are outside, correct arithmetic of every order inside."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery import bounds, wants

KINDS = {
    "integers": lambda value: bounds.integers("Conv2D", value, wants.IMAGE),
    "exact": lambda value: bounds.exact("MaxPool", value, wants.IMAGE),
    "products": lambda value: bounds.products("Conv2D", value, abs(value) + 1, 27, wants.IMAGE, (1, 2)),
}
VALUE = np.arange(48.0).reshape(2, 4, 3, 2) - 20


@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_itself_is_right(kind):
    assert KINDS[kind](VALUE).judge(VALUE.astype(np.float32))[0] == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("junk", [math.nan, math.inf, -math.inf])
def test_one_value_that_is_not_finite_is_wrong_and_has_no_ratio(kind, junk):
    found = VALUE.copy()
    found[1, 2, 0, 1] = junk

    ratio, _, detail = KINDS[kind](VALUE).judge(found)

    assert ratio == math.inf
    assert "worst at [1,2,0,1]" in detail


@pytest.mark.parametrize("kind", KINDS)
def test_another_shape_is_wrong_even_where_it_would_broadcast(kind):
    ratio, _, detail = KINDS[kind](np.zeros((2, 4, 3, 2))).judge(np.zeros((1, 4, 3, 2)))

    assert ratio == math.inf
    assert "shape (1, 4, 3, 2), should be (2, 4, 3, 2)" in detail


def test_one_lost_product_is_four_bounds_off():
    found = VALUE.copy()
    found[0, 0, 0, 0] -= 1

    assert bounds.integers("Conv2D", VALUE, wants.IMAGE).judge(found)[0] == 4


def test_what_winograd_blurs_on_integers_is_right_but_named():
    ratio, _, detail = bounds.integers("Conv2D", VALUE, wants.IMAGE).judge(VALUE + 0.019)

    assert ratio < 0.1
    assert "fractions" in detail


def test_an_operation_that_only_moves_values_may_not_blur_them():
    assert bounds.exact("MaxPool", VALUE, wants.IMAGE).judge(VALUE + 0.019)[0] >= 2


@pytest.mark.parametrize("count", [27, 288, 6272])
@pytest.mark.parametrize("order", ["sequential", "reversed", "pairwise", "blocks of 32"])
def test_any_order_of_summation_in_float32_is_right(count, order):
    a, b = np.random.RandomState(count).randn(2, 100, count).astype(np.float32)
    products = a * b
    if order == "reversed":
        products = products[:, ::-1]
    if order == "blocks of 32":
        parts = [products[:, i : i + 32].cumsum(axis=1, dtype=np.float32)[:, -1] for i in range(0, count, 32)]
        found = np.stack(parts).sum(axis=0, dtype=np.float32)
    elif order == "pairwise":
        found = products.sum(axis=1, dtype=np.float32)
    else:
        found = products.cumsum(axis=1, dtype=np.float32)[:, -1]
    exact = (a.astype(float) * b).sum(axis=1)

    assert bounds.products("MatMul", exact, abs(a.astype(float) * b).sum(axis=1), count, ()).judge(found)[0] < 0.2


def rounded(values, bits):
    """To so many significant bits, as reduced-precision units round their inputs."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 2**bits) / 2**bits, exponent)


@pytest.mark.parametrize(("name", "bits"), [("TF32 and float16", 11), ("bfloat16", 8)])
@pytest.mark.parametrize("count", [27, 288, 6272])
def test_rounded_inputs_are_out_of_bounds_and_the_significant_bits_tell_which(name, bits, count):
    a, b = np.random.RandomState(count).randn(2, 200, count)
    exact, absolute = (a * b).sum(axis=1), abs(a * b).sum(axis=1)

    ratio, found_bits, _ = bounds.products("MatMul", exact, absolute, count, ()).judge(
        (rounded(a, bits) * rounded(b, bits)).sum(axis=1)
    )

    assert ratio > 1
    assert found_bits == pytest.approx(bits, abs=1.6)
    assert bounds.REDUCED_PRECISION[0] <= found_bits < bounds.REDUCED_PRECISION[1]


def test_a_scale_error_of_one_in_ten_thousand_is_out_of_bounds():
    a, b = np.random.RandomState(0).randn(2, 200, 288)
    exact = (a * b).sum(axis=1)

    want = bounds.products("MatMul", exact, abs(a * b).sum(axis=1), 288, ())

    assert want.judge(exact * 1.0001)[0] > 1


def test_the_mean_over_the_image_gives_a_padded_border_the_tolerance_of_its_tile():
    absolute = np.full((1, 4, 4, 1), 100.0)
    absolute[0, 0, 0, 0] = 1.0

    want = bounds.products("Conv2D", np.zeros((1, 4, 4, 1)), absolute, 27, wants.IMAGE, (1, 2))

    assert want.limit[0, 0, 0, 0] == pytest.approx(wants.U * (512 + 4 * math.sqrt(27)) * absolute.mean())
    assert want.limit[0, 1, 1, 0] == pytest.approx(wants.U * (512 + 4 * math.sqrt(27)) * 100)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (np.s_[:, -1, :, :], "all in the last row"),
        (np.s_[-1], "all in the last sample"),
        (np.s_[0], "all in sample 0"),
        (np.s_[..., 4:], "only from channel 4 on"),
    ],
    ids=["last row", "last sample", "first sample", "channel tail"],
)
def test_what_the_bad_elements_share_is_said(where, said):
    value = np.zeros((2, 5, 4, 6))
    found = value.copy()
    found[where] = 3

    assert said in bounds.integers("Conv2D", value, wants.IMAGE).judge(found)[2]


def test_bad_elements_everywhere_share_nothing():
    value = np.zeros((2, 5, 4, 6))

    assert bounds.integers("Conv2D", value, wants.IMAGE).judge(value + 3)[2].endswith("240 of 240 values out of bounds")


def softmax32(z, exponential=np.exp):
    e = exponential((z - z.max(axis=-1, keepdims=True)).astype(np.float32)).astype(np.float32)
    return e / e.sum(axis=-1, keepdims=True, dtype=np.float32)


def test_softmax_in_float32_is_right_and_in_float16_is_not():
    z = np.clip(np.random.RandomState(5).randn(7, 10) * 1.5, -4, 4).astype(np.float32)
    e = np.exp(z.astype(np.float64) - z.max(axis=-1, keepdims=True))
    want = bounds.softmax(e / e.sum(axis=-1, keepdims=True), z)

    assert want.judge(softmax32(z))[0] < 1
    assert want.judge(softmax32(z, lambda x: np.exp(x.astype(np.float16))))[0] > 1
