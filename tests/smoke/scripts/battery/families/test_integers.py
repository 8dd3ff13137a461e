"""Whole numbers against Python's own, conversions to the nearest value and not towards zero."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.families import integers

CASES = {case.name.split("/")[1]: case for case in integers.cases()}


def wrapped(value, bits):
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def toward_zero(a, b):
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


PYTHON = {
    "floor": lambda a, b: a // b,
    "modulo": lambda a, b: a % b,
    "truncated": toward_zero,
    "rest": lambda a, b: a - toward_zero(a, b) * b,
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "and": lambda a, b: a & b,
    "xor": lambda a, b: a ^ b,
    "not": lambda a, b: ~a,
    "right": lambda a, b: a >> b % 7,
    "left": lambda a, b: b << a % 7,
    "higher": max,
    "less": lambda a, b: a < b,
    "at_least": lambda a, b: a >= b,
    "size": lambda a, b: abs(a),
}


@pytest.mark.parametrize("name", integers.WHOLE)
def test_whole_numbers_as_python_computes_them(name):
    bits = 32 if integers.WHOLE[name][0] is np.int32 else 64
    for fill in CASES[name].fills:
        a, b = fill.inputs
        for output, function in PYTHON.items():
            if output in fill.wants:
                expected = [wrapped(int(function(int(p), int(q))), bits) for p, q in zip(a.flat, b.flat, strict=False)]
                assert fill.wants[output].value.ravel().tolist() == expected, output
    if name == "arithmetic_int64":
        products = [int(p) * int(q) for p, q in zip(a.flat, b.flat, strict=False)]
        assert fill.wants["product"].value.ravel().tolist() == products
        assert max(map(abs, products)) < 2**53  # what a float64 reference can hold
        assert max(map(abs, products)) > 2**40


@pytest.mark.parametrize("name", integers.WHOLE)
def test_numbers_that_no_float32_holds_are_among_them_and_both_signs(name):
    for fill in CASES[name].fills:
        a, b = fill.inputs
        assert (a.astype(np.float32).astype(np.float64) != a).any()
        assert integers.LARGE in a
        assert ((a < 0) & (b > 0)).any()
        assert ((a > 0) & (b < 0)).any()
        assert b.all()


def test_division_towards_zero_and_downwards_differ_in_the_data():
    wants = CASES["division_int32"].fills[0].wants

    assert wants["floor"].judge(wants["truncated"].value)[0] > 1
    assert wants["modulo"].judge(wants["rest"].value)[0] > 1


ROUNDING = {
    "round": round,
    "rint": round,
    "floor": math.floor,
    "ceil": math.ceil,
    "sign": lambda v: (v > 0) - (v < 0),
    "modulo": lambda v: v % 3.0,
    "floordiv": lambda v: v // 0.5,
}


def test_rounding_as_python_rounds():
    for fill in CASES["rounding"].fills:
        (x,) = fill.inputs
        for output, function in ROUNDING.items():
            assert fill.wants[output].value.ravel().tolist() == [function(float(v)) for v in x.flat], output
        away = np.sign(x) * np.floor(abs(x) + 0.5)
        assert fill.wants["round"].judge(away)[0] > 1
        assert fill.wants["rint"].judge(away)[0] > 1
        assert fill.wants["floor"].judge(np.trunc(x))[0] > 1


def test_casts_cut_off_and_wrap():
    (x,) = CASES["casts"].fills[0].inputs
    wants = CASES["casts"].fills[0].wants
    assert wants["to_int32"].value.ravel().tolist() == [int(v) for v in x.flat]
    assert wants["to_int32"].judge(np.floor(x))[0] > 1
    assert wants["to_bool"].value.ravel().tolist() == [v != 0 for v in x.flat]
    assert not wants["to_bool"].value.all()

    (a,) = CASES["casts_of_whole"].fills[0].inputs
    wants = CASES["casts_of_whole"].fills[0].wants
    assert wants["narrow"].value.ravel().tolist() == [wrapped(int(v), 32) for v in a.flat]
    assert wants["narrow"].value[0, 0] == -(2**31) + 1
    assert wants["single"].value[0, 1] == 2**24
    assert wants["byte"].value.ravel().tolist() == [int(v) & 255 for v in a.flat]
    assert (wants["byte"].value > 127).any()
    assert wants["back"].value[0, :3].tolist() == [2**31, 2**24, -(2**24)]
    assert wants["back"].value[0, 3] > 2**32


@pytest.mark.parametrize(("name", "kind"), [("to_half", np.float16), ("to_bfloat", None)])
def test_conversions_to_fewer_bits_take_the_nearest(name, kind):
    for fill in CASES[name].fills:
        (x,), want = fill.inputs, fill.wants["y"]
        bits = 11 if kind else 8
        nearest = [
            math.ldexp(round(math.ldexp(math.frexp(float(v))[0], bits)), math.frexp(float(v))[1] - bits) for v in x.flat
        ]

        assert want.value.ravel().tolist() == nearest
        if kind:
            assert (want.value == x.astype(kind)).all()
        cut = [
            math.ldexp(int(math.ldexp(math.frexp(float(v))[0], bits)), math.frexp(float(v))[1] - bits) for v in x.flat
        ]
        assert want.judge(np.reshape(cut, x.shape))[0] > 1
        assert want.judge(x)[0] > 1  # not converted at all


def test_comparisons_hang_on_the_last_bit():
    fill = CASES["comparisons"].fills[0]
    x, y = fill.inputs
    for output, function in {"less": np.less, "equal": np.equal, "at_most": np.less_equal}.items():
        want = fill.wants[output]
        assert want.judge(function(x, y))[0] == 0
        assert want.judge(function(np.float16(x), np.float16(y)))[0] > 1
