"""Losses in NumPy float64, each with its gradient and how far off either may be in float32.

Fast exponentials and logarithms as in `functions`; z are logits of (samples, classes), all values float64.
"""

import math

import numpy as np

from battery.bounds import softmax_relative
from battery.references.functions import LOG, exp_error, exp_relative, sigmoid, sigmoid_error
from battery.references.neural import softmax
from battery.wants import U


def sigmoid_cross_entropy(z, t):
    """max(z, 0) - z t + log(1 + exp(-|z|)), and its slope sigmoid(z) - t."""
    value = np.maximum(z, 0) - z * t + np.log1p(np.exp(-abs(z)))
    limit = 8 * U * (np.maximum(z, 0) + abs(z * t)) + LOG + exp_error(-abs(z))
    return value, limit, sigmoid(z) - t, sigmoid_error(-abs(z)) + 2 * U * (1 + abs(t))


def log_softmax(z, upstream):
    """The value, its limit, the gradient and its limit; a fast exp's error counts by its share of the sum."""
    r, classes = z.max(axis=-1, keepdims=True) - z, z.shape[-1]
    p, total = softmax(z), np.exp(-r).sum(axis=-1, keepdims=True)
    of_sum = (p * exp_relative(r)).sum(axis=-1, keepdims=True) + U * (8 + math.sqrt(classes))
    largest = abs(z.max(axis=-1, keepdims=True))  # z - (max + log(sum)) is as good a way as (z - max) - log(sum)
    limit = of_sum + LOG + 12 * U * math.log(classes) + 8 * U * (r + math.log(classes)) + 4 * U * largest
    summed, size = upstream.sum(axis=-1, keepdims=True), abs(upstream).sum(axis=-1, keepdims=True)
    rounding = U * (8 + math.sqrt(classes))
    off = (softmax_relative(z) + limit) * p * abs(summed) + rounding * (abs(upstream) + p * size)
    return -r - np.log(total), limit, upstream - p * summed, off


def softmax_gradient(z, upstream):
    """p (dy - sum p dy), and its limit: the error of p goes in twice."""
    p, off = softmax(z), softmax_relative(z)
    inner, size = (p * upstream).sum(axis=-1, keepdims=True), (p * abs(upstream)).sum(axis=-1, keepdims=True)
    spread = (off * p * abs(upstream)).sum(axis=-1, keepdims=True) + U * (8 + math.sqrt(z.shape[-1])) * size
    return p * (upstream - inner), off * p * abs(upstream - inner) + p * (spread + 4 * U * (abs(upstream) + size))


class Loss:
    """A loss of x and targets t, a row each: `value` and `slope` per element, `error` and `slope_error` absolute.

    The loss is the sum over the row, or the mean.
    """

    def __init__(self, op, code, value, slope, error, slope_error, mean=False):
        self.op, self.code, self.value, self.slope = op, code, value, slope
        self.error, self.slope_error, self.mean = error, slope_error, mean

    def of(self, x, t, upstream):
        """Loss of each row, its limit, the gradient of x and its limit."""
        share = upstream[:, None] / (x.shape[1] if self.mean else 1)
        each, rounding = self.value(x, t), U * (8 + math.sqrt(x.shape[1]))
        over = 1.0 / x.shape[1] if self.mean else 1.0
        limit = over * (self.error(x, t) + rounding * abs(each)).sum(axis=1)
        slope = self.slope(x, t)
        return over * each.sum(axis=1), limit, share * slope, abs(share) * (self.slope_error(x, t) + 8 * U * abs(slope))


def close(x, t):
    return abs(x - t) <= 1


def log_size(x):
    return LOG + 12 * U * abs(np.log(x))


LOSSES = {
    "mse": Loss(
        "SquaredDifference", "tf.reduce_mean(tf.math.squared_difference(x, t), axis=-1)",
        lambda x, t: (x - t) ** 2, lambda x, t: 2 * (x - t), lambda x, t: 8 * U * (x - t) ** 2, lambda x, t: 0 * x, mean=True,
    ),
    "mae": Loss(
        "Abs", "tf.reduce_mean(tf.abs(x - t), axis=-1)",
        lambda x, t: abs(x - t), lambda x, t: np.sign(x - t), lambda x, t: 4 * U * abs(x - t), lambda x, t: 0 * x, mean=True,
    ),
    "huber": Loss(
        "Select", "tf.reduce_mean(tf.where(tf.abs(x - t) <= 1.0, 0.5 * tf.square(x - t), tf.abs(x - t) - 0.5), axis=-1)",
        lambda x, t: np.where(close(x, t), 0.5 * (x - t) ** 2, abs(x - t) - 0.5),
        lambda x, t: np.where(close(x, t), x - t, np.sign(x - t)),
        lambda x, t: 8 * U * (1 + abs(x - t)), lambda x, t: 4 * U * (1 + abs(x - t)), mean=True,
    ),
    "kl": Loss(
        "Log", "tf.reduce_sum(t * tf.math.log(t / x), axis=-1)",
        lambda x, t: t * np.log(t / x), lambda x, t: -t / x, lambda x, t: t * (log_size(t / x) + 16 * U), lambda x, t: 32 * U * t / x,
    ),
    "binary": Loss(
        "Log", "-tf.reduce_mean(t * tf.math.log(x + 1e-7) + (1.0 - t) * tf.math.log(1.0 - x + 1e-7), axis=-1)",
        lambda x, t: -t * np.log(x + 1e-7) - (1 - t) * np.log(1 - x + 1e-7),
        lambda x, t: -t / (x + 1e-7) + (1 - t) / (1 - x + 1e-7),
        lambda x, t: t * (log_size(x) + 8 * U) + (1 - t) * (log_size(1 - x) + 8 * U / (1 - x)),
        lambda x, t: 32 * U * (t / x + (1 - t) / (1 - x) ** 2), mean=True,
    ),
}  # fmt: skip
"""As Keras's losses are defined, written with TensorFlow's functions."""
