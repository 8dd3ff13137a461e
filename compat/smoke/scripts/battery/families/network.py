"""A whole small network in one expression, exact in integers and fractions of them, with all its gradients.

What a plugin or TensorFlow's own optimizer fuses and rearranges in a graph is only there when operations follow each
other: convolution, bias, ReLU, pooling, twice, then a matrix product.
"""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.references.network import Network
from battery.values import draw_for, whole_numbers
from battery.wants import IMAGE, KERNEL, MATRIX, ROWS

PARTS = 128
"""The image has this many steps between integers, so that pixels of a window rarely tie."""
NEAREST = 1 / 32
"""Decisions of the second block are at least this far from a tie: 8 times what Winograd F(6x6) can blur there."""
SHAPES = ((2, 13, 12, 3), (3, 3, 3, 8), (8,), (3, 3, 8, 16), (16,), (144, 5), (5,))
HIGHEST = (3, 2, 3, 1, 3, 1, 3)
BLOCK = "tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(%s, %s, 1, 'SAME'), %s)), 2, 2, 'VALID')"
CODE = "tf.matmul(tf.reshape(%s, [2, 144]), d) + c" % BLOCK % (BLOCK % ("x", "k1", "b1"), "k2", "b2")
INPUTS = ("x", "k1", "b1", "k2", "b2", "d", "c")
WANTED = (
    ("dx", "Conv2DBackpropInput", IMAGE),
    ("dk1", "Conv2DBackpropFilter", KERNEL),
    ("db1", "BiasAddGrad", ("channel",)),
    ("dk2", "Conv2DBackpropFilter", KERNEL),
    ("db2", "BiasAddGrad", ("channel",)),
    ("dd", "MatMul", MATRIX),
    ("dc", "Sum", ("feature",)),
)


def cases():
    text = "2x13x12x3, Conv 8, ReLU, MaxPool, Conv 16, ReLU, MaxPool, Dense 5"
    return [Case("conv2d/network", "Conv2D+BiasAdd+Relu+MaxPool", text, CODE, INPUTS, len(INPUTS), make)]


def make():
    draw = draw_for("conv2d/network")
    return [network_fill(draw) for _ in range(2)]


def network_fill(draw):
    given, network = drawn(draw)
    upstream = whole_numbers(draw, network.y.shape, 3)
    wants = {"y": bounds.integers("MatMul", network.y, ROWS)}
    for (name, op, axes), value in zip(WANTED, network.back(upstream)):
        wants[name] = bounds.integers(op, value, axes)
    return Fill("int", given, upstream, wants)


def drawn(draw):
    """Image and weights, drawn again until no decision is close: three draws in four will do."""
    while True:
        given = [whole_numbers(draw, shape, high) for shape, high in zip(SHAPES, HIGHEST)]
        given[0] += draw.randint(-PARTS // 2 + 1, PARTS // 2, SHAPES[0]).astype(np.float32) / PARTS
        given[2] += np.float32(0.5 / PARTS)  # no value is exactly 0 before the first ReLU
        network = Network(given[0], given[1:])
        (_, gap), far = network.blocks[0].closest(), min(network.blocks[1].closest())
        if gap > 0 and far >= NEAREST:
            return given, network
