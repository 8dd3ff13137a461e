"""The matrices of resizing, against TensorFlow's own formulas pixel by pixel and examples by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from battery.references import resizing

LENGTHS = [(5, 10), (5, 7), (9, 4), (7, 12), (3, 3), (1, 4), (4, 1)]


@pytest.mark.parametrize(("given", "wanted"), LENGTHS)
def test_the_nearest_pixel_is_the_one_that_holds_the_centre(given, wanted):
    x = np.arange(given) * 10.0

    found = resizing.nearest(given, wanted) @ x

    assert found.tolist() == [x[min(math.floor((i + 0.5) * given / wanted), given - 1)] for i in range(wanted)]


@pytest.mark.parametrize(("given", "wanted"), LENGTHS)
def test_bilinear_values_lie_between_their_neighbours_by_distance(given, wanted):
    x = np.random.RandomState(1).randn(given)

    found = resizing.bilinear(given, wanted) @ x

    for i in range(wanted):
        at = (i + 0.5) * given / wanted - 0.5
        low, high = max(math.floor(at), 0), min(math.ceil(at), given - 1)  # as TensorFlow's kernel clips them
        assert found[i] == pytest.approx(x[low] + (x[high] - x[low]) * (at - math.floor(at)))


def test_two_pixels_become_four_at_quarters():
    assert (resizing.bilinear(2, 4) @ [0, 4]).tolist() == [0, 1, 3, 4]
    assert (resizing.nearest(2, 4) @ [0, 4]).tolist() == [0, 0, 4, 4]


def test_rows_and_columns_are_not_exchanged():
    x = np.array([[0.0, 8], [16, 24]])[None, :, :, None]

    found = resizing.resize(x, resizing.bilinear(2, 4), np.eye(2))

    assert found[0, :, :, 0].tolist() == [[0, 8], [4, 12], [12, 20], [16, 24]]


def test_the_gradient_is_the_derivative():
    rows, columns = resizing.bilinear(3, 5), resizing.nearest(4, 3)
    dy = np.random.RandomState(2).randn(2, 5, 3, 2)
    units = np.eye(2 * 3 * 4 * 2).reshape(-1, 2, 3, 4, 2)

    found = resizing.resize_dx(dy, rows, columns)

    expected = [(resizing.resize(unit, rows, columns) * dy).sum() for unit in units]
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-12)
