"""Normalization over any axes in NumPy float64, with the first-order effect of float32 rounding on each result.

The bounds allow statistics in one pass (E[x^2] - E[x]^2) and in any order, a fast rsqrt (2 ulp), and y computed as
x * scale + shift; all is doubled. `x` has its channels last.
"""

import math

import numpy as np

from battery.wants import U


class Normalized:
    """y = gamma (x - mean) / sqrt(variance + epsilon) + beta, its gradients, and the limit of each.

    `axes` are averaged over; given a `mean` and `variance` these are constants (inference), and so exact.
    """

    def __init__(self, x, gamma, beta, axes, epsilon, mean=None, variance=None):
        self.x, self.gamma, self.beta = (a.astype(np.float64) for a in (x, gamma, beta))
        self.axes, self.epsilon, self.trained = axes, epsilon, mean is None
        self.count = int(np.prod([x.shape[axis] for axis in axes]))
        self._statistics(mean, variance)
        self.scale = 1 / np.sqrt(self.variance + epsilon)
        self.unit = (self.x - self.mean) * self.scale
        self.y = self.gamma * self.unit + self.beta
        self._limits()

    def _statistics(self, mean, variance):
        """Both, and how far off they may be: km = 8 + 2 sqrt(m) roundings of sums of m terms."""
        if not self.trained:
            self.mean, self.variance = mean.astype(np.float64), variance.astype(np.float64)
            self.mean_limit = self.variance_limit = 0.0
            return
        self.mean = self.x.mean(axis=self.axes, keepdims=True)
        self.variance = self.x.var(axis=self.axes, keepdims=True)
        each = U * (8 + 2 * math.sqrt(self.count))
        self.mean_limit = 2 * each * abs(self.x).mean(axis=self.axes, keepdims=True)
        self.variance_limit = 8 * each * (self.x**2).mean(axis=self.axes, keepdims=True)

    def _limits(self):
        self.scale_off = 0.5 * self.variance_limit / (self.variance + self.epsilon) + 8 * U
        around = self.scale * (self.mean_limit + 8 * U * (abs(self.x) + abs(self.mean)))
        self.unit_limit = around + abs(self.unit) * self.scale_off
        self.y_limit = abs(self.gamma) * self.unit_limit + 8 * U * (abs(self.gamma * self.unit) + abs(self.beta))

    def bessel(self):
        """The variance as fused batch normalization reports it (m - 1), and its limit."""
        more = self.count / max(self.count - 1, 1)
        return more * self.variance, more * self.variance_limit

    def backward(self, dy):
        """{name: (gradient, limit)} of x, gamma and beta."""
        dy, others = dy.astype(np.float64), tuple(range(self.x.ndim - 1))
        each = 2 * U * (8 + 2 * math.sqrt(np.prod(self.x.shape[:-1])))
        dgamma, dgamma_size = (dy * self.unit).sum(axis=others), abs(dy * self.unit).sum(axis=others)
        return {
            "dx": self._dx(dy * self.gamma),
            "dgamma": (dgamma, (abs(dy) * self.unit_limit).sum(axis=others) + each * dgamma_size),
            "dbeta": (dy.sum(axis=others), each * abs(dy).sum(axis=others)),
        }

    def _dx(self, g):
        if not self.trained:
            dx = self.scale * g
            return dx, abs(dx) * (self.scale_off + 8 * U)
        each = 2 * U * (8 + 2 * math.sqrt(self.count))
        level, tilt = self._mean(g), self._mean(g * self.unit)
        level_off = each * self._mean(abs(g))
        tilt_off = each * self._mean(abs(g * self.unit)) + self._mean(abs(g) * self.unit_limit)
        dx = self.scale * (g - level - self.unit * tilt)
        parts = abs(g) + self._mean(abs(g)) + abs(self.unit) * self._mean(abs(g * self.unit))
        off = level_off + abs(self.unit) * tilt_off + self.unit_limit * abs(tilt) + 8 * U * parts
        return dx, self.scale * off + abs(dx) * self.scale_off + self.scale * self.scale_off * parts

    def _mean(self, a):
        return a.mean(axis=self.axes, keepdims=True)
