"""MatMul, BiasAdd and an activation: what plugins fuse in compiled graphs, and what comes out when the last part is lost.

The best documented defect of all: behind a fused Dense layer the ReLU is gone. A wrong answer is therefore compared with
the values before the activation, and the report says so where they are the same.
"""

import numpy as np

from battery import bounds
from battery.case import Fill
from battery.sums import linear_fill
from battery.values import real_numbers, whole_numbers
from battery.wants import ROWS, U, Want

STRUCTURE = 1 / 64.0
"""Of the sum of absolute products: more than reduced precision takes (bfloat16 1/256), less than most lost products."""
LOST = "; these are the values before the activation: it was left out"


class ActivatedWant(Want):
    """A Want that recognizes the values before the activation."""

    def __init__(self, want, before):
        Want.__init__(self, want.op, want.value, want.limit, want.axes, want.exact, want.scale, want.products)
        self._before = before

    def _place(self, found, error, bad):
        text = Want._place(self, found, error, bad)
        before = self._before()
        near = abs(found - before) <= np.maximum(self.limit, 1e-4 * abs(before))
        return text + LOST if bad.any() and near[bad].all() else text


def relu_fill(label, linear, shapes, draw):
    """`sums.linear_fill` behind a ReLU, which recognizes a lost one."""
    fill = linear_fill(label, linear, shapes, True, draw)
    x, w, b = fill.inputs
    fill.wants["y"] = ActivatedWant(fill.wants["y"], lambda: linear.forward(x, w) + b)
    return fill


def activated_fill(label, function, linear, shapes, draw):
    """One fill behind any activation, small enough not to end in its flat part.

    "int": the activation's argument is exact on every device, and gradients are judged by their structure. "real": what
    rounding does to the argument is carried through the slope, and through what it changes in the slope.
    """
    x, w, b, upstream = drawn(label, function, linear, shapes, draw)
    before = linear.forward(x, w) + b
    off = 0.0 * before
    if label == "real":
        off = linear.want(label, "y", before, linear.forward(abs(x), abs(w)) + abs(b)).limit
        for kink in function.kinks:
            upstream = np.where(abs(before - kink) > 2 * off, upstream, 0).astype(np.float32)
    want = activated(label, function, linear, before, off)
    wants = {"y": ActivatedWant(want, lambda: before)}
    wants.update(gradients(label, function, linear, (x, w), upstream, before, off))
    return Fill(label, (x, w, b), upstream, wants)


def drawn(label, function, linear, shapes, draw):
    size = np.float32(1.0 if function.linear else 0.25)
    if label == "real":
        x, w, b = (real_numbers(draw, shape) for shape in shapes)
        return x, size * w, b, real_numbers(draw, linear.out)
    x, w, b = (whole_numbers(draw, shape, high) for shape, high in zip(shapes, (2, 1, 3)))
    return x, size * w, size * (b - np.float32(0.5)), 4 * whole_numbers(draw, linear.out, 3)


def activated(label, function, linear, before, off):
    value = function.value(before)
    if label == "int":
        if function.linear:
            return bounds.integers(linear.ops["y"], value, ROWS)
        return Want(linear.ops["y"], value, function.error(before) + 4 * U * abs(before), ROWS)
    error = function.error(before)
    count = linear.counts["y"]
    scale = function.steepest * off / (512 + 4 * count**0.5) + error / 16 + 1e-30
    return Want(linear.ops["y"], value, function.steepest * off + error, ROWS, scale=scale, products=count)


def gradients(label, function, linear, given, upstream, before, off):
    passed = upstream * function.slope(before)
    absolutes = linear.backward(abs(given[0]), abs(given[1]), abs(passed))
    values = linear.backward(given[0], given[1], passed)
    if function.linear:
        return {name: linear.want(label, name, values[name], absolutes[name]) for name in values}
    error = abs(upstream) * (function.slope_error(before) + function.curve * off) + 4 * U * abs(passed)
    spread = linear.backward(abs(given[0]), abs(given[1]), error)
    wants = {}
    for name in values:
        want = linear.want("real", name, values[name], absolutes[name])
        want.limit = want.limit + spread[name]
        if label == "int":
            want.limit, want.scale = want.limit + STRUCTURE * absolutes[name], None
        else:
            want.scale = want.scale + spread[name] / 1024
        wants[name] = want
    return wants
