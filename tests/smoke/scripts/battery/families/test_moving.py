"""Each operation against an example written out or a loop, and each gradient as the transpose of its operation."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import layouts, moving

CASES = {case.name.split("/")[1]: case for case in moving.cases() + layouts.cases()}


@pytest.mark.parametrize("name", CASES)
def test_forward_and_backward_are_each_others_transpose(name):
    for fill in CASES[name].fills:
        outputs = [fill.wants[output].value for output in CASES[name].outputs]
        upstream = fill.upstream if isinstance(fill.upstream, list) else [fill.upstream]
        above = sum((dy.astype(np.float64) * y).sum() for dy, y in zip(upstream, outputs, strict=False))
        below = sum((fill.wants["d" + key].value * x).sum() for key, x in zip("xyz", fill.inputs, strict=False))

        assert above == pytest.approx(below, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_every_sum_of_gradients_is_exact_and_every_value_has_a_full_mantissa(name):
    for fill in CASES[name].fills:
        upstream = fill.upstream if isinstance(fill.upstream, list) else [fill.upstream]
        if any((dy == np.round(dy)).all() for dy in upstream):
            assert sum(abs(dy).sum() for dy in upstream) <= 2**24
        assert any((x.astype(np.float16) != x).any() for x in fill.inputs)


@pytest.mark.parametrize("name", CASES)
def test_an_answer_that_only_has_the_right_shape_is_wrong(name):
    fill = CASES[name].fills[0]
    if name in ("reshape", "concat_first"):  # that is all they do
        return
    flat = np.concatenate([x.ravel() for x in fill.inputs])
    want = fill.wants[CASES[name].outputs[0]]

    assert want.judge(np.resize(flat, want.shape))[0] > 1


def test_one_transpose_is_past_two_to_the_sixteen():
    assert CASES["transpose_long"].fills[0].inputs[0].size > 2**16
