"""float16 and bfloat16: products, convolution, bias and ReLU, softmax, sums and casts.

What goes in is exact in the type. Integers are so small that every sum is exact too, in any order; real values may be
summed in the type itself or in float32: zero-mean terms keep either within about one rounding of the sum of absolutes.
"""

import collections
import math

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.families.convolution import ConvolutionSums
from battery.families.dense import MatrixSums
from battery.references.neural import softmax
from battery.references.windows import Windows
from battery.values import draw_for, logits, real_numbers, rounded, whole_numbers
from battery.wants import ROWS, Want

Half = collections.namedtuple("Half", "name bits reach")
"""Name in TensorFlow, significant bits, and a power of two by which real inputs are larger, for products to go far."""
HALVES = (Half("float16", 11, 4), Half("bfloat16", 8, 10))
"""Integers are exact up to 2,048 and 256; whatever is summed here stays below the smaller."""
MATRIX, IMAGE, KERNEL = (7, 33, 18), (2, 9, 7, 3), (3, 3, 3, 5)
IN, OUT = "tf.cast(%s, tf.{0})", "tf.cast(%s, tf.float32)"


def cases():
    return [one(half) for half in HALVES for one in (matmul, conv, dense_relu, half_softmax, total, added, cast)]


def unit(half):
    return 2.0**-half.bits


def in_half(half, template, *names):
    """The expression with its arguments cast to the type, its answer to float32."""
    return OUT % (template % tuple((IN % name).format(half.name) for name in names))


class HalfSums:
    """A linear operation whose wants allow the rounding of a 16-bit type; see `sums.Sums`."""

    def __init__(self, half, linear, ops):
        self.half, self.linear, self.ops, self.counts, self.out = half, linear, ops, linear.counts, linear.out

    def want(self, label, name, value, absolute):
        if label == "int":
            return bounds.integers(self.ops[name], value, self.linear.axes[name])
        limit = unit(self.half) * (6 + 0.5 * math.sqrt(self.counts[name])) * absolute
        return Want(self.ops[name], value, limit, self.linear.axes[name])


def linear_case(half, name, shape, linear, ops, shapes, heights, code, level, graph=None, relu=False):
    identity = "half/%s_%s" % (name, half.name)

    def make():
        draw, sums = draw_for(identity), HalfSums(half, linear, ops)
        return [half_fill(label, sums, shapes, heights, relu, draw) for label in ("int", "real")]

    names = "xwb"[: len(shapes)]
    return Case(identity, ops["y"], shape, code, names, len(shapes), make, level, graph, dtype=half.name)


def half_fill(label, sums, shapes, heights, relu, draw):
    linear, bits = sums.linear, sums.half.bits
    if label == "int":
        given = [whole_numbers(draw, shape, high) for shape, high in zip(shapes, heights)]
        upstream = whole_numbers(draw, sums.out, heights[-1])
        given[2:] = [b - np.float32(0.5) for b in given[2:]]
    else:
        reach = np.float32(2.0**sums.half.reach)  # to some thousands, or beyond what float16 can hold
        given = [
            reach ** (2 if i == 2 else 1) * rounded(real_numbers(draw, shape), bits) for i, shape in enumerate(shapes)
        ]
        upstream = rounded(real_numbers(draw, sums.out), bits)
    x, w, b = (given + [np.float32(0)])[:3]
    before = linear.forward(x, w) + b
    y = sums.want(label, "y", before, linear.forward(abs(x), abs(w)) + abs(b))
    if relu:
        upstream = np.where(abs(before) > y.limit, upstream, 0).astype(np.float32)
        y.value = np.maximum(before, 0)
    passed = upstream * (before > 0) if relu else upstream
    values, sizes = linear.backward(x, w, passed), linear.backward(abs(x), abs(w), abs(passed))
    wants = {"y": y}
    wants.update((name, sums.want(label, name, values[name], sizes[name])) for name in list(values)[: len(shapes)])
    return Fill(label, tuple(given), upstream, wants)


def matmul(half):
    n, width, out = MATRIX
    ops, code = dict.fromkeys(("y", "dx", "dw"), "MatMul"), in_half(half, "tf.matmul(%s, %s)", "x", "w")
    shapes = ((n, width), (width, out))
    return linear_case(
        half, "matmul", "7x33 -> 18", MatrixSums(*MATRIX), ops, shapes, (3, 2, 2), code, "quick", "standard"
    )


def dense_relu(half):
    n, width, out = MATRIX
    ops = {"y": "MatMul+BiasAdd+Relu", "dx": "MatMul", "dw": "MatMul", "db": "BiasAddGrad"}
    code = in_half(half, "tf.nn.relu(tf.nn.bias_add(tf.matmul(%s, %s), %s))", "x", "w", "b")
    shapes = ((n, width), (width, out), (out,))
    linear = MatrixSums(*MATRIX)
    return linear_case(half, "relu", "7x33 -> 18, relu", linear, ops, shapes, (1, 2, 1), code, "standard", relu=True)


def conv(half):
    linear = ConvolutionSums(Windows(IMAGE, KERNEL[:2], padding="SAME"), KERNEL[3])
    ops = {"y": "Conv2D", "dx": "Conv2DBackpropInput", "dw": "Conv2DBackpropFilter"}
    code = in_half(half, "tf.nn.conv2d(%s, %s, strides=1, padding='SAME')", "x", "w")
    return linear_case(
        half, "conv2d", "2x9x7x3 k3x3 SAME -> 5", linear, ops, (IMAGE, KERNEL), (1, 2, 1), code, "standard"
    )


def half_softmax(half):
    """Computed in the type: the argument's rounding grows with it, the sum's with its length."""
    identity = "half/softmax_" + half.name

    def make():
        z = rounded(logits(draw_for(identity), 7, 33), half.bits)
        r = z.max(axis=-1, keepdims=True).astype(np.float64) - z
        limit = unit(half) * (6 + 2 * r + 33**0.5) * softmax(z)
        return [Fill("bound", (z,), None, {"y": Want("Softmax", softmax(z), limit, ROWS)})]

    code = in_half(half, "tf.nn.softmax(%s)", "z")
    return Case(identity, "Softmax", "7x33", code, "z", 0, make, "standard", dtype=half.name)


def total(half):
    """Sums of rows: whole numbers below 256."""
    identity = "half/sum_" + half.name

    def make():
        draw = draw_for(identity)
        whole, real = whole_numbers(draw, (7, 65), 3), rounded(real_numbers(draw, (7, 65)), half.bits)
        return [sum_fill("int", whole, half), sum_fill("real", real, half)]

    code = OUT % ("tf.reduce_sum(%s, axis=1)" % (IN % "x").format(half.name))
    return Case(identity, "Sum", "7x65, rows", code, "x", 0, make, "standard", dtype=half.name)


def sum_fill(label, x, half):
    y, absolute = x.astype(np.float64).sum(axis=1), abs(x).astype(np.float64).sum(axis=1)
    limit = unit(half) * (6 + 0.5 * math.sqrt(x.shape[1])) * absolute
    want = bounds.integers("Sum", y, ("row",)) if label == "int" else Want("Sum", y, limit, ("row",))
    return Fill(label, (x,), None, {"y": want})


def added(half):
    """To the nearest number of the type, ties left out."""
    identity = "half/add_" + half.name

    def make():
        draw = draw_for(identity)
        x, y = (rounded(real_numbers(draw, (7, 257)), half.bits) for _ in range(2))
        y = np.where(tie(x.astype(np.float64) + y, half.bits), x, y)  # then the sum is exact
        want = bounds.exact("AddV2", rounded(x.astype(np.float64) + y, half.bits), ROWS)
        return [Fill("exact", (x, y), None, {"s": want})]

    code = in_half(half, "%s + %s", "x", "y")
    return Case(identity, "AddV2", "7x257", code, "xy", 0, make, "standard", outputs="s", dtype=half.name)


def tie(values, bits):
    """Whether a value is half way between two numbers of so many bits, or too small for float16 to be told."""
    scaled = np.ldexp(np.frexp(values)[0], bits)
    return (abs(scaled - np.round(scaled)) == 0.5) | (abs(values) < 2.0**-10)


def cast(half):
    """To the nearest number of the type and back (tensorflow#57010: wrong on arm64); denormals and ties are left out."""
    identity = "half/cast_" + half.name

    def make():
        draw = draw_for(identity)
        x = (real_numbers(draw, (7, 257)) * 2.0 ** draw.randint(-6, 7, (7, 257))).astype(np.float32)
        x = np.where(abs(x) < 2.0**-10, np.float32(1.5), x)
        return [Fill("exact", (x,), None, {"y": bounds.exact("Cast", rounded(x, half.bits), ROWS)})]

    code = OUT % (IN % "x").format(half.name)
    return Case(identity, "Cast", "7x257", code, "x", 0, make, "quick", "standard", dtype=half.name)
