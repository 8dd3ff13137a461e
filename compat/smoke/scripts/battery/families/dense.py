"""MatMul, BiasAdd and an activation, as a Dense layer is compiled: the pattern that plugins fuse."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.families.fused import ActivatedWant, activated_fill, relu_fill
from battery.references.functions import ACTIVATIONS
from battery.sums import Sums, linear_fill
from battery.values import draw_for
from battery.wants import MATRIX, ROWS

SHAPES = {
    # name: (samples, in, out, level, level compiled)
    "n1": (1, 130, 33, "quick", "full"),
    "n7": (7, 130, 33, "quick"),
    "n24": (24, 784, 40, "quick", "full"),  # a partial batch
    "n32": (32, 784, 300, "standard"),
    "k1": (64, 1, 16, "standard", "full"),
    "n33001": (33001, 3, 2, "quick", "full"),  # row index beyond 2^15
}
FUSED = (35, 20, 37)
"""Beyond a tile of 32 in both directions, and a tail of 3 and 5."""
INFERRED = [
    "dense/" + name
    for name in ("relu", "added", "none", "relu6", "leaky_relu", "elu", "selu", "tanh", "sigmoid", "softplus")
]
"""What TensorFlow or a plugin fuses behind MatMul and BiasAdd; GELU takes long to trace and comes with standard."""
BIASED = "tf.nn.bias_add(tf.matmul(x, w), b)"
ADDED = "tf.matmul(x, w) + b"


def cases():
    found = [dense(name, *row) for name, row in SHAPES.items()] + [batches(), summed(), long_sum()]
    endings = [added()] + [fused(name, function) for name, function in ACTIVATIONS.items() if name != "relu"]
    return found + endings + [inferred(one) for one in endings + [rectified()] if one.name in INFERRED] + [negative()]


def dense(name, n, width, out, level, graph=None):
    identity = "dense/" + name

    def make():
        return relu_fills(identity, MatrixSums(n, width, out), shapes_of(n, width, out), name == "n7")

    return case(name, (n, width, out), "relu", "tf.nn.relu(%s)" % BIASED, make, level, graph)


def case(name, shape, ending, code, make, level, graph=None, alone=False):
    text = "%dx%d -> %d, %s" % (shape + (ending,))
    return Case("dense/" + name, "MatMul", text, code, "xwb", 3, make, level, graph, alone=alone)


def relu_fills(identity, linear, shapes, four=False):
    """Integers and real values, or as `sums.four_fills`."""
    draw = draw_for(identity)
    if not four:
        return [relu_fill(label, linear, shapes, draw) for label in ("int", "real")]
    a, b, real = (relu_fill(label, linear, shapes, draw) for label in ("int", "int", "real"))
    return [a, b, a, real]


def inferred(one):
    """The values alone: as a model predicts, and quick to trace."""

    def make():
        return [Fill(fill.label, fill.inputs, None, {"y": fill.wants["y"]}) for fill in one.fills]

    return Case(one.name.replace("dense", "fused"), "MatMul", one.shape, one.code, "xwb", 0, make)


def fused(name, function):
    """Any other activation behind the same two operations."""
    identity = "dense/" + name

    def make():
        draw, linear = draw_for(identity), MatrixSums(*FUSED)
        linear.ops = dict(linear.ops, y="MatMul+BiasAdd" + ("" if name == "none" else "+" + function.op))
        return [activated_fill(label, function, linear, shapes_of(*FUSED), draw) for label in ("int", "real")]

    graph = (
        "standard" if identity not in INFERRED or name in ("none", "elu") else "full"
    )  # the values alone are in quick
    return case(name, FUSED, name, function.code % BIASED, make, "standard", graph)


def shapes_of(n, width, out):
    return ((n, width), (width, out), (out,))


def added():
    """The bias added by `+`, as Keras 3 does: another pattern for whatever looks for patterns."""

    def make():
        linear = MatrixSums(*FUSED)
        linear.ops = dict(linear.ops, y="MatMul+AddV2+Relu", db="Sum")
        return relu_fills("dense/added", linear, shapes_of(*FUSED))

    return case("added", FUSED, "+ and relu", "tf.nn.relu(%s)" % ADDED, make, "standard")


def rectified():
    """As `added`, in the order that TensorFlow fuses itself. With gradients it is what `SHAPES` are of."""

    def make():
        return relu_fills("dense/relu", MatrixSums(*FUSED), shapes_of(*FUSED))

    return case("relu", FUSED, "relu", "tf.nn.relu(%s)" % BIASED, make, "standard")


def negative():
    """Every value before the ReLU is negative: whatever is not 0 behind it was let through (tensorflow#61650, #62137)."""
    n, width, out = 4, 3, 2

    def make():
        return [negative_fill(draw_for("fused/negative", part), MatrixSums(n, width, out)) for part in (0, 1)]

    text = "4x3 -> 2, all negative, relu"
    return Case("fused/negative", "MatMul", text, "tf.nn.relu(%s)" % BIASED, "xwb", 0, make)


def negative_fill(draw, linear):
    (n, width, out), low = linear.shape, -0.5
    given = (draw.uniform(0, 1, (n, width)), draw.uniform(-1, low, (width, out)), draw.uniform(-1, low, out))
    x, w, b = given = tuple(a.astype(np.float32) for a in given)
    want = bounds.exact(linear.ops["y"], np.zeros((n, out)), ROWS)
    return Fill("exact", given, None, {"y": ActivatedWant(want, lambda: linear.forward(x, w) + b)})


def batches():
    """A partial batch after a full one and a full one after it, into the same weights (pytorch#177116)."""
    width, out = 65, 10

    def make():
        draw = draw_for("dense/batches")
        a, b = (relu_fill("int", MatrixSums(n, width, out), shapes_of(n, width, out), draw) for n in (32, 24))
        return [a, b, a]

    code = "tf.nn.relu(%s)" % BIASED
    return case("batches", (32, width, out), "24 and 32 samples, relu", code, make, "quick", "full", alone=True)


def summed():
    """The gradient of a sum: the same 1 everywhere, often never written out (pytorch#180201 reads past its first row)."""
    n, width, out = 24, 130, 33

    def make():
        draw, linear = draw_for("dense/sum"), MatrixSums(n, width, out)
        return [sum_fill(label, linear, draw) for label in ("int", "real")]

    code = "tf.reduce_sum(tf.matmul(x, w))"
    return Case("dense/sum", "MatMul", "24x130 -> 33, summed", code, "xw", 2, make, "quick", "standard")


def sum_fill(label, linear, draw):
    n, width, out = linear.shape
    fill = linear_fill(label, linear, ((n, width), (width, out)), False, draw)
    x, w = fill.inputs
    wants = linear.gradients(label, x, w, np.ones((n, out)))
    del wants["db"]
    if label == "int":  # a hundred thousand real products say nothing in one sum
        wants["y"] = bounds.integers("Sum", linear.forward(x, w).sum())
    return Fill(label, fill.inputs, np.float32(1), wants)


def long_sum():
    """A long inner dimension (blocks of it can get lost)."""
    n, width, out = 5, 40000, 7

    def make():
        draw, linear = draw_for("dense/k40000"), MatrixSums(n, width, out)
        linear.ops = dict(linear.ops, y="MatMul+BiasAdd")
        return [linear_fill(label, linear, shapes_of(n, width, out), False, draw) for label in ("int", "real")]

    return case("k40000", (n, width, out), "no activation", BIASED, make, "standard", "full")


class MatrixSums(Sums):
    """MatMul of (n, width) and (width, out)."""

    ops = {"y": "MatMul+BiasAdd+Relu", "dx": "MatMul", "dw": "MatMul", "db": "BiasAddGrad"}
    axes = {"y": ROWS, "dx": ROWS, "dw": MATRIX, "db": ("feature",)}

    def __init__(self, n, width, out):
        self.shape = (n, width, out)
        self.out, self.counts = (n, out), {"y": width + 1, "dx": out, "dw": n, "db": n}

    def forward(self, x, w):
        return x.astype("float64") @ w

    def backward(self, x, w, dy):
        dy = dy.astype("float64")
        return {"dx": dy @ w.T, "dw": x.T @ dy, "db": dy.sum(axis=0)}
