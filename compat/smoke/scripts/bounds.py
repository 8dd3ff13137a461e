"""How far a right answer may be from the float64 reference, and where the wrong elements lie.

Stand-alone: NumPy only, CPython 3.8 syntax. `U` is the unit roundoff of float32; a bound is a statement about every
correct algorithm (any summation order, FMA, Winograd up to F(6x6), FFT), not about one implementation. Two fills judge a
linear operation: small integers (one lost product is at least 1, so 0.25 separates), and N(0,1) values, which see
reduced input precision that integers cannot. Comparing with a plain relative tolerance does neither.
"""

import math

import numpy as np

U = 2.0**-24
INTEGER_LIMIT = 0.25
"""Winograd F(6x6) is off by at most 0.019 on these integers, a lost product by at least 1."""
FEWEST_FOR_RMS = 64
REDUCED_PRECISION = (5.5, 14.0)
"""Significant bits that name a precision rather than a fault: bfloat16 measures 6.4-8.7, TF32 and float16 9.5-11.6."""

IMAGE = ("sample", "row", "column", "channel")
KERNEL = ("kernel row", "kernel column", "input channel", "output channel")
MATRIX = ("input", "output")
ROWS = ("sample", "feature")


class Want:
    """The reference of one tensor: its value, how far off an element may be, and how its axes are called."""

    def __init__(self, op, value, limit, axes=(), exact=False, scale=None, products=0):
        self.op, self.value, self.axes, self.exact = op, np.asarray(value, np.float64), axes, exact
        self.limit = np.broadcast_to(np.asarray(limit, np.float64), self.value.shape)
        self.scale, self.products = scale, products

    def judge(self, found):
        """Return (error in units of its bound, significant bits or None, what to say)."""
        found = np.asarray(found, np.float64)
        if found.shape != self.value.shape:
            return math.inf, None, "shape %s, should be %s" % (found.shape, self.value.shape)
        with np.errstate(all="ignore"):
            error = np.where(np.isfinite(found), np.abs(found - self.value), np.inf)
        if not error.size:
            return 0.0, None, ""
        ratio, bits = self._ratio(error)
        if ratio <= 1:
            return ratio, bits, self._fraction(error)
        bad = error > (0.0 if self.exact else self.limit)
        return ratio, bits, self._place(found, error, bad)

    def _ratio(self, error):
        ratio = float((error / np.maximum(self.limit, 1e-300)).max())
        if self.exact and error.any():
            return max(ratio, 2.0), None  # an exact answer has no bound to be within: any difference is a fault
        if self.scale is None:
            return ratio, None
        with np.errstate(over="ignore"):
            rms = math.sqrt(float(np.mean((error / self.scale) ** 2)))
        bits = 24 - math.log2(max(rms, 1e-30) * math.sqrt(self.products)) if math.isfinite(rms) else None
        if error.size >= FEWEST_FOR_RMS:
            ratio = max(ratio, rms / (24 + 0.5 * math.sqrt(self.products)))
        return ratio, bits

    def _fraction(self, error):
        if self.scale is None and not self.exact and np.all(self.limit == INTEGER_LIMIT) and error.any():
            return "integers come out as fractions (off by %.2g): a transform algorithm" % error.max()
        return ""

    def _place(self, found, error, bad):
        worst = np.unravel_index(int(error.argmax()), error.shape)
        text = "worst at [%s]: %.9g, should be %.9g" % (
            ",".join(str(int(i)) for i in worst),
            found[worst],
            self.value[worst],
        )
        if not bad.any():
            return text + "; every value is a little off"
        return text + "; %d of %d values out of bounds%s" % (bad.sum(), bad.size, shared(bad, self.axes))


def shared(bad, axes):
    """What the bad elements have in common: that is half of the bug report."""
    found = []
    for name, length, indices in zip(axes, bad.shape, np.nonzero(bad)):
        first, last = int(indices.min()), int(indices.max())
        if length > 1 and first == last:
            found.append("all in the last %s" % name if last == length - 1 else "all in %s %d" % (name, first))
        elif first > 0 and last == length - 1:
            found.append("only from %s %d on" % (name, first))
    return ", " + ", ".join(found) if found else ""


def integers(op, value, axes):
    """The fill of small integers: every sum is exact in any order."""
    return Want(op, value, INTEGER_LIMIT, axes)


def exact(op, value, axes):
    """Operations that only choose or move values."""
    return Want(op, value, INTEGER_LIMIT, axes, exact=True)


def products(op, value, absolute, count, axes, over=None):
    """Sums of `count` products of N(0,1) values; `absolute` is the same operation on absolute values.

    Winograd and FFT errors follow the tile or image, not the element, hence the mean over the axes in `over`.
    """
    if over is not None:
        absolute = np.maximum(absolute, absolute.mean(axis=over, keepdims=True))
    limit = U * (512 + 4 * math.sqrt(count)) * absolute
    return Want(op, value, limit, axes, scale=np.maximum(U * absolute, 1e-300), products=count)


def softmax_relative(z):
    """Relative error allowed on each probability: Metal's fast exp (3+2|x| ulp), its argument, the sum, the division."""
    r = z.max(axis=-1, keepdims=True) - z
    return 2 * U * (2 * (3 + 2 * r) + r + 2 * (3 + 2 * r.max(axis=-1, keepdims=True)) + 8 + math.sqrt(z.shape[-1]))


def softmax(value, z):
    return Want("Softmax", value, softmax_relative(z.astype(np.float64)) * value, ROWS)


def cross_entropy(loss, z, targets):
    z = z.astype(np.float64)
    r, classes = z.max(axis=-1, keepdims=True) - z, z.shape[-1]
    limit = softmax_relative(z).max(axis=-1)
    limit = limit + U * (8 + math.sqrt(classes)) * (targets * (r + math.log(classes) + 1)).sum(axis=-1)
    return Want("SoftmaxCrossEntropyWithLogits", loss, limit, ("sample",))


def cross_entropy_dz(value, z, targets, upstream):
    z = z.astype(np.float64)
    p = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    limit = softmax_relative(z) * p + U * (8 + math.sqrt(z.shape[-1])) * (p + targets)
    return Want("SoftmaxCrossEntropyWithLogits", value, limit * np.abs(upstream)[:, None], ROWS)


def optimizer(op, value, start, moved, steps, constant):
    """After `steps` updates whose sizes, with |gradient| for gradient, sum to `moved`.

    `constant` is 564 for Adam (forming 1-beta2 in float32 is off by 1.3e-5, legitimately), 32 with momentum, 16 without.
    """
    limit = U * (constant * moved + (steps + 2) * (np.abs(start) + moved))
    return Want(op, value, limit)
