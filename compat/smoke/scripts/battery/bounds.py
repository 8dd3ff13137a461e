"""How far a right answer may be from the float64 reference: one bound per kind of operation.

A bound is a statement about every correct algorithm (any summation order, FMA, Winograd up to F(6x6), FFT, fast division
and exponential, flushed denormals), not about one implementation. Two fills judge a linear operation: small integers
(one lost product is at least 1, so 0.25 separates), and N(0,1) values, which see reduced input precision that integers
cannot. Comparing with a plain relative tolerance does neither.
"""

import math

import numpy as np

from battery.wants import INTEGER_LIMIT, ROWS, U, Want

REDUCED_PRECISION = (5.5, 14.0)
"""Significant bits that name a precision rather than a fault: bfloat16 measures 6.4-8.7, TF32 and float16 9.5-11.6."""


def integers(op, value, axes=()):
    """The fill of small integers: every sum is exact in any order."""
    return Want(op, value, INTEGER_LIMIT, axes)


def exact(op, value, axes=()):
    """Operations that only choose, move or count values."""
    return Want(op, value, INTEGER_LIMIT, axes, exact=True)


def products(op, value, absolute, count, axes=(), over=None):
    """Sums of `count` products of N(0,1) values; `absolute` is the same operation on absolute values.

    Winograd and FFT errors follow the tile or image, not the element, hence the mean over the axes in `over`.
    """
    if over is not None:
        absolute = np.maximum(absolute, absolute.mean(axis=over, keepdims=True))
    limit = U * (512 + 4 * math.sqrt(count)) * absolute
    return Want(op, value, limit, axes, scale=np.maximum(U * absolute, 1e-300), products=count)


def relative(op, value, units, axes=(), floor=0.0):
    """Within `units` of u relative to each value, and `floor` (absolute, in the value's own units) besides."""
    return Want(op, value, units * U * np.abs(value) + floor, axes)


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
