"""Reductions that are no plain sums: extremes, products, logic, whole numbers, logarithms of sums, norms, counts."""

import numpy as np

from battery import bounds
from battery.case import CONVENTION, Case, Fill
from battery.families.moving import moved_fill
from battery.families.reductions import LONG
from battery.references.moves import Moves
from battery.values import draw_for, logits, permutation, real_numbers, whole_numbers
from battery.wants import Claim, U, Want

EXTREMES = {
    # name: (operation, code, shape, axes, level, level compiled)
    "max_long": ("Max", "tf.reduce_max(x, keepdims=True)", (LONG,), (0,), "quick", "standard"),
    "max_axes": ("Max", "tf.reduce_max(x, axis=[0, 2], keepdims=True)", (5, 7, 5, 7), (0, 2), "standard", "standard"),
    "min_long": ("Min", "tf.reduce_min(x, keepdims=True)", (LONG,), (0,), "standard", "standard"),
    "min_last": ("Min", "tf.reduce_min(x, axis=-1)", (5, 1031), (1,), "quick", "standard"),
}
WHOLE = {
    # name: (operation, code, type, values, level)
    "sum_int32": ("Sum", "tf.reduce_sum(x, axis=0)", np.int32, (-(2**13), 2**13), "standard"),
    "sum_int64": ("Sum", "tf.reduce_sum(x, axis=0)", np.int64, (2**30, 2**33), "quick"),
    "max_int32": ("Max", "tf.reduce_max(x, axis=0)", np.int32, (-(2**30), -(2**24)), "standard"),
    "min_int64": ("Min", "tf.reduce_min(x, axis=0)", np.int64, (2**33, 2**36), "standard"),
    "mean_int32": ("Mean", "tf.reduce_mean(x, axis=0)", np.int32, (0, 2**13), "standard"),
    "cumsum_int64": ("Cumsum", "tf.cumsum(x)", np.int64, (2**30, 2**33), "standard"),
}
REFERENCES = {
    "tf.reduce_sum(x, axis=0)": lambda x: x.sum(axis=0, dtype=x.dtype),
    "tf.reduce_max(x, axis=0)": lambda x: x.max(axis=0),
    "tf.reduce_min(x, axis=0)": lambda x: x.min(axis=0),
    "tf.reduce_mean(x, axis=0)": lambda x: x.sum(axis=0) // len(x),
    "tf.cumsum(x)": lambda x: x.cumsum(axis=0, dtype=x.dtype),
}


def cases():
    found = [extreme(name, *row) for name, row in EXTREMES.items()]
    found += [whole(name, *row) for name, row in WHOLE.items()] + [overflow()]
    return (
        found
        + [any_and_all(), segment_max(), counts(), product(), running_product(), deviation(), *norms()]
        + logsumexps()
    )


def extreme(name, op, code, shape, axes, level, graph):
    """All values differ, and no maximum (minimum) reaches 0; along a long axis the winner sits beyond 2^16."""
    identity = "reduce/" + name
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    kept = kept if "keepdims" in code else tuple(size for axis, size in enumerate(shape) if axis not in axes)
    winner = np.argmax if op == "Max" else np.argmin

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = permutation(draw, shape, -int(np.prod(shape)) - 5 if op == "Max" else 5)
        if shape == (LONG,):
            at, other = int(winner(x)), int(draw.randint(2**16, LONG))
            x[[at, other]] = x[[other, at]]
        last = [axis for axis in range(len(shape)) if axis not in axes] + list(axes)

        if shape == (LONG,):
            return Fill("exact", (x,), None, {"y": bounds.exact(op, x[[winner(x)]])})

        def move(positions):
            rows = [array.transpose(last).reshape(int(np.prod(kept)), -1) for array in (x, positions)]
            return rows[1][np.arange(len(rows[0])), winner(rows[0], axis=1)].reshape(kept)

        return moved_fill(Moves([shape], move), (op, op), draw, (x,))

    return Case(identity, op, "x".join(map(str, shape)), code, "x", int(shape != (LONG,)), make, level, graph)


def overflow():
    """Sums beyond the largest int32. C leaves open what comes then: here it wraps, on other hardware it stops there."""

    def make():
        draw, ends = draw_for("reduce/sum_int32_wraps"), np.iinfo(np.int32)
        x = draw.randint(2**28, 2**30, (1031, 3), np.int64).astype(np.int32)
        wrapped = x.sum(axis=0, dtype=np.int32)
        either = Claim("Sum", (3,), lambda y: one_of(y, (wrapped, np.full(3, ends.max))))
        wants = {"exact": either, CONVENTION: bounds.exact("Sum", wrapped)}
        return [Fill(label, (x,), None, {"y": want}) for label, want in wants.items()]

    code = "tf.reduce_sum(x, axis=0)"
    return Case("reduce/sum_int32_wraps", "Sum", "1031x3", code, "x", 0, make, "quick", "standard", dtype="int32")


def one_of(found, answers):
    right = any(np.array_equal(found, answer) for answer in answers)
    return (0.0 if right else 2.0), "neither wrapped nor the largest number: %s" % found.tolist()


def whole(name, op, code, dtype, limits, level):
    identity = "reduce/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = draw.randint(limits[0], limits[1], (1031, 3), np.int64).astype(dtype)
        return Fill("exact", (x,), None, {"y": bounds.exact(op, REFERENCES[code](x))})

    return Case(identity, op, "1031x3", code, "x", 0, make, level, "standard", dtype=np.dtype(dtype).name)


def any_and_all():
    """One True (one False) among a thousand, in the last place of one row."""

    def make():
        return [fill(row) for row in (1, 3)]

    def fill(row):
        x = np.zeros((5, 1031), bool)
        x[row, -1] = x[0] = True
        wants = {"some": bounds.exact("Any", x.any(axis=1)), "every": bounds.exact("All", x.all(axis=1))}
        wants["none"] = bounds.exact("All", (~x).all(axis=1))
        return Fill("exact", (x,), None, wants)

    code = "(tf.reduce_any(x, axis=1), tf.reduce_all(x, axis=1), tf.reduce_all(tf.logical_not(x), axis=1))"
    return Case(
        "reduce/any", "Any", "5x1031", code, "x", 0, make, "quick", "standard", ("some", "every", "none"), dtype="bool"
    )


def segment_max():
    def make():
        draw = draw_for("reduce/unsorted_max")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x, ids = permutation(draw, (33, 5), -400), draw.permutation(33).astype(np.int32) % 9

        def move(positions):
            rows = [np.flatnonzero(ids == segment) for segment in range(9)]
            return np.stack([positions[of[x[of].argmax(axis=0)], np.arange(5)] for of in rows])

        return moved_fill(Moves([(33, 5)], move), ("UnsortedSegmentMax", "GatherV2"), draw, (x,), (ids,))

    code = "tf.math.unsorted_segment_max(x, i, 9)"
    return Case("reduce/unsorted_max", "UnsortedSegmentMax", "33x5", code, "xi", 1, make, "standard")


def counts():
    def make():
        draw = draw_for("reduce/counts")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        ids = draw.randint(0, 300, 5003).astype(np.int32)
        wants = {"bins": bounds.exact("Bincount", np.bincount(ids, minlength=300))}
        wants["bars"] = bounds.exact("HistogramFixedWidth", np.bincount(ids // 10, minlength=30))
        return Fill("exact", (ids, ids.astype(np.float32) + np.float32(0.5)), None, wants)

    code = "(tf.math.bincount(i, minlength=300, maxlength=300), tf.histogram_fixed_width(x, [0.0, 300.0], 30))"
    return Case("reduce/counts", "Bincount", "5003", code, "ix", 0, make, "standard", outputs=("bins", "bars"))


def product():
    """Of a few factors, one of them 0: each multiplication is off by at most u. The gradient is the product of the others."""

    def make():
        draw = draw_for("reduce/prod")
        return [product_fill(label, draw) for label in ("int", "real")]

    return Case("reduce/prod", "Prod", "5x7x3", "tf.reduce_prod(x, axis=1)", "x", 1, make, "standard")


def product_fill(label, draw):
    whole = label == "int"
    x = whole_numbers(draw, (5, 7, 3), 3) if whole else real_numbers(draw, (5, 7, 3))
    upstream = whole_numbers(draw, (5, 3), 3) if whole else real_numbers(draw, (5, 3))
    x[0, 3, 0] = 0
    others = np.stack([np.delete(x.astype(np.float64), k, axis=1).prod(axis=1) for k in range(7)], axis=1)
    y, dx = x.astype(np.float64).prod(axis=1), others * upstream[:, None]
    if whole:
        return Fill(label, (x,), upstream, {"y": bounds.exact("Prod", y), "dx": bounds.exact("Cumprod", dx)})
    return Fill(label, (x,), upstream, {"y": bounds.relative("Prod", y, 16), "dx": bounds.relative("Cumprod", dx, 24)})


def running_product():
    def make():
        draw = draw_for("reduce/cumprod")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = whole_numbers(draw, (9, 9), 3)
        x[0] = abs(x[0])
        total, before = x.astype(np.float64).cumprod(axis=0), np.ones((9, 9))
        before[:-1] = x[::-1].astype(np.float64).cumprod(axis=0)[-2::-1]
        wants = {"y": bounds.exact("Cumprod", total), "z": bounds.exact("Cumprod", before)}
        return Fill("exact", (x,), None, wants)

    code = "(tf.math.cumprod(x), tf.math.cumprod(x, exclusive=True, reverse=True))"
    return Case("reduce/cumprod", "Cumprod", "9x9", code, "x", 0, make, "standard", outputs=("y", "z"))


def logsumexps():
    return [logsumexp("logsumexp", False), logsumexp("logsumexp_extreme", True)]


def logsumexp(name, extreme):
    """log(sum(exp(x))): the error of the sum is relative, hence absolute on its logarithm."""
    identity = "reduce/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = logits(draw, 5, 1000 if not extreme else 3)
        if extreme:  # overflows, or is lost, unless the maximum is taken off first
            x += np.array([[1000], [-1000], [88.5], [-110], [0]], np.float32)
        wide, dy = x.astype(np.float64), real_numbers(draw, (5,))
        top = wide.max(axis=1, keepdims=True)
        total = np.exp(wide - top).sum(axis=1, keepdims=True)
        y, p = (np.log(total) + top)[:, 0], np.exp(wide - top) / total
        units = bounds.softmax_relative(wide)
        limit = units.max(axis=1) + 4 * U * (abs(y) + abs(top[:, 0]) + abs(np.log(total[:, 0])) + 1)
        back = Want("Exp", p * dy[:, None], (2 * units + 8 * U) * p * abs(dy)[:, None] + 1e-30)
        return Fill("bound", (x,), dy, {"y": Want("Log", y, limit), "dx": back})

    text = "5x3" if extreme else "5x1000"
    return Case(identity, "Log", text, "tf.reduce_logsumexp(x, axis=1)", "x", 1, make, "standard")


def norms():
    yield norm("norm", "Sqrt", "tf.norm(x, axis=1)")
    yield norm("euclidean", "EuclideanNorm", "tf.math.reduce_euclidean_norm(x, axis=1)")


def norm(name, op, code):
    """A sum of squares grows by u per term at worst; the root halves that and adds its own 3 ulp."""

    def make():
        draw = draw_for("reduce/" + name)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x, dy = real_numbers(draw, (7, 130)), real_numbers(draw, (7,))
        y = np.sqrt((x.astype(np.float64) ** 2).sum(axis=1))
        wants = {
            "y": bounds.relative(op, y, 32),
            "dx": bounds.relative("RealDiv", x / y[:, None] * dy[:, None], 48),
        }
        return Fill("bound", (x,), dy, wants)

    return Case("reduce/" + name, op, "7x130", code, "x", 1, make, "standard")


def deviation():
    """The variance: in one pass the squares cancel, so the error follows the mean square."""

    def make():
        draw = draw_for("reduce/variance")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = real_numbers(draw, (7, 130)) + np.float32(0.5)
        wide, dy = x.astype(np.float64), real_numbers(draw, (7,))
        away = wide - wide.mean(axis=1, keepdims=True)
        square = (wide**2).mean(axis=1)
        dx = 2 * away / 130 * dy[:, None]
        limit = 64 * U * (abs(wide) + 1) * 2 / 130 * abs(dy)[:, None]
        wants = {"y": Want("Mean", (away**2).mean(axis=1), 64 * U * square), "dx": Want("Mean", dx, limit)}
        return Fill("bound", (x,), dy, wants)

    return Case("reduce/variance", "Mean", "7x130", "tf.math.reduce_variance(x, axis=1)", "x", 1, make, "standard")
