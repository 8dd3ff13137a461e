"""Layers that slide over an image, and their gradients, as sums over patches in float64.

A patch is what one window sees: `patches` gives (sample, row, column, kernel position, channel). Every one of these
layers is linear in the patches, so its gradients are the same products read backwards.
"""

import numpy as np


def patches(x, windows):
    padded = windows.pad(x.astype(np.float64))
    return np.stack([padded[place] for _, _, place in windows], axis=3)


def spread(p, windows):
    """The transpose of `patches`: each value is added where it came from."""
    padded = windows.pad(np.zeros(windows.shape))
    for position, (_, _, place) in enumerate(windows):
        padded[place] += p[:, :, :, position]
    return windows.crop(padded)


def flat(w):
    """A kernel with one axis for its positions."""
    return w.astype(np.float64).reshape((-1,) + w.shape[2:])


def convolution(windows, x, w, b, dy):
    """The output, and the gradients of input, kernel and bias."""
    seen, kernel = patches(x, windows), flat(w)
    y = np.einsum("nhwkc,kco->nhwo", seen, kernel) + b
    dx = spread(np.einsum("nhwo,kco->nhwkc", dy, kernel), windows)
    return y, [dx, np.einsum("nhwkc,nhwo->kco", seen, dy).reshape(w.shape), dy.sum(axis=(0, 1, 2))]


def depthwise(windows, x, w, dy):
    """Each channel has its own kernels; without a bias."""
    seen, kernel = patches(x, windows), flat(w)
    y = np.einsum("nhwkc,kcm->nhwcm", seen, kernel)
    dy = dy.reshape(y.shape)
    dx = spread(np.einsum("nhwcm,kcm->nhwkc", dy, kernel), windows)
    return y.reshape(y.shape[:3] + (-1,)), [dx, np.einsum("nhwkc,nhwcm->kcm", seen, dy).reshape(w.shape)]


def separable(windows, x, w, pointwise, b, dy):
    """Depthwise, then a product over the channels."""
    matrix, last = pointwise[0, 0].astype(np.float64), b.astype(np.float64)
    dmiddle = dy @ matrix.T
    middle, (dx, dw) = depthwise(windows, x, w, dmiddle)
    dpointwise = np.einsum("nhwc,nhwo->co", middle, dy)
    return middle @ matrix + last, [dx, dw, dpointwise[None, None], dy.sum(axis=(0, 1, 2))]


def transposed(windows, x, w, b, dy):
    """`windows` are those of the convolution whose gradient this is: they see the output. Kernel: row, column, out, in."""
    kernel, seen = flat(w), patches(dy, windows)
    y = spread(np.einsum("nhwi,koi->nhwko", x.astype(np.float64), kernel), windows) + b
    dx = np.einsum("nhwko,koi->nhwi", seen, kernel)
    return y, [dx, np.einsum("nhwko,nhwi->koi", seen, x).reshape(w.shape), dy.sum(axis=(0, 1, 2))]


def average(windows, x, dy):
    """Of the pixels that are there: padding is not counted."""
    counts = patches(np.ones(windows.shape), windows).sum(axis=3)
    y = patches(x, windows).sum(axis=3) / counts
    share = patches(np.ones(windows.shape), windows) * (dy / counts)[:, :, :, None]
    return y, [spread(share, windows)]
