"""Basic mathematics in the same form as activations, each with the interval its arguments are drawn from."""

import math

import numpy as np

from battery.references.functions import ERF, LOG, TURN, Function, erf, exp_error, exp_relative, times
from battery.wants import U

BELL = 2 / math.sqrt(math.pi)


def log_error(x):
    """Absolute within [0.5, 2], 3 ulp elsewhere; doubled."""
    return np.where((x >= 0.5) & (x <= 2), LOG, 12 * U * abs(np.log(x)))


def bell(x):
    """The slope of erf."""
    return BELL * np.exp(-x * x)


def constant(size):
    return lambda x: size + 0 * x


def power_relative(x, w):
    """exp2(w * log2(x)): the logarithm's error grows by the exponent."""
    return abs(w) * log_error(x) + exp_relative(w * np.log(x))


UNARY = {
    "exp": (Function("Exp", "Exp", "tf.exp(%s)", np.exp, np.exp, exp_error), (-20, 20)),
    "log": (Function("Log", "Reciprocal", "tf.math.log(%s)", np.log, lambda x: 1 / x, log_error, times(8, lambda x: 1 / x)), (1e-3, 50)),
    "log1p": (
        Function(
            "Log1p", "Reciprocal", "tf.math.log1p(%s)", np.log1p, lambda x: 1 / (1 + x),
            lambda x: LOG + 12 * U * abs(np.log1p(x)), times(16, lambda x: 1 / (1 + x)),
        ),
        (-0.9, 20),
    ),
    "expm1": (Function("Expm1", "Exp", "tf.math.expm1(%s)", np.expm1, np.exp, lambda x: exp_error(x) + 8 * U, exp_error), (-20, 20)),
    "sqrt": (
        Function(
            "Sqrt", "SqrtGrad", "tf.sqrt(%s)", np.sqrt, lambda x: 0.5 * x**-0.5,
            times(12, np.sqrt), times(24, lambda x: 0.5 * x**-0.5),
        ),
        (1e-3, 1e3),
    ),
    "rsqrt": (
        Function(
            "Rsqrt", "RsqrtGrad", "tf.math.rsqrt(%s)", lambda x: x**-0.5, lambda x: -0.5 * x**-1.5,
            times(8, lambda x: x**-0.5), times(32, lambda x: 0.5 * x**-1.5),
        ),
        (1e-3, 1e3),
    ),
    "square": (Function("Square", "Mul", "tf.square(%s)", np.square, lambda x: 2 * x, times(4, np.square), times(4, lambda x: 2 * x)), (-20, 20)),
    "cube": (
        Function(
            "Pow", "Pow", "%s ** 3.0", lambda x: x**3, lambda x: 3 * x * x,
            lambda x: power_relative(x, 3) * x**3, lambda x: 3 * (power_relative(x, 2) + 8 * U) * x * x,
        ),
        (0.1, 20),
    ),
    "abs": (Function("Abs", "Sign", "tf.abs(%s)", np.abs, np.sign), (-20, 20)),
    "erf": (
        Function(
            "Erf", "Exp", "tf.math.erf(%s)", erf, bell, constant(ERF), lambda x: (exp_relative(x * x) + 8 * U) * bell(x)
        ),
        (-4, 4),
    ),
    "sin": (Function("Sin", "Cos", "tf.sin(%s)", np.sin, np.cos, constant(TURN)), (-math.pi, math.pi)),
    "cos": (Function("Cos", "Sin", "tf.cos(%s)", np.cos, lambda x: -np.sin(x), constant(TURN)), (-math.pi, math.pi)),
}  # fmt: skip
"""Name -> (function, interval)."""


class Binary:
    """An operation of two arguments; `partials` are its derivatives, `error` and `partial_errors` absolute bounds."""

    def __init__(self, op, code, value, partials, error, partial_errors):
        self.op, self.code, self.value, self.partials = op, code, value, partials
        self.error, self.partial_errors = error, partial_errors


def units(count, value):
    return lambda x, w: count * U * abs(value(x, w))


def log_of(x, w):
    return x**w * np.log(x)


BINARY = {
    "add": Binary("AddV2", "x + w", lambda x, w: x + w, (lambda x, w: 1 + 0 * x * w,) * 2, units(4, lambda x, w: x + w), (units(0, np.add),) * 2),
    "sub": Binary(
        "Sub", "x - w", lambda x, w: x - w, (lambda x, w: 1 + 0 * x * w, lambda x, w: -1 + 0 * x * w),
        units(4, lambda x, w: x - w), (units(0, np.add),) * 2,
    ),
    "mul": Binary(
        "Mul", "x * w", lambda x, w: x * w, (lambda x, w: w + 0 * x, lambda x, w: x + 0 * w),
        units(4, lambda x, w: x * w), (units(4, lambda x, w: w + 0 * x), units(4, lambda x, w: x + 0 * w)),
    ),
    "div": Binary(
        "RealDiv", "x / w", lambda x, w: x / w, (lambda x, w: 1 / w + 0 * x, lambda x, w: -x / w**2),
        units(10, lambda x, w: x / w), (units(12, lambda x, w: 1 / w + 0 * x), units(24, lambda x, w: x / w**2)),
    ),
    "pow": Binary(
        "Pow", "tf.pow(x, w)", lambda x, w: x**w, (lambda x, w: w * x ** (w - 1), log_of),
        lambda x, w: power_relative(x, w) * x**w,
        (
            lambda x, w: (power_relative(x, w - 1) + 8 * U) * abs(w) * x ** (w - 1),
            lambda x, w: (power_relative(x, w) + 8 * U) * abs(log_of(x, w)) + log_error(x) * x**w,
        ),
    ),
}  # fmt: skip
"""x of (rows, columns) and w of (columns,): its gradient is reduced over the rows."""
