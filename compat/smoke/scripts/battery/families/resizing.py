"""Images resized, and cut into patches."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.families.convolution import sized
from battery.references import resizing
from battery.references.windows import Windows
from battery.values import draw_for, permutation, real_numbers, whole_numbers
from battery.wants import IMAGE, U, Want

SIZES = {
    # name: (shape, size that comes out, level, level compiled)
    "twice": ((2, 5, 3, 7), (10, 6), "standard"),
    "up": ((3, 5, 7, 3), (7, 12), "standard"),
    "down": ((2, 9, 7, 18), (4, 5), "standard"),
}
METHODS = {"nearest": "ResizeNearestNeighbor", "bilinear": "ResizeBilinear"}


def cases():
    found = [resized(method, name, *row) for method in METHODS for name, row in SIZES.items()]
    return found + [patches((2, 7, 6, 5))]


def resized(method, name, shape, size, level, graph=None):
    identity, op = "resize/%s_%s" % (method, name), METHODS[method]
    rows, columns = (getattr(resizing, method)(*pair) for pair in zip(shape[1:3], size))

    def make():
        draw = draw_for(identity)
        out = shape[:1] + size + shape[-1:]
        if method == "nearest" or name == "twice":
            return [whole_fill(op, rows, columns, shape, out, draw) for _ in range(2)]
        return [real_fill(op, rows, columns, shape, out, draw)]

    code = "tf.image.resize(x, %r, method=%r)" % (list(size), method)
    return Case(identity, op, "%s -> %s" % (sized(shape), sized(size)), code, "x", 1, make, level, graph)


def whole_fill(op, rows, columns, shape, out, draw):
    """Multiples of 16: weights of quarters and their products leave them integers, and nothing is rounded."""
    x, upstream = (16 * whole_numbers(draw, each, 50) for each in (shape, out))
    y, dx = resizing.resize(x, rows, columns), resizing.resize_dx(upstream, rows, columns)
    return Fill("int", (x,), upstream, {"y": bounds.integers(op, y, IMAGE), "dx": bounds.integers(op + "Grad", dx, IMAGE)})  # fmt: skip


def real_fill(op, rows, columns, shape, out, draw):
    """Weights by distance: a position is three roundings and a division (7u) off, relative to the length of the axis.

    A weight is as far off, and so is a value, relative to the largest it mixes (twice that, for margin); a gradient
    adds up as many such errors as there are output pixels that take from its pixel.
    """
    x, upstream = (real_numbers(draw, each) for each in (shape, out))
    y, dx = resizing.resize(x, rows, columns), resizing.resize_dx(upstream, rows, columns)
    limit = U * (16 + 16 * (shape[1] + shape[2]))
    takers = np.count_nonzero(rows, axis=0).max() * np.count_nonzero(columns, axis=0).max()
    wants = {
        "y": Want(op, y, limit * abs(x).max(), IMAGE),
        "dx": Want(op + "Grad", dx, limit * takers * abs(upstream).max(), IMAGE),
    }
    return Fill("bound", (x,), upstream, wants)


def patches(shape):
    """The pixels under each place of a window, row by row, as channels; zeros beyond the border."""
    identity = "patches/k3_s21"

    def make():
        x, windows = permutation(draw_for(identity), shape, 1), Windows(shape, (3, 3), (2, 1), None, "SAME")
        padded = windows.pad(x)
        y = np.concatenate([padded[place] for _, _, place in windows], axis=-1)
        return [Fill("exact", (x,), None, {"y": bounds.exact("ExtractImagePatches", y, IMAGE)})]

    code = "tf.image.extract_patches(x, [1, 3, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1], 'SAME')"
    text = "%s k3x3 s2x1" % sized(shape)
    return Case(identity, "ExtractImagePatches", text, code, "x", 0, make, "standard")
