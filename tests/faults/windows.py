"""Sliding windows in NumPy: the geometry of a convolution or pooling call, with offsets that a fault may get wrong.

Stand-alone: NumPy only, CPython 3.8 syntax. Images are NHWC, kernels HWIO. The size of the output is a given, so a changed
stride, dilation or padding still makes an answer of the right shape, as a faulty kernel does.
"""

import copy

import numpy as np


class Windows:
    """Where each window lies: `before` is how far (rows, columns) the first one starts outside the image."""

    def __init__(self, call, image, kernel, out):
        named = dict(call._bound.arguments)
        self.image, self.kernel, self.out = tuple(image), tuple(kernel), tuple(out)
        self.strides = tuple(named["strides"][1:3])
        self.dilations = tuple(named.get("dilations", (1, 1, 1, 1))[1:3])
        self.padding = text(named["padding"])
        self.total = tuple(max(0, self.reach(axis) - self.image[axis]) for axis in (0, 1))
        self.before = (0, 0)
        if self.padding == "SAME":
            self.before = tuple(total // 2 for total in self.total)
        elif self.padding == "EXPLICIT":
            self.before = (named["explicit_paddings"][2], named["explicit_paddings"][4])

    def reach(self, axis):
        """Pixels from the first window's start to the last one's end."""
        return (self.out[axis] - 1) * self.strides[axis] + (self.kernel[axis] - 1) * self.dilations[axis] + 1

    def other_side(self):
        """The odd pixel of SAME padding before the image instead of after it."""
        wrong = copy.copy(self)
        if self.padding == "SAME":
            wrong.before = tuple(total - total // 2 for total in self.total)
        return wrong

    def late(self, pixels=1):
        """Windows of a stride of two or more start later."""
        wrong = copy.copy(self)
        wrong.before = tuple(b - pixels * (s > 1) for b, s in zip(self.before, self.strides))
        return wrong

    def undilated(self):
        wrong = copy.copy(self)
        wrong.dilations = (1, 1)
        if self.padding == "SAME":
            wrong.before = tuple(max(0, wrong.reach(axis) - self.image[axis]) // 2 for axis in (0, 1))
        return wrong

    def canvas(self, x, fill=0.0):
        """The image as the windows see it, padding and all."""
        full = np.full((x.shape[0], self.reach(0), self.reach(1), x.shape[3]), fill, x.dtype)
        (inner, source) = self._overlap()
        full[(slice(None),) + inner] = x[(slice(None),) + source]
        return full

    def uncanvas(self, full):
        """What of a canvas lies inside the image."""
        x = np.zeros((full.shape[0],) + self.image + (full.shape[3],), full.dtype)
        (inner, source) = self._overlap()
        x[(slice(None),) + source] = full[(slice(None),) + inner]
        return x

    def patches(self, x, fill=0.0):
        """A view [sample, row, column, kernel row, kernel column, channel]."""
        full = self.canvas(x, fill)
        n, h, w, c = full.strides
        (sh, sw), (dh, dw) = self.strides, self.dilations
        shape = (x.shape[0],) + self.out + self.kernel + (x.shape[3],)
        return np.lib.stride_tricks.as_strided(full, shape, (n, h * sh, w * sw, h * dh, w * dw, c))

    def spots(self):
        """Every kernel position, and the slice of the canvas that it touches."""
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                yield i, j, (slice(None), self._every(0, i), self._every(1, j))

    def _every(self, axis, place):
        """What one kernel position touches along an axis of the canvas."""
        start, stride = place * self.dilations[axis], self.strides[axis]
        return slice(start, start + (self.out[axis] - 1) * stride + 1, stride)

    def _overlap(self):
        inner, source = [], []
        for axis in (0, 1):
            before = self.before[axis]
            start, first = max(0, before), max(0, -before)
            length = max(0, min(self.image[axis] - first, self.reach(axis) - start))
            inner.append(slice(start, start + length))
            source.append(slice(first, first + length))
        return tuple(inner), tuple(source)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def convolve(x, w, windows):
    return np.tensordot(windows.patches(x), w, 3)


def filter_gradient(x, dy, windows):
    return np.tensordot(windows.patches(x), dy, ((0, 1, 2), (0, 1, 2)))


def input_gradient(dy, w, windows):
    full = np.zeros((dy.shape[0], windows.reach(0), windows.reach(1), w.shape[2]), dy.dtype)
    for i, j, spot in windows.spots():
        full[spot] += np.tensordot(dy, w[i, j], ((3,), (1,)))
    return windows.uncanvas(full)
