"""Einstein sums by loops, their gradients by what they are linear in, and lost products that show."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from battery.families import matrices
from battery.families.matrices import Contraction

SMALL = {
    "matmul": ("ij,jk->ik", (2, 3), (3, 4)),
    "adjoint": ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
    "broadcast": ("aij,bjk->abik", (2, 1, 3, 4), (3, 4, 2)),
    "shared": ("bij,jk->bik", (2, 3, 4), (1, 4, 2)),
    "scores": ("bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 3, 2, 4)),
    "trace": ("ij,ji->", (3, 4), (4, 3)),
    "rows": ("ij,ij->i", (3, 4), (3, 4)),
    "outer": ("i,j->ij", (3,), (4,)),
}
CASES = [case for case in matrices.cases() if case.name not in ("matmul/trace", "matmul/diagonal")]


def by_loops(equation, x, w):
    inputs, out = equation.split("->")
    first, second = inputs.split(",")
    x, w = np.squeeze(x), np.squeeze(w)
    sizes = dict(zip(first + second, x.shape + w.shape, strict=True))
    y = np.zeros([sizes[letter] for letter in out])
    for values in itertools.product(*(range(n) for n in sizes.values())):
        at = dict(zip(sizes, values, strict=True))
        place = [tuple(at[letter] for letter in part) for part in (first, second, out)]
        y[place[2]] += x[place[0]] * w[place[1]]
    return y


@pytest.mark.parametrize(("equation", "first", "second"), SMALL.values(), ids=SMALL)
def test_sums_and_gradients(equation, first, second):
    draw = np.random.RandomState(1)
    x, w = draw.randn(*first), draw.randn(*second)
    contraction = Contraction(equation, first, second, "Einsum")
    dy = np.array(draw.randn(*contraction.out))

    gradients = contraction.backward(x, w, dy)

    np.testing.assert_allclose(contraction.forward(x, w), by_loops(equation, x, w), atol=1e-12)
    dx = [(by_loops(equation, unit.reshape(first), w) * dy).sum() for unit in np.eye(x.size)]
    dw = [(by_loops(equation, x, unit.reshape(second)) * dy).sum() for unit in np.eye(w.size)]
    np.testing.assert_allclose(gradients["dx"], np.reshape(dx, first), atol=1e-12)
    np.testing.assert_allclose(gradients["dw"], np.reshape(dw, second), atol=1e-12)


def test_counts_are_those_of_the_letters_summed():
    contraction = Contraction("bij,jk->bik", (3, 5, 33), (33, 6), "Einsum")

    assert contraction.counts == {"y": 33, "dx": 6, "dw": 15}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_integers_are_exact_and_what_is_wrong_shows(case):
    fill = case.fills[0]
    x, w = fill.inputs

    assert fill.label == "int"
    assert abs(x).max() * abs(w).max() * x.size <= 2**24
    for want in fill.wants.values():
        assert want.judge(want.value.astype(np.float32)).ratio == 0
        assert want.judge(want.value + 1).ratio == 4  # one product of 1 lost
        if want.shape[-2:-1] not in ((), (1,)) and want.value.any():
            assert want.judge(np.roll(want.value, 1, axis=-2)).ratio > 1


@pytest.mark.parametrize("name", ["trace", "diagonal"])
def test_a_diagonal_and_its_sum(name):
    (fill,) = next(case for case in matrices.cases() if case.name == f"matmul/{name}").fills
    x = fill.inputs[0].astype(np.float64)
    expected = np.array([[m[i, i] for i in range(17)] for m in x])
    other = np.array([[m[i, 16 - i] for i in range(17)] for m in x])
    if name == "trace":
        expected, other = expected.sum(axis=1), other.sum(axis=1)

    assert fill.wants["y"].judge(expected).ratio == 0
    assert fill.wants["y"].judge(other).ratio > 1
    assert [(m != 0).sum() for m in fill.wants["dx"].value] == [17, 17, 17]


def test_a_transpose_that_is_ignored_shows_where_no_length_gives_it_away():
    want = next(case for case in CASES if case.name == "matmul/square").fills[0].wants["y"]
    x, w = (a.astype(np.float64) for a in next(case for case in CASES if case.name == "matmul/square").fills[0].inputs)

    for wrong in (x @ np.swapaxes(w, -1, -2), np.swapaxes(x, -1, -2) @ w, x @ w, want.value.transpose(1, 0, 2, 3)):
        assert want.judge(wrong).ratio > 1
