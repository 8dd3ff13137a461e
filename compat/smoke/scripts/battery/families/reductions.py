"""Reductions and running sums: over axes longer than 2^16 and with odd tails, over several axes, of whole numbers.

Integers see a lost element (the tail of a block of 1024, an index beyond 2^16), real values reduced precision.
"""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.values import draw_for, real_numbers, whole_numbers
from battery.wants import INTEGER_LIMIT

LONG = 65 * 1024 + 7
"""Past 2^16, and no multiple of any block."""
SUMS = {
    # name: (operation, its gradient's, code, shape, axes, divided by the number of terms, level, level compiled)
    "sum_long": ("Sum", "Tile", "tf.reduce_sum(x, keepdims=True)", (LONG,), None, False, "quick", "standard"),
    "sum_last": ("Sum", "BroadcastTo", "tf.reduce_sum(x, axis=-1)", (5, 1031), 1, False, "quick", "quick"),
    "sum_first": ("Sum", "BroadcastTo", "tf.reduce_sum(x, axis=0)", (130, 130), 0, False, "standard", "standard"),
    "sum_axes": (
        "Sum",
        "BroadcastTo",
        "tf.reduce_sum(x, axis=[0, 2])",
        (5, 7, 5, 7),
        (0, 2),
        False,
        "standard",
        "standard",
    ),
    "mean_long": ("Mean", "Tile", "tf.reduce_mean(x, keepdims=True)", (LONG,), None, True, "standard", "standard"),
    "mean_image": (
        "Mean",
        "BroadcastTo",
        "tf.reduce_mean(x, axis=[1, 2])",
        (3, 9, 7, 33),
        (1, 2),
        True,
        "quick",
        "standard",
    ),
    "sum_middle": ("Sum", "BroadcastTo", "tf.reduce_sum(x, axis=1)", (3, 33, 33), 1, False, "standard", "standard"),
    "mean_middle": ("Mean", "BroadcastTo", "tf.reduce_mean(x, axis=1)", (3, 33, 33), 1, True, "standard", "standard"),
}
RUNNING = {
    # name: (arguments, shape, axis, exclusive, reverse, level, level compiled)
    "cumsum": ("axis=1", (5, 1031), 1, False, False, "standard", "standard"),
    "cumsum_back": ("axis=0, exclusive=True, reverse=True", (33, 33), 0, True, True, "quick", "standard"),
    "cumsum_exclusive": ("axis=1, exclusive=True", (3, 17, 5), 1, True, False, "standard", "standard"),
    "cumsum_long": ("axis=0", (LONG,), 0, False, False, "standard", "standard"),
}


def cases():
    found = [sums(name, *row) for name, row in SUMS.items()]
    return found + [running_sum(name, *row) for name, row in RUNNING.items()] + segment_sums()


class Linear:
    """A sum of chosen elements: `forward(x)` and its transpose `backward(dy)` in float64, and how many terms each has.

    `divisor` is what a mean divides by: then a lost element is worth 1/divisor.
    """

    def __init__(self, ops, counts, forward, backward, divisor=1, sources=1):
        self.ops, self.counts, self.forward, self.backward = ops, counts, forward, backward
        self.divisor, self.sources = divisor, sources
        self.height = 7 if divisor > 1 else min(8191, 2**23 // max(counts))  # more than 11 bits, where sums stay exact

    def fill(self, label, draw, shape, extra=()):
        """Fill of x (and the inputs in `extra`, as they are)."""
        drawn = real_numbers if label == "real" else lambda draw, shape: whole_numbers(draw, shape, self.height)
        x = drawn(draw, shape)
        y, size = self.forward(x.astype(np.float64)), self.forward(abs(x.astype(np.float64)))
        if not self.sources:
            return Fill(label, (x,) + extra, None, {"y": self._want(label, 0, y, size)})
        upstream = drawn(draw, y.shape)
        dx, back = (self.backward(dy.astype(np.float64)) for dy in (upstream, abs(upstream)))
        wants = {"y": self._want(label, 0, y, size), "dx": self._want(label, 1, dx, back)}
        return Fill(label, (x,) + extra, upstream, wants)

    def _want(self, label, which, value, absolute):
        if label == "real":
            return bounds.products(self.ops[which], value, absolute, self.counts[which])
        want = bounds.integers(self.ops[which], value)
        want.limit = np.broadcast_to(INTEGER_LIMIT / self.divisor, want.shape)
        return want


def case_of(identity, linear, code, shape, level, graph, extra=(), names="x"):
    def make():
        draw = draw_for(identity)
        return [linear.fill(label, draw, shape, extra) for label in ("int", "real")]

    return Case(identity, linear.ops[0], "x".join(map(str, shape)), code, names, linear.sources, make, level, graph)


def sums(name, op, back, code, shape, axes, mean, level, graph):
    every = tuple(range(len(shape))) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    count = int(np.prod([shape[axis] for axis in every]))
    divisor, keepdims = count if mean else 1, "keepdims" in code
    kept = tuple(1 if axis in every else size for axis, size in enumerate(shape))

    def forward(x):
        return x.sum(axis=every, keepdims=keepdims) / divisor

    def backward(dy):
        return np.broadcast_to(dy.reshape(kept), shape) / divisor

    sources = 0 if shape == (LONG,) else 1  # there the gradient is one number, repeated
    linear = Linear((op, back), (count, 1), forward, backward, divisor, sources)
    return case_of("reduce/" + name, linear, code, shape, level, graph)


def running_sum(name, arguments, shape, axis, exclusive, reverse, level, graph):
    def forward(x):
        return cumulated(x, axis, exclusive, reverse)

    def backward(dy):
        return cumulated(dy, axis, exclusive, not reverse)

    linear = Linear(("Cumsum", "Cumsum"), (shape[axis],) * 2, forward, backward)
    return case_of("reduce/" + name, linear, "tf.cumsum(x, %s)" % arguments, shape, level, graph)


def cumulated(x, axis, exclusive, reverse):
    x = np.flip(x, axis) if reverse else x
    total = np.cumsum(x, axis)
    total = total - x if exclusive else total
    return np.flip(total, axis) if reverse else total


SEGMENTS = {
    # name: (operation, its gradient's, code, rows, segments, sorted, divided, level, level compiled)
    "segment_sum": ("SegmentSum", "GatherV2", "tf.math.segment_sum(x, i)", 33, 9, True, False, "standard", "standard"),
    "unsorted_sum": (
        "UnsortedSegmentSum",
        "GatherV2",
        "tf.math.unsorted_segment_sum(x, i, 11)",
        1031,
        11,
        False,
        False,
        "quick",
        "standard",
    ),
    "segment_mean": (
        "SegmentMean",
        "SegmentMeanGrad",
        "tf.math.segment_mean(x, i)",
        33,
        9,
        True,
        True,
        "standard",
        "standard",
    ),
    "unsorted_mean": (
        "UnsortedSegmentSum",
        "GatherV2",
        "tf.math.unsorted_segment_mean(x, i, 11)",
        130,
        11,
        False,
        True,
        "standard",
        "standard",
    ),
}


def segment_sums():
    return [segment_sum(name, *row) for name, row in SEGMENTS.items()]


def segment_sum(name, op, back, code, rows, segments, ordered, mean, level, graph):
    """Some segments are long, one is empty and must be 0; where ids need not be sorted, rows of negative ids are dropped."""
    identity, shape = "reduce/" + name, (rows, 5)
    ids = draw_for(identity, 1).randint(0, segments, rows).astype(np.int32)
    ids[:segments] = np.arange(segments)
    ids[ids == 3] = 4
    if ordered:
        ids = np.sort(ids)
    else:
        ids[5::7] = -1
    members = (ids == np.arange(segments)[:, None]).astype(np.float64)
    weights = members / np.maximum(members.sum(axis=1, keepdims=True), 1) if mean else members
    longest = int(members.sum(axis=1).max())
    linear = Linear((op, back), (longest, 1), lambda x: weights @ x, lambda dy: weights.T @ dy, longest if mean else 1)
    return case_of(identity, linear, code, shape, level, graph, (ids,), names="xi")
