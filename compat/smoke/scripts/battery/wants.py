"""What one tensor must be, how far off it may be, and what its wrong elements have in common."""

import collections
import math

import numpy as np

U = 2.0**-24
"""The unit roundoff of float32."""
INTEGER_LIMIT = 0.25
"""Winograd F(6x6) is off by at most 0.019 on our integers, a lost product by at least 1."""
FEWEST_FOR_RMS = 64

IMAGE = ("sample", "row", "column", "channel")
KERNEL = ("kernel row", "kernel column", "input channel", "output channel")
MATRIX = ("input", "output")
ROWS = ("sample", "feature")

Judgement = collections.namedtuple("Judgement", "ratio bits detail")
"""Error in units of its bound; significant bits, where they can be told, else None; what to say."""


class Want:
    """The reference of one tensor: its value, how far off an element may be (broadcast), and how its axes are called.

    `exact` admits no difference at all. `scale` and `products` (of a sum of products of N(0, 1) values: u * sum of
    absolute products, and their number) add a bound on the root mean square and tell the significant bits.
    """

    def __init__(self, op, value, limit, axes=(), exact=False, scale=None, products=0):
        self.op, self.value, self.axes, self.exact = op, np.asarray(value, np.float64), axes, exact
        self.limit = np.broadcast_to(np.asarray(limit, np.float64), self.value.shape)
        self.scale, self.products = scale, products

    @property
    def shape(self):
        return self.value.shape

    def judge(self, found):
        """Return the Judgement of an array."""
        found = np.asarray(found, np.float64)
        if found.shape != self.value.shape:
            return Judgement(math.inf, None, "shape %s, should be %s" % (found.shape, self.value.shape))
        with np.errstate(all="ignore"):
            error = np.where(np.isfinite(found), np.abs(found - self.value), np.inf)
        if not error.size:
            return Judgement(0.0, None, "")
        ratio, bits = self._ratio(error)
        if ratio <= 1:
            return Judgement(ratio, bits, self._fraction(error))
        bad = error > (0.0 if self.exact else self.limit)
        return Judgement(ratio, bits, self._place(found, error, bad))

    def _ratio(self, error):
        if self.exact:  # it has no bound to be within: any difference is a fault
            return (max(float((error / INTEGER_LIMIT).max()), 2.0) if error.any() else 0.0), None
        ratio = float((error / np.maximum(self.limit, 1e-300)).max())
        if self.scale is None:
            return ratio, None
        with np.errstate(over="ignore"):
            rms = math.sqrt(float(np.mean((error / self.scale) ** 2)))
        bits = 24 - math.log2(max(rms, 1e-30) * math.sqrt(self.products)) if math.isfinite(rms) else None
        if error.size >= FEWEST_FOR_RMS:
            ratio = max(ratio, rms / (24 + 0.5 * math.sqrt(self.products)))
        return ratio, bits

    def _fraction(self, error):
        if self.scale is None and not self.exact and error.any() and np.all(self.limit == INTEGER_LIMIT):
            return "integers come out as fractions (off by %.2g): a transform algorithm" % error.max()
        return ""

    def _place(self, found, error, bad):
        over = error / np.maximum(self.limit, 1e-300)
        worst = np.unravel_index(int(over.argmax()), error.shape)
        index = ",".join(str(int(i)) for i in worst)
        text = "worst at [%s]: %.9g, should be %.9g" % (index, found[worst], self.value[worst])
        if not bad.any():
            return text + "; every value is a little off"
        return text + "; %d of %d values out of bounds%s" % (bad.sum(), bad.size, shared(bad, self.axes))


class Claim:
    """What no value can be named for: a statement about the answer, as of random numbers.

    `judging(found)` returns (ratio, detail): at most 1 where the statement holds.
    """

    exact, scale = False, None

    def __init__(self, op, shape, judging):
        self.op, self.shape, self._judging = op, tuple(shape), judging

    def judge(self, found):
        found = np.asarray(found)
        if found.shape != self.shape:
            return Judgement(math.inf, None, "shape %s, should be %s" % (found.shape, self.shape))
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            return Judgement(math.inf, None, "not finite: %d of %d" % ((~np.isfinite(found)).sum(), found.size))
        ratio, detail = self._judging(found)
        return Judgement(float(ratio), None, detail if ratio > 1 else "")


def shared(bad, axes):
    """What the bad elements have in common: that is half of the bug report."""
    found = []
    for name, length, indices in zip(axes, bad.shape, np.nonzero(np.atleast_1d(bad))):
        first, last = int(indices.min()), int(indices.max())
        if length > 1 and first == last:
            found.append("all in the last %s" % name if last == length - 1 else "all in %s %d" % (name, first))
        elif first > 0 and last == length - 1:
            found.append("only from %s %d on" % (name, first))
    return ", " + ", ".join(found) if found else ""
