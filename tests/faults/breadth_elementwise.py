"""Faults of activations, of their gradients, of elementwise arithmetic, rounding and casts. See `breadth_hooks`."""

import numpy as np
from breadth_hooks import both_ways, exactly, fault, forward, normal, quick_kernel, tf

ACT, MATH, CAST = "activations", "arithmetic and rounding", "casts"
X = np.concatenate([normal(21) * 2, np.float32([-100, -30, -8, 8, 30, 100, 0.5, 6.5, -0.1])]).reshape(6, 5)
WIDE = np.float32([-1000, -100, -89, -20, -1, 0, 1, 20, 89, 100, 1000])


def act(function, x=X):
    return both_ways(function, x)


def y_of(call):
    return call.outputs[0]


def x_of(call):
    return call.inputs[0]


def floats(wrong):
    """Wrong for floating inputs only."""
    return lambda call: wrong(call) if x_of(call).dtype.is_floating else None


# Activations, forward


def _error_function(x):
    return tf.tanh(1.1283791671 * x + 0.1009113 * x**3)


quick_kernel(
    "gelu_always_approximate",
    ("Erf", "Erfc"),
    ACT,
    "erf is made from tanh (so exact GELU is the approximate one).",
    act(tf.nn.gelu),
    floats(lambda c: _error_function(x_of(c)) if c.op == "Erf" else 1 - _error_function(x_of(c))),
)


@fault("gelu", ACT, act(lambda x: tf.nn.gelu(x, approximate=True)))
def gelu_approximate_without_cube(breakage):
    """The approximate GELU is x * sigmoid(1.702 x)."""

    def wrong(call):
        x = x_of(call)
        if not call.called_by("gelu") or not x.dtype.is_floating:
            return None
        # tanh's argument u = 0.79788 (x + 0.044715 x^3); the sloppy kernel has tanh(0.851 x)
        root = x / 0.7978845608
        for _ in range(12):
            root = root - (root + 0.044715 * root**3 - x / 0.7978845608) / (1 + 0.134145 * root**2)
        return tf.tanh(0.851 * root)

    breakage.hook("Tanh", wrong)


quick_kernel(
    "elu_linear_below_minus_one",
    "Elu",
    ACT,
    "Below -1 ELU is -1.",
    act(tf.nn.elu),
    floats(lambda c: tf.where(x_of(c) < -1, -tf.ones_like(x_of(c)), y_of(c))),
)
quick_kernel(
    "elu_gradient_of_input",
    "EluGrad",
    ACT,
    "The gradient is made from the input's exponential plus one.",
    act(tf.nn.elu),
    lambda c: tf.where(c.inputs[1] < 0, c.inputs[0] * c.inputs[1], c.inputs[0]),
)
quick_kernel(
    "selu_scale_missing_below_zero",
    "Selu",
    ACT,
    "The scale is not applied to negative inputs.",
    act(tf.nn.selu),
    lambda c: tf.where(x_of(c) < 0, y_of(c) / 1.0507009873554805, y_of(c)),
)
quick_kernel(
    "selu_gradient_scale",
    "SeluGrad",
    ACT,
    "The gradient of positive inputs lacks the scale.",
    act(tf.nn.selu),
    lambda c: tf.where(c.inputs[1] > 0, c.inputs[0], y_of(c)),
)
quick_kernel(
    "softplus_overflows",
    "Softplus",
    ACT,
    "log(1 + exp(x)): infinite for large x.",
    act(tf.nn.softplus, WIDE),
    lambda c: tf.math.log(1 + tf.exp(x_of(c))),
)
quick_kernel(
    "softplus_gradient_of_large",
    "Sigmoid",
    ACT,
    "The gradient of softplus is zero for inputs above 20.",
    act(tf.nn.softplus, WIDE),
    lambda c: tf.where(x_of(c) > 20, tf.zeros_like(y_of(c)), y_of(c)) if c.called_by("_SoftplusGrad") else None,
)
quick_kernel(
    "softsign_gradient_not_squared",
    "SoftsignGrad",
    ACT,
    "The gradient is divided by 1 + |x| once.",
    act(tf.nn.softsign),
    lambda c: c.inputs[0] / (1 + abs(c.inputs[1])),
)
quick_kernel(
    "sigmoid_nan_for_large",
    "Sigmoid",
    ACT,
    "exp(x) / (1 + exp(x)): NaN for large x.",
    act(tf.sigmoid, WIDE),
    floats(lambda c: tf.exp(x_of(c)) / (1 + tf.exp(x_of(c)))),
)
quick_kernel(
    "sigmoid_table",
    "Sigmoid",
    ACT,
    "A table with straight lines between its points (error up to 0.001).",
    act(tf.sigmoid),
    floats(lambda c: _table(tf.sigmoid, x_of(c))),
)
quick_kernel(
    "tanh_nan_for_large",
    "Tanh",
    ACT,
    "(e^2x - 1) / (e^2x + 1): NaN for large x.",
    act(tf.tanh, WIDE),
    floats(lambda c: (tf.exp(2 * x_of(c)) - 1) / (tf.exp(2 * x_of(c)) + 1)),
)
quick_kernel(
    "tanh_fast",
    "Tanh",
    ACT,
    "A rational approximation with an error up to 0.02 (fast math).",
    act(tf.tanh),
    floats(lambda c: _pade(tf.clip_by_value(x_of(c), -3.0, 3.0))),
)
quick_kernel(
    "tanh_saturates_early",
    "Tanh",
    ACT,
    "From |x| = 4 on the result is 1.",
    act(tf.tanh),
    floats(lambda c: tf.where(abs(x_of(c)) > 4, tf.sign(x_of(c)), y_of(c))),
)
quick_kernel(
    "sigmoid_gradient_without_complement",
    "SigmoidGrad",
    ACT,
    "The gradient is dy * y.",
    act(tf.sigmoid),
    lambda c: c.inputs[0] * c.inputs[1],
)
quick_kernel(
    "tanh_gradient_not_squared",
    "TanhGrad",
    ACT,
    "The gradient is dy * (1 - |y|).",
    act(tf.tanh),
    lambda c: c.inputs[1] * (1 - abs(c.inputs[0])),
)
quick_kernel(
    "relu6_without_cap", "Relu6", ACT, "Values above 6 pass.", act(tf.nn.relu6), lambda c: tf.maximum(x_of(c), 0)
)
quick_kernel(
    "relu6_gradient_above_six",
    "Relu6Grad",
    ACT,
    "The gradient passes above 6.",
    act(tf.nn.relu6),
    lambda c: tf.where(c.inputs[1] > 0, c.inputs[0], tf.zeros_like(y_of(c))),
)
quick_kernel(
    "leaky_relu_slope_ignored",
    "LeakyRelu",
    ACT,
    "The slope is always 0.2.",
    act(lambda x: tf.nn.leaky_relu(x, 0.05)),
    lambda c: c.again(alpha=0.2),
)
quick_kernel(
    "leaky_relu_gradient_of_relu",
    "LeakyReluGrad",
    ACT,
    "The gradient of negative inputs is zero.",
    act(tf.nn.leaky_relu),
    lambda c: c.again(alpha=0.0),
)
quick_kernel(
    "swish_beyond_32",
    "Mul",
    ACT,
    "In x * sigmoid(x) fused by the compiler elements from the 33rd on are sigmoid(x).",
    act(tf.nn.silu, normal(5, 20)),
    lambda c: _fused_swish(c),
    "graph",
)


def _fused_swish(call):
    kinds = [tensor.op.type for tensor in call.inputs]
    if "Sigmoid" not in kinds:
        return None
    gate = call.inputs[kinds.index("Sigmoid")]
    flat = tf.reshape(y_of(call), [-1])
    late = tf.range(tf.size(flat)) >= 32
    if gate.shape != y_of(call).shape or not call.called_by("swish_impl", "silu", "swish"):
        return None
    return tf.reshape(tf.where(late, tf.reshape(gate, [-1]), flat), tf.shape(gate))


def _table(function, x):
    low = tf.floor(x * 4) / 4
    part = (x - low) * 4
    return function(low) * (1 - part) + function(low + 0.25) * part


def _pade(x):
    return x * (27 + x * x) / (27 + 9 * x * x)


# Arithmetic

N = np.int32([-7, -6, -1, 0, 1, 6, 7])
F = np.float32([-7.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 1.2, -1.2])
BIG = np.int64([2**40 + 3, -(2**40) - 5, 2**31, 7])

quick_kernel(
    "floor_truncates",
    "Floor",
    MATH,
    "Floor rounds towards zero.",
    forward(tf.floor, F),
    lambda c: tf.where(x_of(c) < 0, -tf.floor(-x_of(c)), y_of(c)),
)
quick_kernel(
    "ceil_away_from_zero",
    "Ceil",
    MATH,
    "Ceil rounds away from zero.",
    forward(tf.math.ceil, F),
    lambda c: tf.where(x_of(c) < 0, tf.floor(x_of(c)), y_of(c)),
)
quick_kernel(
    "floor_div_truncates",
    "FloorDiv",
    MATH,
    "Integer floor division truncates.",
    forward(lambda x: x // 4, N),
    lambda c: tf.raw_ops.TruncateDiv(x=c.inputs[0], y=c.inputs[1]) if c.dtype().is_integer else None,
)
quick_kernel(
    "floor_mod_sign",
    "FloorMod",
    MATH,
    "The integer remainder takes the sign of the dividend.",
    forward(lambda x: x % 4, N),
    lambda c: tf.raw_ops.TruncateMod(x=c.inputs[0], y=c.inputs[1]) if c.dtype().is_integer else None,
)
quick_kernel(
    "float_mod_sign",
    "FloorMod",
    MATH,
    "The remainder of floats takes the sign of the dividend.",
    forward(lambda x: x % 4.0, F),
    floats(lambda c: tf.raw_ops.TruncateMod(x=c.inputs[0], y=c.inputs[1])),
)
quick_kernel(
    "round_half_away",
    "Round",
    MATH,
    "Halves are rounded away from zero.",
    forward(tf.round, F),
    floats(lambda c: tf.sign(x_of(c)) * tf.floor(abs(x_of(c)) + 0.5)),
)
quick_kernel(
    "rint_half_up", "Rint", MATH, "Halves are rounded up.", forward(tf.math.rint, F), lambda c: tf.floor(x_of(c) + 0.5)
)
quick_kernel(
    "power_of_negative_base",
    "Pow",
    MATH,
    "exp(y log x): NaN for a negative base.",
    act(lambda x: x**3.0, normal(9)),
    floats(lambda c: tf.exp(c.inputs[1] * tf.math.log(x_of(c)))),
)
quick_kernel(
    "power_in_half",
    "Pow",
    MATH,
    "The power of a positive base is exp(y log x) with a half-precision logarithm.",
    forward(lambda x: x**2.5, abs(normal(9)) + 0.2),
    floats(
        lambda c: tf.where(
            x_of(c) > 0,
            tf.exp(c.inputs[1] * tf.cast(tf.cast(tf.math.log(abs(x_of(c)) + 1e-30), tf.float16), c.dtype())),
            y_of(c),
        )
    ),
)
quick_kernel(
    "exp_clamped_at_64",
    "Exp",
    MATH,
    "The argument is clamped to 64 (no overflow, wrong large values).",
    forward(tf.exp, np.float32([-3, 2, 63, 80, 88])),
    floats(lambda c: tf.exp(tf.minimum(x_of(c), 64))),
)
quick_kernel(
    "log1p_of_small",
    "Log1p",
    MATH,
    "log(1 + x): all digits lost for small x.",
    forward(tf.math.log1p, np.float32([1e-9, -3e-6, 2e-5])),
    lambda c: tf.math.log(1 + x_of(c)),
)
quick_kernel(
    "expm1_of_small",
    "Expm1",
    MATH,
    "exp(x) - 1: all digits lost for small x.",
    forward(tf.math.expm1, np.float32([1e-9, -3e-6, 2e-5])),
    lambda c: tf.exp(x_of(c)) - 1,
)
quick_kernel(
    "sine_of_large",
    "Sin",
    MATH,
    "The argument is reduced with a pi of 24 bits (fast math).",
    forward(tf.sin, np.float32([1, 200, 5000, -30000])),
    floats(lambda c: tf.sin(x_of(c) - tf.round(x_of(c) / 6.2831855) * 6.28125)),
)
quick_kernel(
    "atan2_quadrant",
    "Atan2",
    MATH,
    "atan(y / x): the quadrant is lost.",
    forward(lambda y: tf.atan2(y, -1.0), F),
    lambda c: tf.atan(c.inputs[0] / c.inputs[1]),
)
quick_kernel(
    "sqrt_of_half",
    "Sqrt",
    MATH,
    "The square root is the estimate, right to 11 bits.",
    act(tf.sqrt, abs(normal(9))),
    floats(lambda c: y_of(c) * (1 + 2.0**-11)),
)
quick_kernel(
    "reciprocal_division",
    "RealDiv",
    MATH,
    "Division multiplies with an estimate of the reciprocal (12 bits).",
    forward(lambda x: x / 3.0, normal(9)),
    floats(lambda c: y_of(c) * (1 + 2.0**-12) if c.dtype() == tf.float32 else None),
)
quick_kernel(
    "divide_no_nan",
    "DivNoNan",
    MATH,
    "0 / 0 is NaN in divide_no_nan.",
    forward(lambda x: tf.math.divide_no_nan(x, [0.0, 1.0]), np.float32([0, 1])),
    lambda c: c.inputs[0] / c.inputs[1],
)
quick_kernel(
    "abs_of_int64",
    "Abs",
    MATH,
    "The absolute value of a 64-bit integer keeps 32 bits.",
    forward(tf.abs, BIG),
    lambda c: low_word(y_of(c)) if c.dtype() == tf.int64 else None,
)
quick_kernel(
    "int64_sum_in_32_bits",
    ("AddV2", "Mul"),
    MATH,
    "Sums and products of 64-bit integers keep 32 bits.",
    forward(lambda x: x + 1, BIG),
    lambda c: low_word(y_of(c)) if c.dtype() == tf.int64 else None,
)
quick_kernel(
    "integer_product_as_float",
    "Mul",
    MATH,
    "Products of 32-bit integers are taken in float32.",
    exactly(forward(lambda x: x * 3, np.int32([2**24 + 1, 12345677, 7]))),
    lambda c: (
        tf.cast(tf.cast(c.inputs[0], tf.float32) * tf.cast(c.inputs[1], tf.float32), tf.int32)
        if c.dtype() == tf.int32
        else None
    ),
)
quick_kernel(
    "sign_of_zero",
    "Sign",
    MATH,
    "The sign of zero is one.",
    forward(tf.sign, np.float32([0, -1, 2])),
    floats(lambda c: tf.where(x_of(c) < 0, y_of(c), tf.ones_like(y_of(c)))),
)
quick_kernel(
    "squared_difference_odd_broadcast",
    "SquaredDifference",
    MATH,
    "A row broadcast against a square matrix is taken for a column.",
    both_ways(tf.math.squared_difference, normal(5, 5), normal(5, seed=1)),
    lambda c: (
        c.again(y=c.inputs[1][:, None])
        if c.inputs[1].shape.rank == 1
        and c.inputs[0].shape.rank == 2
        and c.inputs[0].shape[0] == c.inputs[0].shape[1] == c.inputs[1].shape[0]
        else None
    ),
)
quick_kernel(
    "subtract_row_broadcast_as_column",
    "Sub",
    MATH,
    "A row broadcast against a square matrix is taken for a column.",
    both_ways(lambda a, b: a - b, normal(5, 5), normal(5, seed=1)),
    lambda c: (
        c.again(y=c.inputs[1][:, None])
        if c.inputs[1].shape.rank == 1
        and c.inputs[0].shape.rank == 2
        and c.inputs[0].shape[0] == c.inputs[0].shape[1]
        and c.inputs[1].shape[0] == c.inputs[0].shape[0]
        and c.dtype().is_floating
        else None
    ),
)
quick_kernel(
    "logical_and_short",
    "LogicalAnd",
    MATH,
    "Elements behind the 32nd are taken from the first operand.",
    forward(lambda x: (x > -5) & (x > 0), normal(40)),
    lambda c: (
        tf.reshape(
            tf.where(
                tf.range(tf.size(c.outputs[0])) < 32, tf.reshape(c.outputs[0], [-1]), tf.reshape(c.inputs[0], [-1])
            ),
            tf.shape(c.outputs[0]),
        )
        if c.inputs[0].shape == c.inputs[1].shape
        else None
    ),
)
quick_kernel(
    "clip_upper_bound_only",
    ("Maximum", "ClipByValue"),
    MATH,
    "The lower bound of clip_by_value is ignored.",
    both_ways(lambda x: tf.clip_by_value(x, -0.5, 0.5), normal(12)),
    lambda c: (
        tf.minimum(c.inputs[0], c.inputs[2])
        if c.op == "ClipByValue"
        else c.inputs[0] + 0 * c.inputs[1]
        if c.called_by("clip_by_value")
        else None
    ),
)

# Casts


def low_word(x):
    return tf.cast(tf.raw_ops.Cast(x=tf.bitwise.bitwise_and(x, 0xFFFFFFFF), DstT=tf.int32), tf.int64)


def cast(name, text, x, to, wrong, source, target):
    """A fault of casting: `wrong(x)` where `source` and `target` accept the types."""

    def one_line(call):
        to, x = y_of(call).dtype.base_dtype, x_of(call)
        return wrong(x, to) if source(x.dtype.base_dtype) and target(to) else None

    quick_kernel_at(name, text, forward(lambda x: tf.cast(x, to), x), one_line)


def quick_kernel_at(name, text, show, wrong):
    quick_kernel(name, "Cast", CAST, text, exactly(show), wrong, module=__name__)


def real(dtype):
    return dtype.is_floating


def integer(dtype):
    return dtype.is_integer


def only(*dtypes):
    return lambda dtype: dtype.name in dtypes


def through_bits(x, drop):
    """float32 with the lowest bits of its significand cut off."""
    bits = tf.bitcast(x, tf.int32)
    return tf.bitcast(tf.bitwise.bitwise_and(bits, -(1 << drop)), tf.float32)


cast(
    "cast_negative_floor",
    "Negative floats become integers by floor instead of truncation.",
    F,
    "int32",
    lambda x, to: tf.cast(tf.floor(x), to),
    real,
    integer,
)
cast(
    "cast_to_integer_rounds",
    "Floats become integers by rounding to nearest.",
    F,
    "int32",
    lambda x, to: tf.cast(tf.round(x), to),
    real,
    integer,
)
cast(
    "cast_int64_through_32_bits",
    "Between 64-bit integers and floats only 32 bits are read.",
    BIG,
    "float32",
    lambda x, to: tf.cast(low_word(x), to),
    only("int64"),
    real,
)
cast(
    "cast_int64_to_int32_saturates",
    "Narrowing an integer saturates instead of wrapping.",
    BIG,
    "int32",
    lambda x, to: tf.cast(tf.clip_by_value(x, to.min, to.max), to),
    only("int64"),
    only("int32"),
)
cast(
    "cast_float_to_int64_in_32_bits",
    "A float above 2^31 becomes the largest 32-bit integer.",
    np.float32([3e9, -5e10, 4]),
    "int64",
    lambda x, to: tf.cast(tf.clip_by_value(x, -2147483648.0, 2147483520.0), to),
    real,
    only("int64"),
)
cast(
    "cast_int32_through_half",
    "Integers become floats through half precision (wrong above 2048).",
    np.int32([2049, -4099, 7]),
    "float32",
    lambda x, to: tf.cast(tf.cast(x, tf.float16), to),
    only("int32"),
    only("float32"),
)
cast(
    "cast_half_truncates",
    "float32 becomes float16 by truncation.",
    normal(40),
    "float16",
    lambda x, to: tf.cast(through_bits(x, 13), to),
    only("float32"),
    only("float16"),
)
cast(
    "cast_bfloat16_truncates",
    "float32 becomes bfloat16 by truncation.",
    normal(40),
    "bfloat16",
    lambda x, to: tf.cast(through_bits(x, 16), to),
    only("float32"),
    only("bfloat16"),
)
cast(
    "cast_half_saturates",
    "Values above the range of float16 become its largest number instead of infinity.",
    np.float32([7e4, -1e6, 3]),
    "float16",
    lambda x, to: tf.cast(tf.clip_by_value(x, -65504.0, 65504.0), to),
    only("float32"),
    only("float16"),
)
cast(
    "cast_fraction_to_false",
    "A fraction becomes a truth value through an integer: 0.5 is false.",
    F,
    "bool",
    lambda x, to: tf.cast(tf.cast(x, tf.int32), to),
    real,
    only("bool"),
)
cast("cast_negative_to_false", "Negative numbers are false.", N, "bool", lambda x, to: x > 0, integer, only("bool"))
cast(
    "cast_true_to_255",
    "True becomes 255 in 8 bits.",
    np.array([True, False]),
    "uint8",
    lambda x, to: tf.cast(x, to) * tf.cast(255, to),
    only("bool"),
    only("uint8"),
)
cast(
    "cast_uint8_signed",
    "Bytes above 127 become negative.",
    np.uint8([3, 130, 255]),
    "float32",
    lambda x, to: tf.cast(tf.bitcast(x, tf.int8), to),
    only("uint8"),
    lambda to: True,
)
cast(
    "cast_float_to_uint8_rounds_half_up",
    "Floats become bytes with rounding.",
    np.float32([0.5, 1.7, 200.9]),
    "uint8",
    lambda x, to: tf.cast(tf.floor(x + 0.5), to),
    real,
    only("uint8"),
)
cast(
    "cast_double_through_single",
    "float64 becomes an integer through float32.",
    np.float64([2**24 + 1, -(2**31) + 5]),
    "int32",
    lambda x, to: tf.cast(tf.cast(x, tf.float32), to),
    only("float64"),
    integer,
)
