"""Scaled dot-product attention in NumPy float64, its gradients, and how far rounding may carry through both.

Every limit follows from those of its parts: sums of products by u (512 + 4 sqrt n) times the sum of absolute products, the
softmax by its own bound plus what the scores are off by, which changes a probability by that much relative.
"""

import math

import numpy as np

from battery.bounds import softmax_relative
from battery.references.neural import softmax
from battery.wants import U


def rounding(count):
    return U * (512 + 4 * math.sqrt(count))


def swapped(a):
    return np.swapaxes(a, -1, -2)


class Attention:
    """softmax(scale q k' + mask) v; `limits` is false where the scores are exact, as of small integers."""

    def __init__(self, q, k, v, mask, scale, exact=False):
        self.q, self.k, self.v = (a.astype(np.float64) for a in (q, k, v))
        self.scale = scale
        self.scores = scale * self.q @ swapped(self.k) + mask
        self.p = softmax(self.scores)
        width, keys = q.shape[-1], k.shape[-2]
        off = 0.0 if exact else rounding(width) * scale * abs(self.q) @ swapped(abs(self.k))
        seen = np.where(self.p > 0, off + 4 * U * abs(self.scores), 0.0)
        shown = np.where(self.p > 0, self.scores, self._most(self.scores))  # what is masked is not even small
        self.p_limit = self.p * (softmax_relative(shown) + seen + self._most(seen))
        self.y, self.y_size = self.p @ self.v, self.p @ abs(self.v)
        self.y_limit = self.p_limit @ abs(self.v) + rounding(keys) * self.y_size

    def _most(self, a):
        return a.max(axis=-1, keepdims=True)

    def backward(self, dy):
        """{name: (gradient, limit, its sum of absolute products, their number)}."""
        dy, queries = dy.astype(np.float64), dy.shape[-2]
        ds, ds_limit = self._scores_gradient(dy)
        keys = self.k.shape[-2]
        return {
            "dq": self._product(ds, ds_limit, self.k, self.scale, keys),
            "dk": self._product(swapped(ds), swapped(ds_limit), self.q, self.scale, queries),
            "dv": self._product(swapped(self.p), swapped(self.p_limit), dy, 1.0, queries),
        }

    def _product(self, a, a_limit, b, scale, count):
        size = scale * abs(a) @ abs(b)
        return scale * a @ b, scale * a_limit @ abs(b) + rounding(count) * size, size, count

    def _scores_gradient(self, dy):
        """p (dp - sum p dp) with dp = dy v'."""
        dp, dp_size = dy @ swapped(self.v), abs(dy) @ swapped(abs(self.v))
        dp_limit = rounding(self.v.shape[-1]) * dp_size
        inner = self._sum(self.p * dp)
        inner_limit = self._sum(self.p_limit * abs(dp) + self.p * dp_limit) + 16 * U * self._sum(self.p * abs(dp))
        limit = self.p_limit * abs(dp - inner) + self.p * (dp_limit + inner_limit + 4 * U * (abs(dp) + abs(inner)))
        return self.p * (dp - inner), limit

    def _sum(self, a):
        return a.sum(axis=-1, keepdims=True)
