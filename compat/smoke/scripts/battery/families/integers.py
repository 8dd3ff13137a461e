"""Whole numbers, logic, rounding and casts: where types end, below zero, past 2^24 and 2^31. All exact."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.values import draw_for, real_numbers

LARGE = 2**24 + 1
"""Not a float32: a device that computes whole numbers in float32 shows here."""


def truncated(a, b):
    """Division that rounds towards 0, for whole numbers."""
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


WHOLE = {
    # name: (type, level, level compiled, ((output, operation, code, NumPy), ...)); a and b are whole numbers, b is not 0
    "division_int32": (
        np.int32,
        "quick",
        "standard",
        (
            ("floor", "FloorDiv", "a // b", lambda a, b: a // b),
            ("modulo", "FloorMod", "a % b", lambda a, b: a % b),
            ("truncated", "TruncateDiv", "tf.truncatediv(a, b)", truncated),
            ("rest", "TruncateMod", "tf.truncatemod(a, b)", lambda a, b: a - truncated(a, b) * b),
        ),
    ),
    "division_int64": (
        np.int64,
        "standard",
        "standard",
        (
            ("floor", "FloorDiv", "a // b", lambda a, b: a // b),
            ("modulo", "FloorMod", "a % b", lambda a, b: a % b),
            ("truncated", "TruncateDiv", "tf.truncatediv(a, b)", truncated),
            ("quotient", "RealDiv", "tf.cast(a, tf.float64) / 2.0", lambda a, b: a / 2.0),
        ),
    ),
    "arithmetic_int32": (
        np.int32,
        "standard",
        "standard",
        (
            ("sum", "AddV2", "a + b", lambda a, b: a + b),
            ("difference", "Sub", "a - b", lambda a, b: a - b),
            ("product", "Mul", "a * (b % 50)", lambda a, b: a * (b % 50)),
            ("negative", "Neg", "-a", lambda a, b: -a),
            ("size", "Abs", "tf.abs(a)", lambda a, b: np.abs(a)),
            ("sign", "Sign", "tf.sign(a)", lambda a, b: np.sign(a)),
            ("square", "Square", "tf.square(a // 1000)", lambda a, b: (a // 1000) ** 2),
        ),
    ),
    "arithmetic_int64": (
        np.int64,
        "quick",
        "standard",
        (
            ("sum", "AddV2", "a + b", lambda a, b: a + b),
            ("difference", "Sub", "a - b", lambda a, b: a - b),
            ("product", "Mul", "a * b", lambda a, b: a * b),
            ("size", "Abs", "tf.abs(a)", lambda a, b: np.abs(a)),
        ),
    ),
    "extremes_int64": (
        np.int64,
        "standard",
        "standard",
        (
            ("higher", "Maximum", "tf.maximum(a, b)", np.maximum),
            ("lower", "Minimum", "tf.minimum(a, b)", np.minimum),
            ("clipped", "ClipByValue", "tf.clip_by_value(a, -9, 2**24 + 1)", lambda a, b: np.clip(a, -9, LARGE)),
            ("range", "Range", "tf.range(a[0, 0], a[0, 0] + 33)", lambda a, b: a[0, 0] + np.arange(33)),
        ),
    ),
    "comparisons_int32": (
        np.int32,
        "standard",
        "standard",
        (
            ("less", "Less", "a < b", lambda a, b: a < b),
            ("at_most", "LessEqual", "a <= b", lambda a, b: a <= b),
            ("more", "Greater", "a > b", lambda a, b: a > b),
            ("at_least", "GreaterEqual", "a >= b", lambda a, b: a >= b),
            ("equal", "Equal", "tf.equal(a, b)", lambda a, b: a == b),
            ("unequal", "NotEqual", "tf.not_equal(a, b)", lambda a, b: a != b),
        ),
    ),
    "bits_int32": (
        np.int32,
        "standard",
        "standard",
        (
            ("and", "BitwiseAnd", "tf.bitwise.bitwise_and(a, b)", lambda a, b: a & b),
            ("or", "BitwiseOr", "tf.bitwise.bitwise_or(a, b)", lambda a, b: a | b),
            ("xor", "BitwiseXor", "tf.bitwise.bitwise_xor(a, b)", lambda a, b: a ^ b),
            ("not", "Invert", "tf.bitwise.invert(a)", lambda a, b: ~a),
            ("left", "LeftShift", "tf.bitwise.left_shift(b, a % 7)", lambda a, b: b << a % 7),
            ("right", "RightShift", "tf.bitwise.right_shift(a, b % 7)", lambda a, b: a >> b % 7),
        ),
    ),
}
FLOATS = {
    # name: (operation, code, NumPy); x holds halves, whole numbers and what lies between, of both signs
    "round": ("Round", "tf.round(x)", np.round),
    "rint": ("Rint", "tf.math.rint(x)", np.round),
    "floor": ("Floor", "tf.floor(x)", np.floor),
    "ceil": ("Ceil", "tf.math.ceil(x)", np.ceil),
    "sign": ("Sign", "tf.sign(x)", np.sign),
    "modulo": ("FloorMod", "x % 3.0", lambda x: x - 3 * np.floor(x / 3)),
    "floordiv": ("FloorDiv", "x // 0.5", lambda x: np.floor(x / 0.5)),
    "to_int32": ("Cast", "tf.cast(x, tf.int32)", np.trunc),
    "to_bool": ("Cast", "tf.cast(x, tf.bool)", lambda x: x != 0),
}
GROUPS = {
    # name: (the operation shown, which of FLOATS, level, level compiled)
    "rounding": ("Round", ("round", "rint", "floor", "ceil", "sign", "modulo", "floordiv"), "quick", "standard"),
    "casts": ("Cast", ("to_int32", "to_bool"), "quick", "standard"),
}


def cases():
    found = [whole(name, *row) for name, row in WHOLE.items()] + [floats(name, *row) for name, row in GROUPS.items()]
    return found + [
        to_fewer_bits("to_half", "float16", 11),
        to_fewer_bits("to_bfloat", "bfloat16", 8),
        casts_of_whole(),
        logic(),
        comparisons(),
    ]


def joined(codes):
    codes = list(codes)
    return "(%s)" % ", ".join(codes) if len(codes) > 1 else codes[0]


def whole(name, dtype, level, graph, rows):
    identity, wide = "number/" + name, dtype == np.int64

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        high = 2**33 if wide else 2**30
        a = draw.randint(-high, high, (33, 5), np.int64)
        b = (draw.randint(1, 2**19, (33, 5)) * draw.choice([-1, 1], (33, 5))).astype(np.int64)
        a[0], b[0] = [LARGE, -LARGE, 7, -7, 2**31 - 1], [3, 3, -2, -2, 2**19 - 1]
        a[1], b[1] = [-7, 7, -8, 0, -(2**31) + 1], [2, 2, 2, -5, 1]
        a[2] = b[2]
        a, b = a.astype(dtype), b.astype(dtype)
        wants = {output: bounds.exact(op, reference(a, b)) for output, op, _, reference in rows}
        return Fill("exact", (a, b), None, wants)

    code, outputs = joined(row[2] for row in rows), [row[0] for row in rows]
    return Case(identity, rows[0][1], "33x5", code, "ab", 0, make, level, graph, outputs, dtype=np.dtype(dtype).name)


def floats(name, op, members, level, graph):
    identity = "number/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = draw.randint(-4000, 4001, (33, 5)) / 8.0  # every operation on these is exact, whatever its algorithm
        x[0], x[1] = [-2.5, -1.5, -0.5, 0.5, 1.5], [2.5, -0.125, 0.125, 0.0, -3.0]
        wants = {key: bounds.exact(FLOATS[key][0], FLOATS[key][2](x)) for key in members}
        return Fill("exact", (x.astype(np.float32),), None, wants)

    code = joined(FLOATS[key][1] for key in members)
    return Case(identity, op, "33x5", code, "x", 0, make, level, graph, members)


def to_fewer_bits(name, kind, significant):
    """Round trips: a quarter and three quarters of the way to the next value, where there is no tie to break."""
    identity = "number/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        digits = draw.randint(2 ** (significant - 1), 2**significant - 1, (33, 5))
        scale = draw.choice([-1, 1], (33, 5)) * 2.0 ** draw.randint(-12, 4, (33, 5))
        parts = draw.randint(0, 3, (33, 5))
        x = ((digits + np.array([0.0, 0.25, 0.75])[parts]) * scale).astype(np.float32)
        return Fill("exact", (x,), None, {"y": bounds.exact("Cast", (digits + (parts == 2)) * scale)})

    code = "tf.cast(tf.cast(x, tf.%s), tf.float32)" % kind
    return Case(identity, "Cast", "33x5", code, "x", 0, make, "standard")


def casts_of_whole():
    """Past 2^24 float32 holds every second whole number only, past 2^31 int32 none: what is beyond wraps."""

    def make():
        draw = draw_for("number/casts_of_whole")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        a = draw.randint(-(2**30), 2**30, (33, 5), np.int64)
        a[0] = [2**31 + 1, LARGE, -LARGE, 2**33 + 5, 0]
        wants = {
            "single": bounds.exact("Cast", a.astype(np.float32)),
            "narrow": bounds.exact("Cast", a.astype(np.int32)),
            "wide": bounds.exact("Cast", a.astype(np.int32).astype(np.int64)),
            "truth": bounds.exact("Cast", a.astype(bool)),
            "number": bounds.exact("Cast", (a > 0).astype(np.float32)),
            "back": bounds.exact("Cast", a.astype(np.float32).astype(np.int64)),
            "byte": bounds.exact("Cast", (a % 256).astype(np.float32)),
        }
        return Fill("exact", (a,), None, wants)

    code = (
        "(tf.cast(a, tf.float32), tf.cast(a, tf.int32), tf.cast(tf.cast(a, tf.int32), tf.int64),"
        " tf.cast(a, tf.bool), tf.cast(a > 0, tf.float32), tf.cast(tf.cast(a, tf.float32), tf.int64),"
        " tf.cast(tf.cast(a % 256, tf.uint8), tf.float32))"
    )
    outputs = ("single", "narrow", "wide", "truth", "number", "back", "byte")
    return Case("number/casts_of_whole", "Cast", "33x5", code, "a", 0, make, "standard", outputs=outputs, dtype="int64")


def logic():
    def make():
        draw = draw_for("number/logic")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        p, q = (draw.randint(0, 2, shape).astype(bool) for shape in ((33, 5), (5,)))
        wants = {
            "both": bounds.exact("LogicalAnd", p & q),
            "either": bounds.exact("LogicalOr", p | q),
            "neither": bounds.exact("LogicalNot", ~(p | q)),
            "one": bounds.exact("NotEqual", p ^ q),
        }
        return Fill("exact", (p, q), None, wants)

    code = "(tf.logical_and(p, q), tf.logical_or(p, q), tf.logical_not(tf.logical_or(p, q)), tf.math.logical_xor(p, q))"
    outputs = ("both", "either", "neither", "one")
    return Case("number/logic", "LogicalAnd", "33x5", code, "pq", 0, make, "standard", outputs=outputs, dtype="bool")


def comparisons():
    """Of floats: a third of the pairs are equal, and a third differ in the last bit."""

    def make():
        draw = draw_for("number/comparisons")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = real_numbers(draw, (33, 6))
        y = x.copy()
        y[:, :2] = real_numbers(draw, (33, 2))
        y[:, 2] = np.nextafter(x[:, 2], np.float32(9))
        y[:, 3] = np.nextafter(x[:, 3], np.float32(-9))
        wants = {
            "less": bounds.exact("Less", x < y),
            "at_most": bounds.exact("LessEqual", x <= y),
            "more": bounds.exact("Greater", x > y),
            "at_least": bounds.exact("GreaterEqual", x >= y),
            "equal": bounds.exact("Equal", x == y),
            "unequal": bounds.exact("NotEqual", x != y),
        }
        return Fill("exact", (x, y), None, wants)

    code = "(x < y, x <= y, x > y, x >= y, tf.equal(x, y), tf.not_equal(x, y))"
    outputs = ("less", "at_most", "more", "at_least", "equal", "unequal")
    return Case("number/comparisons", "Less", "33x6", code, "xy", 0, make, "standard", outputs=outputs)
