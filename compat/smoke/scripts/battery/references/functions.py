"""Elementwise functions: value and slope in NumPy float64, and how far off a correct float32 computation may be.

The bounds follow the Metal Shading Language's table for fast math, the loosest arithmetic in use: exp 3+2|x| ulp, division
2.5 ulp, rsqrt 2 ulp, log 3 ulp or 2^-21 in [0.5, 2], tanh by exp(2x), pow by exp2 and log2; and for sine and cosine the
WebGPU Shading Language's (2^-11 within a half turn). An ulp is 2u; everything is doubled. Where a function may be computed
through another (a sigmoid through tanh, expm1 through exp, log1p through log) the error is absolute near its flat end.
"""

import math

import numpy as np

from battery.wants import U

LOG = 2.0**-20
"""Twice the absolute error of a fast logarithm near 1."""
TURN = 2.0**-10
"""Twice the absolute error of a fast sine or cosine within a half turn."""
TANH, ERF, SIGMOID = 16 * U, 16 * U, 16 * U
"""Absolute: (t - 1) / (t + 1) with t = exp(2x) loses that much near 0; polynomials for erf are as good."""
GELU_SCALE, GELU_CUBE = math.sqrt(2 / math.pi), 0.044715
SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


class Function:
    """`code` computes it of `%s`; `op` and `grad` are TensorFlow's operations; the four others take float64 arrays.

    `error` and `slope_error` are absolute. `kinks` are where the slope jumps, `steepest` bounds the slope and `curve` how
    fast it changes; a function without `error` is piecewise linear and exact wherever its argument is.
    """

    def __init__(self, op, grad, code, value, slope, error=None, slope_error=None, kinks=(), steepest=1.0, curve=1.0):
        self.op, self.grad, self.code, self.value, self.slope = op, grad, code, value, slope
        self.linear = error is None
        self.error, self.slope_error = error or zero, slope_error or error or zero
        self.kinks, self.steepest, self.curve = kinks, steepest, curve


def zero(x):
    return np.zeros_like(x)


def exp_relative(x):
    """Relative error of a fast exp(x), its argument rounded once."""
    return 2 * U * (2 * (3 + 2 * np.abs(x)) + np.abs(x))


def exp_error(x):
    return exp_relative(x) * np.exp(x)


def sigmoid(x):
    """Without overflow at -1000."""
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1.0, e) / (1 + e)


def sigmoid_error(x):
    return SIGMOID + exp_relative(x) * sigmoid(x) * sigmoid(-x)


erf = np.vectorize(math.erf, otypes=[np.float64])


def normal(x):
    """The distribution function of N(0, 1), and its density."""
    return 0.5 * (1 + erf(x / math.sqrt(2))), np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def gelu_slope(x):
    below, density = normal(x)
    return below + x * density


def gelu_slope_error(x):
    below, density = normal(x)
    return ERF + (exp_relative(x * x / 2) + 16 * U) * abs(x) * density + 8 * U * below


def gelu_tanh(x):
    """tanh of the fast GELU, and the slope of its argument."""
    return np.tanh(GELU_SCALE * (x + GELU_CUBE * x**3)), GELU_SCALE * (1 + 3 * GELU_CUBE * x * x)


def fast_gelu_slope(x):
    t, inner = gelu_tanh(x)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner


def fast_gelu_slope_error(x):
    _, inner = gelu_tanh(x)
    return 2 * TANH + abs(x) * inner * 1.5 * TANH


def swish_slope(x):
    return sigmoid(x) * (1 + x * sigmoid(-x))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def bent(x, scale=1.0, alpha=1.0):
    """ELU, and scaled SELU."""
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def bent_slope(x, scale=1.0, alpha=1.0):
    return scale * np.where(x > 0, 1.0, alpha * np.exp(np.minimum(x, 0)))


def bent_error(x):
    return np.where(x > 0, 4 * U * x, exp_error(np.minimum(x, 0)) + 6 * U)


def times(units, value):
    """An error of so many u relative to the value."""
    return lambda x: units * U * np.abs(value(x))


ACTIVATIONS = {
    "none": Function("BiasAdd", "BiasAddGrad", "%s", lambda x: x + 0, np.ones_like),
    "relu": Function("Relu", "ReluGrad", "tf.nn.relu(%s)", lambda x: np.maximum(x, 0), lambda x: 1.0 * (x > 0), kinks=(0,)),
    "relu6": Function(
        "Relu6", "Relu6Grad", "tf.nn.relu6(%s)", lambda x: np.clip(x, 0, 6), lambda x: 1.0 * ((x > 0) & (x < 6)), kinks=(0, 6)
    ),
    "leaky_relu": Function(
        "LeakyRelu", "LeakyReluGrad", "tf.nn.leaky_relu(%s, alpha=0.25)",
        lambda x: np.where(x > 0, x, x / 4), lambda x: np.where(x > 0, 1.0, 0.25), kinks=(0,),
    ),
    "elu": Function("Elu", "EluGrad", "tf.nn.elu(%s)", bent, bent_slope, bent_error, lambda x: bent_error(np.minimum(x, 0))),
    "selu": Function(
        "Selu", "SeluGrad", "tf.nn.selu(%s)",
        lambda x: bent(x, SELU_SCALE, SELU_ALPHA), lambda x: bent_slope(x, SELU_SCALE, SELU_ALPHA),
        lambda x: 2 * bent_error(x), lambda x: 2 * bent_error(np.minimum(x, 0)), kinks=(0,), steepest=1.8, curve=1.8,
    ),
    "tanh": Function(
        "Tanh", "TanhGrad", "tf.nn.tanh(%s)", np.tanh, lambda x: 1 - np.tanh(x) ** 2, lambda x: TANH + 0 * x, lambda x: 3 * TANH + 0 * x,
        curve=0.8,
    ),
    "sigmoid": Function(
        "Sigmoid", "SigmoidGrad", "tf.nn.sigmoid(%s)", sigmoid, lambda x: sigmoid(x) * sigmoid(-x), sigmoid_error,
        steepest=0.25, curve=0.1,
    ),
    "softplus": Function(
        "Softplus", "SoftplusGrad", "tf.nn.softplus(%s)", softplus, sigmoid,
        lambda x: LOG + sigmoid_error(x) + 4 * U * softplus(x), sigmoid_error, curve=0.25,
    ),
    "softsign": Function(
        "Softsign", "SoftsignGrad", "tf.nn.softsign(%s)", lambda x: x / (1 + abs(x)), lambda x: (1 + abs(x)) ** -2.0,
        times(12, lambda x: x / (1 + abs(x))), times(24, lambda x: (1 + abs(x)) ** -2.0), curve=2.0,
    ),
    "gelu": Function(
        "Erf", "Erf", "tf.nn.gelu(%s, approximate=False)", lambda x: x * normal(x)[0], gelu_slope,
        lambda x: abs(x) * ERF + 8 * U * abs(x * normal(x)[0]), gelu_slope_error, steepest=1.2, curve=0.8,
    ),
    "gelu_tanh": Function(
        "Tanh", "TanhGrad", "tf.nn.gelu(%s, approximate=True)", lambda x: 0.5 * x * (1 + gelu_tanh(x)[0]), fast_gelu_slope,
        lambda x: abs(x) * 1.5 * TANH, fast_gelu_slope_error, steepest=1.2, curve=0.8,
    ),
    "swish": Function(
        "Sigmoid", "SigmoidGrad", "tf.nn.swish(%s)", lambda x: x * sigmoid(x), swish_slope,
        lambda x: abs(x) * sigmoid_error(x) + 4 * U * abs(x * sigmoid(x)),
        lambda x: (1 + 2 * abs(x)) * sigmoid_error(x) + 8 * U, steepest=1.2, curve=0.5,
    ),
}  # fmt: skip
"""What layers end in. `Relu` and its kind only choose, so that whatever comes in decides about exactness."""
