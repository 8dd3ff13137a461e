"""Placing by index, by loops; `test_indexing` judges the gradients."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import scattering

CASES = {case.name.split("/")[1]: case for case in scattering.cases()}


@pytest.mark.parametrize("name", ["scatter", "scatter_elements"])
def test_scattered_rows_add_up(name):
    for fill in CASES[name].fills:
        x, i = fill.inputs
        expected = np.zeros(fill.wants["y"].value.shape)
        for value, place in zip(x, i, strict=False):
            expected[tuple(place)] += value
        lost = np.zeros_like(expected)
        for value, place in zip(x, i, strict=False):
            lost[tuple(place)] = value

        assert abs(x).sum() <= 2**24
        assert fill.wants["y"].judge(expected)[0] == 0
        assert fill.wants["y"].judge(lost)[0] > 1


COMBINE = {
    "update": lambda old, new: new,
    "add": lambda old, new: old + new,
    "sub": lambda old, new: old - new,
    "max": max,
    "min": min,
}


@pytest.mark.parametrize("name", scattering.UPDATES)
def test_updates_by_loops(name):
    for fill in CASES[name].fills:
        x, u, i = fill.inputs
        expected = x.astype(float)
        for (row,), values in zip(i, u, strict=False):
            expected[row] = [COMBINE[name](old, new) for old, new in zip(expected[row], values, strict=False)]

        assert (fill.wants["y"].value == expected).all()
        assert (len(np.unique(i)) < len(i)) == (name != "update")  # which of two updates wins is not judged


def test_updated_elements_by_loops():
    for fill in CASES["update_elements"].fills:
        x, u, i = fill.inputs
        expected, slope = x.copy(), np.array(fill.upstream)
        for (row, column), value in zip(i, u, strict=False):
            expected[row, column], slope[row, column] = value, 0

        assert (fill.wants["y"].value == expected).all()
        assert (fill.wants["dx"].value == slope).all()
        assert fill.wants["dy"].value.tolist() == [float(fill.upstream[row, column]) for row, column in i]
