"""Two operands that broadcast, and what is added up in the gradient of the smaller one; choosing operations; powers of 1.

Each gradient is the sum over the axes along which its operand was repeated: integers see a wrong axis or a lost row.
"""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.values import draw_for, real_numbers, whole_numbers
from battery.wants import U

SHAPES = {"bias": ((5, 7, 33), (33,)), "middle": ((3, 1, 5), (7, 1)), "one": ((9, 5), (1,)), "same": ((7, 9), (7, 9))}
LINEAR = {
    # name: (operation, code, value, the factors of the gradients of x and y)
    "add": ("AddV2", "x + y", lambda x, y: x + y, lambda x, y: (1, 1)),
    "sub": ("Sub", "x - y", lambda x, y: x - y, lambda x, y: (1, -1)),
    "mul": ("Mul", "x * y", lambda x, y: x * y, lambda x, y: (y, x)),
    "squared_difference": (
        "SquaredDifference",
        "tf.math.squared_difference(x, y)",
        lambda x, y: (x - y) ** 2,
        lambda x, y: (2 * (x - y), 2 * (y - x)),
    ),
    "div": ("RealDiv", "x / y", lambda x, y: x / y, lambda x, y: (1 / y, -x / y**2)),
    "maximum": ("Maximum", "tf.maximum(x, y)", np.maximum, lambda x, y: (x > y, x < y)),
    "minimum": ("Minimum", "tf.minimum(x, y)", np.minimum, lambda x, y: (x < y, x > y)),
}
PAIRS = (
    # operation of LINEAR, shapes, level, level compiled
    ("add", "bias", "standard", "standard"),
    ("add", "middle", "standard", "standard"),
    ("sub", "middle", "standard", "standard"),
    ("sub", "one", "standard", "standard"),
    ("mul", "bias", "quick", "standard"),
    ("mul", "middle", "standard", "standard"),
    ("mul", "one", "standard", "standard"),
    ("div", "bias", "quick", "standard"),
    ("div", "same", "standard", "standard"),
    ("squared_difference", "middle", "standard", "standard"),
    ("maximum", "bias", "quick", "standard"),
    ("maximum", "same", "standard", "standard"),
    ("minimum", "middle", "standard", "standard"),
)
SINGLE = {
    # name: (operation, code, value, factor of the gradient, level)
    "abs": ("Abs", "tf.abs(x)", np.abs, np.sign, "standard"),
    "neg": ("Neg", "-x", lambda x: -x, lambda x: -np.ones_like(x), "standard"),
    "clip": (
        "ClipByValue",
        "tf.clip_by_value(x, -3.25, 2.25)",
        lambda x: np.clip(x, -3.25, 2.25),
        lambda x: (x > -3.25) & (x < 2.25),
        "quick",
    ),
    "square": ("Square", "tf.square(x)", np.square, lambda x: 2 * x, "standard"),
}


def cases():
    found = [pair(*row) for row in PAIRS] + [single(name, *row) for name, row in SINGLE.items()]
    return found + [added(), clipped_by_norm()]


def pair(name, kind, level, graph):
    op, code, value, factors = LINEAR[name]
    identity, shapes = "pair/%s_%s" % (name, kind), SHAPES[kind]
    repeats = max(1, int(np.prod(np.broadcast_shapes(*shapes))) // max(1, min(int(np.prod(s)) for s in shapes)))

    def make():
        draw = draw_for(identity)
        return [fill(label, draw) for label in ("int", "real")]

    def fill(label, draw):
        x, y = (operand(label, draw, shape, name) for shape in shapes)
        if label == "int" and name in ("maximum", "minimum"):
            y = y + np.float32(0.5)  # no ties
        wide = x.astype(np.float64), y.astype(np.float64)
        upstream = operand(label, draw, np.broadcast_shapes(*shapes), "mul")
        wants = {"y": want(label, op, value(*wide), abs(value(*wide)) + abs(wide[0]) + abs(wide[1]), 1)}
        for key, shape, factor in zip("xy", shapes, factors(*wide)):
            terms = upstream.astype(np.float64) * factor
            found = (reduced(part, shape) for part in (terms, abs(terms)))
            wants["d" + key] = want(label, op, *found, count=repeats)
        wants["z"] = wants.pop("y")
        return Fill(label, (x, y), upstream, wants)

    text = ", ".join("x".join(map(str, shape)) for shape in shapes)
    return Case(identity, op, text, code, "xy", 2, make, level, graph, outputs="z")


def operand(label, draw, shape, name):
    found = (whole_numbers if label == "int" else lambda d, s, _: real_numbers(d, s))(draw, shape or (1,), 7)
    if name == "div":  # a quotient of halves is exact even as a product with the reciprocal
        found = (
            np.sign(found) * 2.0 ** np.round(abs(found) / 2) if label == "int" else np.sign(found) * (abs(found) + 0.5)
        )
    return found.reshape(shape).astype(np.float32)


def want(label, op, value, absolute, count):
    if label == "int":
        found = bounds.integers(op, value)
        found.limit = np.broadcast_to(2.0**-10, found.shape) if op == "RealDiv" else found.limit
        return found
    return bounds.Want(op, value, U * (16 + 2 * count) * absolute)


def reduced(values, shape):
    """Added up along the axes that broadcasting made."""
    values = values.sum(axis=tuple(range(values.ndim - len(shape))))
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1 and values.shape[axis] != 1)
    return values.sum(axis=axes, keepdims=True)


def single(name, op, code, value, factor, level):
    identity = "single/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x, dy = whole_numbers(draw, (33, 5), 7), whole_numbers(draw, (33, 5), 50)
        wants = {"y": bounds.exact(op, value(x)), "dx": bounds.exact(op, dy * factor(x))}
        return Fill("exact", (x,), dy, wants)

    return Case(identity, op, "33x5", code, "x", 1, make, level, "standard")


def added():
    """The sum of several tensors, as gradients that meet are summed."""

    def make():
        draw = draw_for("pair/add_n")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x, y, z = (whole_numbers(draw, (17, 5), 2000) for _ in range(3))
        dy = real_numbers(draw, (17, 5))
        wants = dict({"d" + key: bounds.exact("AddN", dy) for key in "xyz"}, s=bounds.exact("AddN", x + y + z))
        return Fill("exact", (x, y, z), dy, wants)

    return Case("pair/add_n", "AddN", "17x5", "tf.add_n([x, y, z])", "xyz", 3, make, "standard", outputs="s")


def clipped_by_norm():
    """Gradients scaled down together: one is far too long, the other not."""

    def make():
        draw = draw_for("single/clip_by_norm")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x, y = 3 * real_numbers(draw, (33, 5)), real_numbers(draw, (7,)) / 100
        lengths = [np.sqrt((v.astype(np.float64) ** 2).sum()) for v in (x, y)]
        whole = np.hypot(*lengths)
        wants = {
            "a": bounds.relative("Mul", x / lengths[0], 64),
            "b": bounds.relative("Mul", y, 64),
            "c": bounds.relative("Mul", x / whole, 64),
            "d": bounds.relative("Mul", y / whole, 64),
            "n": bounds.relative("Sqrt", whole, 32),
        }
        return Fill("bound", (x, y), None, wants)

    code = (
        "(tf.clip_by_norm(x, 1.0), tf.clip_by_norm(y, 1.0), *tf.clip_by_global_norm([x, y], 1.0)[0],"
        " tf.linalg.global_norm([x, y]))"
    )
    return Case("single/clip_by_norm", "Mul", "33x5, 7", code, "xy", 0, make, "standard", outputs="abcdn")
