"""Slopes against differences, values against other formulas, and bounds that part fast arithmetic from faults."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.references.arithmetic import BINARY, UNARY
from battery.references.functions import ACTIVATIONS, exp_relative
from battery.values import rounded
from battery.wants import U

ALL = {**{name: (one, (-6, 6)) for name, one in ACTIVATIONS.items()}, **UNARY}
STEP = 1e-6


def inside(low, high, kinks=()):
    x = np.linspace(low, high, 203)[1:-1]
    return x[np.all([abs(x - kink) > 1e-3 for kink in (*kinks, 0)], axis=0)]


@pytest.mark.parametrize("name", ALL)
def test_each_slope_is_the_derivative_of_the_value(name):
    function, interval = ALL[name]
    x = inside(*interval, function.kinks)

    expected = (function.value(x + STEP * abs(x)) - function.value(x - STEP * abs(x))) / (2 * STEP * abs(x))

    np.testing.assert_allclose(function.slope(x), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_no_slope_is_steeper_nor_changes_faster_than_said(name):
    function, x = ACTIVATIONS[name], inside(-8, 8)
    changes = abs(function.slope(x + STEP) - function.slope(x - STEP)) / (2 * STEP)

    assert abs(function.slope(x)).max() <= function.steepest
    assert (
        changes[[min([9.0, *(abs(at - kink) for kink in function.kinks)]) > 1e-3 for at in x]].max()
        <= function.curve + 1e-6
    )


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("which", [0, 1])
def test_each_partial_derivative_is_one(name, which):
    operation = BINARY[name]
    x, w = np.linspace(0.3, 4, 37), np.linspace(2.5, -1.7, 37)
    moved = [(x + STEP, x - STEP), (w, w)] if which == 0 else [(x, x), (w + STEP, w - STEP)]

    expected = (operation.value(moved[0][0], moved[1][0]) - operation.value(moved[0][1], moved[1][1])) / (2 * STEP)

    np.testing.assert_allclose(operation.partials[which](x, w), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("relu6", 7.0, 6.0),
        ("relu6", -1.0, 0.0),
        ("leaky_relu", -2.0, -0.5),
        ("elu", -math.log(2), -0.5),
        ("selu", 1.0, 1.0507009873554805),
        ("sigmoid", math.log(3), 0.75),
        ("softplus", 0.0, math.log(2)),
        ("softsign", -3.0, -0.75),
        ("gelu", 1.0, 0.8413447460685429),  # the normal distribution function, from tables
        ("gelu_tanh", 1.0, 0.8411919906082768),
        ("swish", math.log(3), 0.75 * math.log(3)),
    ],
)
def test_known_values(name, x, expected):
    assert ACTIVATIONS[name].value(np.array([x]))[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [name for name, one in ACTIVATIONS.items() if not one.linear])
def test_values_that_overflow_in_between_stay_finite(name):
    function, x = ACTIVATIONS[name], np.array([-100.0, -88.8, 88.8, 100.0])

    results = [part(x) for part in (function.value, function.slope, function.error, function.slope_error)]

    assert all(np.isfinite(array).all() for array in results)


def fast_exp(x):
    """Float32, off by as much as Metal's table allows, up and down in turn."""
    y = np.exp(x.astype(np.float64))
    return (y * (1 + (-1) ** np.arange(x.size) * (3 + 2 * abs(x)) * 2 * U)).astype(np.float32)


one = np.float32(1)
FAST = {
    "sigmoid": lambda x: one / (one + fast_exp(-x)),
    "tanh": lambda x: (fast_exp(2 * x) - one) / (fast_exp(2 * x) + one),
    "elu": lambda x: np.where(x > 0, x, fast_exp(np.minimum(x, 0)) - one),
    "softplus": lambda x: np.maximum(x, 0) + np.log(one + fast_exp(-abs(x))),
    "swish": lambda x: x / (one + fast_exp(-x)),
    "selu": lambda x: (
        np.float32(1.0507009873554805)
        * np.where(x > 0, x, np.float32(1.6732632423543772) * (fast_exp(np.minimum(x, 0)) - one))
    ),
    "exp": fast_exp,
    "expm1": lambda x: fast_exp(x) - one,
    "log1p": lambda x: np.log(one + x),
}


def ratio(name, found, x):
    function = ALL[name][0]
    wide = x.astype(np.float64)
    return (abs(found - function.value(wide)) / (function.error(wide) + 1e-30)).max()


@pytest.mark.parametrize("name", FAST)
def test_fast_arithmetic_is_within_the_bound(name):
    x = np.linspace(*((-20, 20) if name in ACTIVATIONS else UNARY[name][1]), 997).astype(np.float32)[1:]

    assert ratio(name, FAST[name](x), x) < 0.75


@pytest.mark.parametrize("name", [name for name in ALL if not ALL[name][0].linear and name not in ("sin", "cos")])
def test_half_precision_is_not(name):
    x = np.linspace(*ALL[name][1], 997).astype(np.float32)[1:]
    found = rounded(ALL[name][0].value(x.astype(np.float64)), 11)

    assert ratio(name, found, x) > 10


def test_a_cosine_for_a_sine_is_not():
    x = np.linspace(-3, 3, 99).astype(np.float32)

    assert ratio("sin", np.cos(x), x) > 100


def test_the_bound_on_exp_is_twice_what_the_table_allows():
    assert exp_relative(np.array([10.0]))[0] >= 2 * (3 + 2 * 10) * 2 * U
