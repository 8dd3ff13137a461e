"""The layers that slide over an image. `windows` say which pixels meet which kernel position."""

from battery.programs.layers.layer import Layer
from battery.references import patches
from battery.references.windows import Windows

STRIDED = Windows((3, 9, 7, 3), (3, 3), (2, 2), padding="SAME")
SAME = Windows((3, 7, 6, 5), (3, 3), padding="SAME")
OUTPUT = Windows((2, 10, 8, 4), (3, 3), (2, 2), padding="SAME")
"""Of the convolution whose gradient the transposed one is."""
POOLED = Windows((2, 7, 5, 3), (2, 2), (2, 2), padding="SAME")


def conv2d(x, weights, dy):
    return patches.convolution(STRIDED, x, *weights, dy)


def depthwise(x, weights, dy):
    w, b = weights
    y, found = patches.depthwise(SAME, x, w, dy)
    return y + b, found + [dy.sum(axis=(0, 1, 2))]


def separable(x, weights, dy):
    return patches.separable(SAME, x, *weights, dy)


def transposed(x, weights, dy):
    return patches.transposed(OUTPUT, x, *weights, dy)


def average(x, weights, dy):
    return patches.average(POOLED, x, dy)


LAYERS = [
    Layer(
        "conv2d", ["Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", "BiasAddGrad"],
        lambda tf: tf.keras.layers.Conv2D(5, 3, strides=2, padding="same"), (3, 9, 7, 3), (3, 5, 4, 5),
        [(3, 3, 3, 5), (5,)], conv2d,
    ),
    Layer(
        "depthwiseconv2d",
        ["DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter", "BiasAddGrad"],
        lambda tf: tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2, padding="same"), (3, 7, 6, 5), (3, 7, 6, 10),
        [(3, 3, 5, 2), (10,)], depthwise,
    ),
    Layer(
        "separableconv2d",
        ["Conv2D", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter", "Conv2DBackpropFilter",
         "BiasAddGrad"],
        lambda tf: tf.keras.layers.SeparableConv2D(4, 3, depth_multiplier=2, padding="same"), (3, 7, 6, 5), (3, 7, 6, 4),
        [(3, 3, 5, 2), (1, 1, 10, 4), (4,)], separable,
    ),
    Layer(
        "conv2dtranspose", ["Conv2DBackpropInput", "Conv2D", "Conv2DBackpropFilter", "BiasAddGrad"],
        lambda tf: tf.keras.layers.Conv2DTranspose(4, 3, strides=2, padding="same"), (2, 5, 4, 3), (2, 10, 8, 4),
        [(3, 3, 4, 3), (4,)], transposed,
    ),
    Layer(
        "averagepooling2d", ["AvgPool", "AvgPoolGrad"],
        lambda tf: tf.keras.layers.AveragePooling2D(2, padding="same"), (2, 7, 5, 3), (2, 4, 3, 3), [], average, unit=4,
    ),
]  # fmt: skip
