"""What a device may do is not called wrong: other orders of summation, transforms, fast functions. NumPy alone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "compat" / "smoke" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from battery import catalogue  # noqa: E402 - the path comes first
from battery.families import convolution  # noqa: E402
from battery.references.windows import Windows, conv2d  # noqa: E402

from tests.faults import legitimate  # noqa: E402

CONVOLUTIONS = (
    "k3_odd",
    "k3_s2",
    "k2_even",
    "k1_wide",
    "k31_s21",
    "k3_b1_valid",
    "k5",
    "deep",
    "full_kernel",
    "explicit",
)
CASES = {case.name: case for case in catalogue.all_cases()}
TRANSFORMABLE = ("k3_odd", "k3_b1_valid", "deep")


def windows_of(name):
    shape, _, kernel, strides, dilation, padding, *_ = convolution.SHAPES[name]
    return Windows(shape, kernel, strides, (dilation,) * 2, padding)


def judged(name, compute):
    """The judgement of each tensor of each fill, the convolution being computed another way."""
    for fill in CASES[f"conv2d/{name}"].fills:
        x, w, b = fill.inputs
        for tensor, found in compute(x, w, fill.upstream, windows_of(name)).items():
            answer = found + b if tensor == "y" else found
            yield f"{name}/{fill.label}/{tensor}", fill.wants[tensor].judge(answer.reshape(fill.wants[tensor].shape))


def by_matrices(product):
    def compute(x, w, dy, windows):
        parts = legitimate.factors(x, w, dy, windows)
        return {name: product(a, b).reshape(shape) for name, (a, b, shape) in parts.items()}

    return compute


@pytest.mark.parametrize("order", legitimate.ORDERS)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_sums_in_any_order_pass_with_margin(name, order):
    found = dict(judged(name, by_matrices(legitimate.ORDERS[order])))

    assert len(found) >= 6
    assert max(judgement.ratio for judgement in found.values()) < 0.2


@pytest.mark.parametrize("transform", legitimate.TRANSFORMS)
@pytest.mark.parametrize("name", TRANSFORMABLE)
def test_transforms_pass_with_margin(name, transform):
    algorithm = legitimate.TRANSFORMS[transform]

    found = dict(judged(name, lambda *given: legitimate.transformed(algorithm, *given)))

    assert len(found) >= 4
    assert max(judgement.ratio for judgement in found.values()) < 0.8


def test_the_transforms_are_the_convolution_itself():
    draw = np.random.RandomState(0)
    x, w = draw.randint(-3, 4, (2, 11, 9, 3)).astype(np.float32), draw.randint(-3, 4, (3, 3, 3, 4)).astype(np.float32)
    wanted = conv2d(x, w, Windows(x.shape, (3, 3)))

    for name, algorithm in legitimate.TRANSFORMS.items():
        assert abs(algorithm(x, w) - wanted).max() < 0.01, name


def test_large_tiles_are_inexact_on_integers_so_that_equality_would_cry_wolf():
    found = dict(judged("deep", lambda *given: legitimate.transformed(legitimate.winograd(6), *given)))

    assert max(judgement.ratio for name, judgement in found.items() if "/int/" in name) > 0


@pytest.mark.parametrize("name", ["c2", "c10", "c1000"])
def test_fast_exponentials_and_divisions_pass_with_margin(name):
    draw = np.random.RandomState(1)
    (fill,) = CASES[f"softmax/{name}"].fills

    found = fill.wants["y"].judge(legitimate.fast_softmax(fill.inputs[0], draw))

    assert 0 < found.ratio < 0.8


@pytest.mark.parametrize("bits", [8, 11])
@pytest.mark.parametrize("name", ["k3_odd", "k5", "deep"])
def test_fewer_bits_are_no_legitimate_way(name, bits):
    from battery.values import rounded

    def compute(x, w, dy, windows):
        parts = legitimate.factors(*(rounded(value, bits) for value in (x, w, dy)), windows)
        return {tensor: (a @ b).reshape(shape) for tensor, (a, b, shape) in parts.items()}

    found = dict(judged(name, compute))

    assert all(judgement.ratio > 1 for identity, judgement in found.items() if "/real/" in identity)
    assert all(judgement.ratio <= 1 for identity, judgement in found.items() if "/int/" in identity)
