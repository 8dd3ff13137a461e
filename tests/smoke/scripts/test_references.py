"""The float64 references against independent arithmetic: loops that follow the definitions, and finite differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import references

GEOMETRIES = [
    # H, W, kernel, stride, dilation, padding
    pytest.param(6, 5, (3, 3), 1, 1, "SAME", id="k3-same"),
    pytest.param(6, 5, (3, 3), 1, 1, "VALID", id="k3-valid"),
    pytest.param(7, 6, (3, 3), 2, 1, "SAME", id="stride-2-odd-and-even"),
    pytest.param(5, 6, (2, 2), 1, 1, "SAME", id="even-kernel-pads-after"),
    pytest.param(8, 7, (3, 3), 1, 2, "SAME", id="dilated"),
    pytest.param(7, 7, (3, 3), 2, 1, "VALID", id="valid-with-a-rest"),
    pytest.param(4, 3, (4, 3), 1, 1, "VALID", id="kernel-as-large-as-the-image"),
    pytest.param(5, 6, (1, 1), 2, 1, "SAME", id="1x1-stride-2"),
]


def geometry(h, w, kernel, stride, dilation, padding, n=2, channels=3):
    return references.Windows((n, h, w, channels), kernel, (stride, stride), (dilation, dilation), padding)


def output_length(size, kernel, stride, dilation, padding):
    """From TensorFlow's documentation: ceil(in / stride) for SAME, ceil((in - reach + 1) / stride) for VALID."""
    reach = (kernel - 1) * dilation + 1
    return math.ceil(size / stride) if padding == "SAME" else math.ceil((size - reach + 1) / stride)


def reads(out, stride, dilation, k, size, kernel, padding):
    """The input index that an output index meets with kernel index k, or None outside; by the documented padding."""
    reach = (kernel - 1) * dilation + 1
    rest = size % stride or stride
    before = max(reach - rest, 0) // 2 if padding == "SAME" else 0
    index = out * stride + k * dilation - before
    return index if 0 <= index < size else None


def brute_conv(x, w, stride, dilation, padding):
    (n, height, width, ci), (kh, kw, _, co) = x.shape, w.shape
    oh = output_length(height, kh, stride, dilation, padding)
    ow = output_length(width, kw, stride, dilation, padding)
    y = np.zeros((n, oh, ow, co))
    for s, i, j, o, a, b, c in itertools.product(*map(range, (n, oh, ow, co, kh, kw, ci))):
        row = reads(i, stride, dilation, a, height, kh, padding)
        column = reads(j, stride, dilation, b, width, kw, padding)
        if row is not None and column is not None:
            y[s, i, j, o] += x[s, row, column, c] * w[a, b, c, o]
    return y


def central_difference(function, at, step=1e-5):
    gradient = np.zeros_like(at)
    for index in np.ndindex(*at.shape):
        up, down = at.copy(), at.copy()
        up[index] += step
        down[index] -= step
        gradient[index] = (function(up) - function(down)) / (2 * step)
    return gradient


@pytest.mark.parametrize(("h", "w", "kernel", "stride", "dilation", "padding"), GEOMETRIES)
def test_a_convolution_is_its_defining_sum(h, w, kernel, stride, dilation, padding):
    draw = np.random.RandomState(1)
    x, k = draw.randn(2, h, w, 3), draw.randn(*kernel, 3, 2)

    found = references.conv2d(x, k, geometry(h, w, kernel, stride, dilation, padding))

    np.testing.assert_allclose(found, brute_conv(x, k, stride, dilation, padding), atol=1e-12)


@pytest.mark.parametrize(("h", "w", "kernel", "stride", "dilation", "padding"), GEOMETRIES)
def test_the_gradients_of_a_convolution_are_its_derivatives(h, w, kernel, stride, dilation, padding):
    draw = np.random.RandomState(2)
    windows = geometry(h, w, kernel, stride, dilation, padding)
    x, k = draw.randn(2, h, w, 3), draw.randn(*kernel, 3, 2)
    dy = draw.randn(*brute_conv(x, k, stride, dilation, padding).shape)

    dx, dw = references.conv2d_dx(dy, k, windows), references.conv2d_dw(x, dy, windows)

    along_x = central_difference(lambda at: (references.conv2d(at, k, windows) * dy).sum(), x)
    along_k = central_difference(lambda at: (references.conv2d(x, at, windows) * dy).sum(), k)
    np.testing.assert_allclose(dx, along_x, atol=1e-7)
    np.testing.assert_allclose(dw, along_k, atol=1e-7)


@pytest.mark.parametrize(("h", "w", "kernel", "stride", "dilation", "padding"), GEOMETRIES)
def test_max_pooling_takes_the_largest_pixel_of_each_window_and_returns_the_gradient_there(
    h, w, kernel, stride, dilation, padding
):
    draw = np.random.RandomState(3)
    windows = geometry(h, w, kernel, stride, dilation, padding)
    x = -1.0 - draw.permutation(2 * h * w * 3).reshape(2, h, w, 3)  # all negative: zero padding would win

    y, winners = references.max_pool(x, windows)
    dy = draw.randint(1, 50, y.shape).astype(float)
    dx = references.max_pool_dx(dy, winners, windows)

    wanted_y, wanted_dx = np.full(y.shape, -np.inf), np.zeros(x.shape)
    for s, i, j, c in np.ndindex(*y.shape):
        rows = [reads(i, stride, dilation, a, h, kernel[0], padding) for a in range(kernel[0])]
        columns = [reads(j, stride, dilation, b, w, kernel[1], padding) for b in range(kernel[1])]
        inside = [(r, q) for r in rows for q in columns if r is not None and q is not None]
        best = max(inside, key=lambda place: x[s, place[0], place[1], c])
        wanted_y[s, i, j, c] = x[s, best[0], best[1], c]
        wanted_dx[s, best[0], best[1], c] += dy[s, i, j, c]
    np.testing.assert_array_equal(y, wanted_y)
    np.testing.assert_array_equal(dx, wanted_dx)


def test_softmax_survives_logits_whose_exponentials_do_not():
    found = references.softmax(np.array([[1000.0, 999.0], [-1000.0, -1000.0]]))

    np.testing.assert_allclose(found, [[1 / (1 + math.exp(-1)), 1 / (1 + math.e)], [0.5, 0.5]], rtol=1e-14)


def test_cross_entropy_is_minus_the_log_of_the_chosen_probability_and_its_gradient_is_the_derivative():
    draw = np.random.RandomState(4)
    z, t = draw.randn(3, 4), np.eye(4)[[1, 3, 0]]

    loss, dz = references.cross_entropy(z, t)

    plain = [-math.log(math.exp(row[k]) / sum(map(math.exp, row))) for row, k in zip(z, (1, 3, 0), strict=True)]
    np.testing.assert_allclose(loss, plain, rtol=1e-12)
    np.testing.assert_allclose(
        dz, central_difference(lambda at: references.cross_entropy(at, t)[0].sum(), z), atol=1e-9
    )


def test_adam_with_a_constant_gradient_moves_by_its_rate_whatever_the_size_of_the_gradient():
    adam, weights = references.Adam(rate=0.01), [np.zeros(3)]
    gradient = np.array([1e-2, -5.0, 300.0])

    for _ in range(4):
        weights = adam.apply(weights, [gradient])

    np.testing.assert_allclose(weights[0], [-0.04, 0.04, -0.04], rtol=1e-3)


def test_adam_places_epsilon_beside_the_uncorrected_root():
    first = references.Adam(rate=1.0, epsilon=1e-7).apply([np.zeros(1)], [np.array([1e-6])])

    corrected = math.sqrt(1 - 0.999) / (1 - 0.9)
    wanted = -corrected * (0.1 * 1e-6) / (math.sqrt(0.001 * 1e-12) + 1e-7)
    assert first[0][0] == pytest.approx(wanted, rel=1e-12)
    assert abs(first[0][0]) < 0.5  # with epsilon beside the corrected root it would be 0.909


def test_momentum_sums_the_geometric_series_of_a_constant_gradient():
    sgd, weights = references.Momentum(rate=0.5, momentum=0.5), [np.zeros(1)]

    for _ in range(3):
        weights = sgd.apply(weights, [np.ones(1)])

    assert weights[0][0] == pytest.approx(-0.5 * (1 + 1.5 + 1.75))
