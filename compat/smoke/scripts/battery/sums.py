"""Operations that are sums of products (convolutions, matrix products): their fills and references, made alike."""

import numpy as np

from battery import bounds
from battery.case import Fill
from battery.values import draw_for, real_numbers, whole_numbers


class Sums:
    """A linear operation y = f(x, w) + b, and its gradients.

    `ops`, `axes` and `over` (see bounds.products) have an entry for each of "y", "dx", "dw", "db"; `counts` the number
    of products in each; `out` is the shape of y. `forward(x, w)` and `backward(x, w, dy)` (a dict of "dx", "dw", "db")
    compute in float64.
    """

    ops, axes, over, counts, out = {}, {}, {}, {}, ()

    def forward(self, x, w):
        raise NotImplementedError

    def backward(self, x, w, dy):
        raise NotImplementedError

    def gradients(self, label, x, w, dy):
        values = self.backward(x, w, dy)
        absolutes = {} if label == "int" else self.backward(abs(x), abs(w), abs(dy))
        return {name: self.want(label, name, values[name], absolutes.get(name)) for name in values}

    def want(self, label, name, value, absolute):
        """`absolute` is the same on absolute values; integers have no use for it."""
        if label == "int":
            return bounds.integers(self.ops[name], value, self.axes[name])
        return bounds.products(self.ops[name], value, absolute, self.counts[name], self.axes[name], self.over.get(name))


def integer_heights(longest_sum):
    """Largest x, w and dy, so that every sum stays far below 2^24 and below what Winograd can blur."""
    return (3, 2, 2) if longest_sum > 2000 else (7, 3, 3)


def four_fills(name, linear, shapes, relu=False):
    """Integers A, B, A (a stale result shows on the change), then real values. `shapes` are those of x, w and b."""
    draw = draw_for(name)
    a, b = (linear_fill("int", linear, shapes, relu, draw) for _ in range(2))
    return [a, b, a, linear_fill("real", linear, shapes, relu, draw)]


def linear_fill(label, linear, shapes, relu, draw):
    """One fill of x, w and b (two shapes: no bias); behind a ReLU no decision is within rounding."""
    x, w, b, upstream = drawn(label, linear, shapes, relu, draw)
    before = linear.forward(x, w) + b
    absolute = None if label == "int" else linear.forward(abs(x), abs(w)) + abs(b)
    y = linear.want(label, "y", before, absolute)
    if relu:
        upstream = np.where(abs(before) > y.limit, upstream, 0).astype(np.float32)
        y.value = np.maximum(before, 0)
    passed = upstream * (before > 0) if relu else upstream
    wants = dict(y=y, **linear.gradients(label, x, w, passed))
    return Fill(label, (x, w, b)[: len(shapes)], upstream, wants)


def drawn(label, linear, shapes, relu, draw):
    if label == "int":
        high = integer_heights(max(linear.counts.values()))
        x, w, b = (whole_numbers(draw, shape, top) for shape, top in zip(shapes + ((1,),), high[:2] + (7,)))
        b = b - np.float32(0.5) if relu else b  # never exactly 0 before the ReLU
        upstream = whole_numbers(draw, linear.out, high[2])
    else:
        x, w, b = (real_numbers(draw, shape) for shape in (shapes + ((1,),))[:3])
        upstream = real_numbers(draw, linear.out)
    return x, w, b if len(shapes) == 3 else np.float32(0), upstream
