"""Resizing of images in NumPy float64: pixels have their values at their centres, as `tf.image.resize` has it."""

import numpy as np


def positions(given, wanted):
    """Where the centre of each output pixel lies on the input, in input pixels, along one axis."""
    return (np.arange(wanted) + 0.5) * given / wanted - 0.5


def nearest(given, wanted):
    """The matrix of one axis: row by row, which input pixel an output pixel takes."""
    at = np.floor(positions(given, wanted) + 0.5).astype(int)
    return np.eye(given)[np.minimum(at, given - 1)]


def bilinear(given, wanted):
    """The matrix of one axis: the two neighbours by distance; beyond the outermost centres the outermost pixel."""
    at = np.clip(positions(given, wanted), 0, given - 1)
    below = np.floor(at).astype(int)
    above = np.minimum(below + 1, given - 1)
    far = (at - below)[:, None]
    return np.eye(given)[below] * (1 - far) + np.eye(given)[above] * far


def resize(x, rows, columns):
    """Images with both axes taken through matrices of (out, in)."""
    return np.einsum("ph,nhwc,qw->npqc", rows, x.astype(np.float64), columns, optimize=True)


def resize_dx(dy, rows, columns):
    return resize(dy, rows.T, columns.T)
