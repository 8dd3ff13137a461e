"""The float64 references against independent arithmetic: loops that follow the definitions, and what one unit does."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from battery.references import windows as references
from battery.references.windows import Windows

GEOMETRIES = [
    # spatial shape, kernel, strides, dilations, padding
    pytest.param((6, 5), (3, 3), (1, 1), (1, 1), "SAME", id="k3-same"),
    pytest.param((6, 5), (3, 3), (1, 1), (1, 1), "VALID", id="k3-valid"),
    pytest.param((7, 6), (3, 3), (2, 2), (1, 1), "SAME", id="stride-2-odd-and-even"),
    pytest.param((5, 6), (2, 2), (1, 1), (1, 1), "SAME", id="even-kernel-pads-after"),
    pytest.param((8, 7), (3, 3), (1, 1), (2, 2), "SAME", id="dilated"),
    pytest.param((7, 7), (3, 3), (2, 2), (1, 1), "VALID", id="valid-with-a-rest"),
    pytest.param((4, 3), (4, 3), (1, 1), (1, 1), "VALID", id="kernel-as-large-as-the-image"),
    pytest.param((5, 6), (1, 1), (2, 2), (1, 1), "SAME", id="1x1-stride-2"),
    pytest.param((6, 5), (3, 1), (2, 1), (1, 1), "VALID", id="nothing-is-square"),
    pytest.param((4, 5), (3, 2), (1, 2), (1, 1), ((2, 1), (0, 3)), id="explicit-padding"),
    pytest.param((9,), (3,), (2,), (1,), "SAME", id="line"),
    pytest.param((6,), (3,), (1,), (1,), ((2, 0),), id="line-causal"),
    pytest.param((3, 4, 5), (2, 3, 2), (2, 1, 2), (1, 1, 1), "SAME", id="volume"),
]
NAMES = ("spatial", "kernel", "strides", "dilations", "padding")
geometries = pytest.mark.parametrize(NAMES, GEOMETRIES)
undilated = pytest.mark.parametrize(
    NAMES, [g for g in GEOMETRIES if set(g.values[3]) == {1} and isinstance(g.values[4], str)]
)


def axis(size, kernel, stride, dilation, padding):
    """Output length, and pixels added before, from TensorFlow's documentation of SAME and VALID."""
    reach = (kernel - 1) * dilation + 1
    if padding == "VALID":
        return math.ceil((size - reach + 1) / stride), 0
    if padding == "SAME":
        rest = size % stride or stride
        return math.ceil(size / stride), max(reach - rest, 0) // 2
    return math.floor((sum(padding) + size - reach) / stride) + 1, padding[0]


@functools.cache
def meetings(*geometry):
    return list(all_meetings(*geometry))


def all_meetings(spatial, kernel, strides, dilations, padding):
    """Each (output place, kernel position, input pixel) that meet; padding meets nothing."""
    paddings = (padding,) * len(kernel) if isinstance(padding, str) else padding
    axes = [axis(*one) for one in zip(spatial, kernel, strides, dilations, paddings, strict=True)]
    for place in itertools.product(*(range(length) for length, _ in axes)):
        for position in itertools.product(*map(range, kernel)):
            pixel = tuple(
                o * s + k * d - before
                for o, s, k, d, (_, before) in zip(place, strides, position, dilations, axes, strict=True)
            )
            if all(0 <= p < size for p, size in zip(pixel, spatial, strict=True)):
                yield place, position, pixel


def out_shape(geometry):
    spatial, kernel, strides, dilations, padding = geometry
    paddings = (padding,) * len(kernel) if isinstance(padding, str) else padding
    return tuple(axis(*one)[0] for one in zip(spatial, kernel, strides, dilations, paddings, strict=True))


def windows_of(geometry, channels=2, samples=2):
    spatial, *rest = geometry
    return Windows((samples, *spatial, channels), *rest)


def brute_convolution(x, w, geometry):
    y = np.zeros((len(x), *out_shape(geometry), w.shape[-1]))
    for place, position, pixel in meetings(*geometry):
        y[(slice(None), *place)] += x[(slice(None), *pixel)] @ w[position]
    return y


def derivative(function, shape, dy):
    """Of a linear function: what each unit of its argument adds to dy . y."""
    units = np.eye(math.prod(shape)).reshape(-1, *shape)
    return np.array([(function(unit) * dy).sum() for unit in units]).reshape(shape)


def derivative_of_images(function, shape, dy):
    """The same where the argument has samples: all units are computed as samples, at once."""
    units = np.eye(math.prod(shape)).reshape(-1, *shape[1:])
    answers = function(units).reshape(-1, *dy.shape)
    return (answers * dy).reshape(len(answers), -1).sum(axis=1).reshape(shape)


@geometries
def test_a_convolution_is_its_defining_sum(spatial, kernel, strides, dilations, padding):
    geometry, draw = (spatial, kernel, strides, dilations, padding), np.random.RandomState(1)
    x, w = draw.randn(2, *spatial, 2), draw.randn(*kernel, 2, 3)

    found = references.conv2d(x, w, windows_of(geometry))

    np.testing.assert_allclose(found, brute_convolution(x, w, geometry), atol=1e-12)


@geometries
def test_the_gradients_of_a_convolution_are_its_derivatives(spatial, kernel, strides, dilations, padding):
    geometry, draw = (spatial, kernel, strides, dilations, padding), np.random.RandomState(2)
    windows = windows_of(geometry)
    x, w = draw.randn(2, *spatial, 2), draw.randn(*kernel, 2, 3)
    dy = draw.randn(2, *out_shape(geometry), 3)

    dx, dw = references.conv2d_dx(dy, w, windows), references.conv2d_dw(x, dy, windows)

    np.testing.assert_allclose(
        dx, derivative_of_images(lambda at: brute_convolution(at, w, geometry), x.shape, dy), atol=1e-12
    )
    np.testing.assert_allclose(dw, derivative(lambda at: brute_convolution(x, at, geometry), w.shape, dy), atol=1e-12)


def brute_depthwise(x, w, geometry):
    *_, channels, multiplier = w.shape
    y = np.zeros((len(x), *out_shape(geometry), channels * multiplier))
    for place, position, pixel in meetings(*geometry):
        for c, m in itertools.product(range(channels), range(multiplier)):
            y[(slice(None), *place, c * multiplier + m)] += x[(slice(None), *pixel, c)] * w[(*position, c, m)]
    return y


@geometries
@pytest.mark.parametrize("multiplier", [1, 2])
def test_a_depthwise_convolution_and_its_gradients(spatial, kernel, strides, dilations, padding, multiplier):
    geometry, draw = (spatial, kernel, strides, dilations, padding), np.random.RandomState(3)
    windows = windows_of(geometry)
    x, w = draw.randn(2, *spatial, 2), draw.randn(*kernel, 2, multiplier)
    dy = draw.randn(2, *out_shape(geometry), 2 * multiplier)

    y, dx, dw = (
        references.depthwise(x, w, windows),
        references.depthwise_dx(dy, w, windows),
        references.depthwise_dw(x, dy, windows),
    )

    np.testing.assert_allclose(y, brute_depthwise(x, w, geometry), atol=1e-12)
    np.testing.assert_allclose(
        dx, derivative_of_images(lambda at: brute_depthwise(at, w, geometry), x.shape, dy), atol=1e-12
    )
    np.testing.assert_allclose(dw, derivative(lambda at: brute_depthwise(x, at, geometry), w.shape, dy), atol=1e-12)


def brute_average(x, geometry):
    total, count = np.zeros((len(x), *out_shape(geometry), x.shape[-1])), np.zeros(out_shape(geometry))
    for place, _, pixel in meetings(*geometry):
        total[(slice(None), *place)] += x[(slice(None), *pixel)]
        count[place] += 1
    return total / count[..., None]


@undilated
def test_an_average_leaves_the_padding_out_and_shares_its_gradient(spatial, kernel, strides, dilations, padding):
    geometry, draw = (spatial, kernel, strides, dilations, padding), np.random.RandomState(4)
    windows = windows_of(geometry)
    x, dy = draw.randn(2, *spatial, 2), draw.randn(2, *out_shape(geometry), 2)

    y, dx = references.average_pool(x, windows), references.average_pool_dx(dy, windows)

    np.testing.assert_allclose(y, brute_average(x, geometry), atol=1e-12)
    np.testing.assert_allclose(
        dx, derivative_of_images(lambda at: brute_average(at, geometry), x.shape, dy), atol=1e-12
    )


@undilated
def test_max_pooling_takes_the_largest_pixel_of_each_window_and_returns_the_gradient_there(
    spatial, kernel, strides, dilations, padding
):
    geometry, draw = (spatial, kernel, strides, dilations, padding), np.random.RandomState(5)
    windows, shape = windows_of(geometry), (2, *spatial, 2)
    x = -1.0 - draw.permutation(math.prod(shape)).reshape(shape)  # all negative: zero padding would win
    dy = draw.randn(2, *out_shape(geometry), 2)
    largest, dx = np.full(dy.shape, -np.inf), np.zeros(shape)
    for place, _, pixel in meetings(*geometry):
        at = (slice(None), *place)
        largest[at] = np.maximum(largest[at], x[(slice(None), *pixel)])
    for place, _, pixel in meetings(*geometry):
        at, source = (slice(None), *place), (slice(None), *pixel)
        dx[source] += np.where(x[source] == largest[at], dy[at], 0)

    y, winners = references.max_pool(x, windows)

    np.testing.assert_array_equal(y, largest)
    np.testing.assert_allclose(references.max_pool_dx(dy, winners, windows), dx, atol=1e-12)


def test_of_tied_pixels_the_first_one_wins():
    windows = Windows((1, 2, 2, 1), (2, 2), (2, 2))

    _, winners = references.max_pool(np.ones((1, 2, 2, 1)), windows)

    assert references.max_pool_dx(np.full((1, 1, 1, 1), 5.0), winners, windows).ravel().tolist() == [5, 0, 0, 0]
