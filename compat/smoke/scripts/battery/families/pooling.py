"""Max and average pooling: windows that overlap and do not, odd sizes, padding, one to three axes, the whole image."""

import numpy as np

from battery import bounds
from battery.case import CONVENTION, Case, Fill
from battery.families.convolution import AXES, product, sized
from battery.references.windows import Windows, average_pool, average_pool_dx, covered, max_pool, max_pool_dx
from battery.values import draw_for, permutation, real_numbers, whole_numbers
from battery.wants import IMAGE, Claim

MAXIMA = {
    # name: (shape, window, strides, padding, level, compiled); more than 2048 distinct values tie if compared in float16
    "k2s2": ((2, 8, 8, 6), (2, 2), (2, 2), "VALID", "standard"),
    "k2s2_same": ((5, 9, 7, 8), (2, 2), (2, 2), "SAME", "quick", "standard"),  # the padding must be -inf, not 0
    "k3s2": ((3, 10, 11, 7), (3, 3), (2, 2), "VALID", "quick", "standard"),  # windows overlap, one odd side
    "big": ((2, 28, 28, 32), (2, 2), (2, 2), "VALID", "quick", "standard"),
    "k3s2_same": ((5, 10, 9, 1), (3, 3), (2, 2), "SAME", "standard"),
    "k3s1": ((2, 6, 7, 17), (3, 3), (1, 1), "SAME", "standard"),
    "k32_s21": ((3, 8, 7, 5), (3, 2), (2, 1), "VALID", "standard"),  # nothing is square
    "line": ((3, 17, 5), (3,), (2,), "SAME", "standard"),
}
AVERAGES = {
    # name: (shape, window, strides, padding, level, level compiled)
    "k3s2_same": ((3, 8, 9, 5), (3, 3), (2, 2), "SAME", "quick", "standard"),  # overlapping; the padding does not count
    "k2s2": ((5, 9, 7, 17), (2, 2), (2, 2), "VALID", "standard"),  # the odd last row goes nowhere
    "k2s2_same": ((2, 7, 9, 3), (2, 2), (2, 2), "SAME", "standard"),
    "k32_s21": ((3, 8, 7, 6), (3, 2), (2, 1), "VALID", "standard"),
    "line": ((3, 17, 5), (3,), (2,), "SAME", "standard"),
}
AT_ONCE = (7, 5, 6, 18)


def cases():
    found = [max_pooling("maxpool/" + name, *row) for name, row in MAXIMA.items()]
    found += [average_pooling("avgpool/" + name, *row) for name, row in AVERAGES.items()]
    whole = (AT_ONCE, AT_ONCE[1:3], (1, 1), "VALID", "standard")
    found.append(max_pooling("maxpool/whole", *whole, code="tf.reduce_max(x, [1, 2], keepdims=True)", op="Max"))
    found.append(average_pooling("avgpool/whole", *whole, code="tf.reduce_mean(x, [1, 2], keepdims=True)", op="Mean"))
    return found + [tied("maxpool/ties", (2, 8, 6, 5)), positions("maxpool/positions", (3, 8, 7, 5))]


def max_pooling(identity, shape, window, strides, padding, level, graph=None, code=None, op=None):
    windows = Windows(shape, window, strides, None, padding)

    def make():
        draw, size = draw_for(identity), product(shape)
        return [
            max_pooling_fill(windows, draw, -lowest, op) for lowest in (size // 2, size + 5)
        ]  # second: all negative

    code = code or pooling_code("max", windows, strides, padding)
    return Case(identity, op or named("Max", windows), described(windows, strides, padding), code, "x", 1, make, level, graph)  # fmt: skip


def pooling_code(kind, windows, strides, padding):
    window = list(windows.kernel)
    return "tf.nn.%s_pool%dd(x, %r, %r, %r)" % (kind, len(window), window, list(strides), padding)


def named(kind, windows):
    """TensorFlow's operation: pooling of one axis is done by that of two."""
    return kind + ("Pool3D" if len(windows.kernel) == 3 else "Pool")


def described(windows, strides, padding):
    return "%s k%s s%s %s" % (sized(windows.shape), sized(windows.kernel), sized(strides), padding)


def max_pooling_fill(windows, draw, lowest, op=None):
    """All values differ, so that no tie is to be broken."""
    x = permutation(draw, windows.shape, lowest)
    y, winners = max_pool(x, windows)
    upstream = whole_numbers(draw, y.shape, 50)
    dx, axes = max_pool_dx(upstream, winners, windows), AXES[len(windows.kernel)][0]
    ops = (op, op) if op else (named("Max", windows), named("Max", windows) + "Grad")
    wants = {"y": bounds.exact(ops[0], y, axes), "dx": bounds.exact(ops[1], dx, axes)}
    return Fill("exact", (x,), upstream, wants)


def average_pooling(identity, shape, window, strides, padding, level, graph=None, code=None, op=None):
    windows = Windows(shape, window, strides, None, padding)
    op = op or named("Avg", windows)

    def make():
        draw = draw_for(identity)
        return [average_fill(label, windows, op, draw) for label in ("int", "real")]

    code = code or pooling_code("avg", windows, strides, padding)
    return Case(identity, op, described(windows, strides, padding), code, "x", 1, make, level, graph)


def average_fill(label, windows, op, draw):
    """Averages of a few pixels, and gradients shared among them.

    The integers are multiples of all that is divided by, so that right answers are integers: one lost or moved pixel
    changes one by at least 1, a division (by 2.5 ulp, or by a rounded reciprocal) by a few units in the last place.
    """
    axes, ops = AXES[len(windows.kernel)][0], (op, op + "Grad" if "Pool" in op else op)
    shapes = (windows.shape, windows.shape[:1] + windows.out + windows.shape[-1:])
    if label == "int":
        x, upstream = (divisible(windows) * whole_numbers(draw, shape, high) for shape, high in zip(shapes, (7, 3)))
        y, dx = average_pool(x, windows), average_pool_dx(upstream, windows)
        wants = {"y": bounds.relative(ops[0], y, 16, axes, 0.2), "dx": bounds.relative(ops[1], dx, 16, axes, 0.2)}
        return Fill(label, (x,), upstream, wants)
    x, upstream = (real_numbers(draw, shape) for shape in shapes)
    values, area = (average_pool(x, windows), average_pool_dx(upstream, windows)), product(windows.kernel)
    absolutes = (average_pool(abs(x), windows), average_pool_dx(abs(upstream), windows))
    found = [bounds.products(op, value, most, area, axes) for op, value, most in zip(ops, values, absolutes)]
    return Fill(label, (x,), upstream, dict(zip(("y", "dx"), found)))


def divisible(windows):
    """The least common multiple of the numbers of pixels in the windows."""
    return np.float32(np.lcm.reduce(covered(windows).astype(int).ravel()))


def positions(identity, shape):
    """Where the maxima are: pixels of one sample counted through, channels first."""
    windows = Windows(shape, (3, 2), (2, 2), None, "SAME")

    def make():
        x, places = (
            permutation(draw_for(identity), shape, -product(shape) // 2),
            np.arange(product(shape)).reshape(shape),
        )
        y, _ = max_pool(x, windows)
        at = np.searchsorted(np.sort(x, axis=None), y)
        index = places.flat[np.argsort(x, axis=None)[at]] % product(shape[1:])
        wants = {"y": bounds.exact("MaxPoolWithArgmax", y, IMAGE), "i": bounds.exact("MaxPoolWithArgmax", index, IMAGE)}
        return [Fill("exact", (x,), None, wants)]

    code = "tf.nn.max_pool_with_argmax(x, [3, 2], [2, 2], 'SAME')"
    text = described(windows, (2, 2), "SAME")
    return Case(identity, "MaxPoolWithArgmax", text, code, "x", 0, make, "standard", outputs=("y", "i"))


def tied(identity, shape):
    """Values that tie: that the gradient arrives at winners only is no convention, which of them wins (the first) is."""
    windows = Windows(shape, (2, 2), (2, 2))

    def make():
        draw = draw_for(identity)
        x = draw.randint(-2, 1, shape).astype(np.float32)
        y, first = max_pool(x, windows)
        upstream = whole_numbers(draw, y.shape, 50)
        claim = Claim("MaxPoolGrad", shape, lambda dx: shares_of_ties(dx, x, y, upstream, windows))
        to_first = bounds.exact("MaxPoolGrad", max_pool_dx(upstream, first, windows), IMAGE)
        return [
            Fill("exact", (x,), upstream, {"y": bounds.exact("MaxPool", y, IMAGE), "dx": claim}),
            Fill(CONVENTION, (x,), upstream, {"dx": to_first}),
        ]

    code = pooling_code("max", windows, (2, 2), "VALID")
    return Case(identity, "MaxPool", described(windows, (2, 2), "VALID"), code, "x", 1, make, "standard")


def shares_of_ties(dx, x, y, upstream, windows):
    """The gradient may go to one of the maxima of a window, be shared by them, or go to each: nowhere else, never lost."""
    shares = np.stack([dx[place] for *_, place in windows]) / upstream
    highest = np.stack([x[place] for *_, place in windows]) == y
    astray = (abs(np.where(highest, 0, shares)) > 0).any(axis=0)
    outside = ((shares < 0) | (shares > 1 + 1e-6)).any(axis=0)
    lost = shares.sum(axis=0) < 1 - 1e-6
    wrong = astray | outside | lost
    return 2.0 * wrong.any(), "in %d of %d windows the gradient does not go to the maxima" % (wrong.sum(), wrong.size)
