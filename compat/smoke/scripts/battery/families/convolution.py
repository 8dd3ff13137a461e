"""Conv2D and Conv1D with their bias: input, kernel and bias gradients, fused with ReLU and not.

Each shape stands for a class of bugs that was really reported.
"""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.references.windows import Windows, conv2d, conv2d_dw, conv2d_dx
from battery.sums import Sums, linear_fill
from battery.values import draw_for
from battery.wants import IMAGE, KERNEL

EXPLICIT = ((2, 1), (0, 1))
SHAPES = {
    # name: (shape, out, kernel, strides, dilation, padding, how, level, level compiled)
    "k3_odd": ((2, 9, 7, 3), 5, (3, 3), (1, 1), 1, "SAME", "bias", "quick", "standard"),  # C=3: rows of 16 bytes
    "k3_s2": ((3, 11, 10, 6), 7, (3, 3), (2, 2), 1, "SAME", "bias", "quick", "standard"),  # asymmetric padding
    "k2_even": ((5, 7, 6, 1), 9, (2, 2), (1, 1), 1, "SAME", "bias", "quick", "standard"),  # one-sided padding
    "k1_wide": ((3, 6, 5, 17), 33, (1, 1), (1, 1), 1, "SAME", "bias", "quick", "standard"),  # the 1x1 path
    "k31_s21": ((2, 9, 8, 3), 4, (3, 1), (2, 1), 1, "VALID", "bias", "standard"),  # nothing is square
    "dil2": ((2, 11, 11, 4), 4, (3, 3), (1, 1), 2, "SAME", "convolution", "standard"),
    "dil2_direct": ((2, 11, 11, 4), 4, (3, 3), (1, 1), 2, "SAME", "bias", "quick", "standard"),
    "k3_relu": ((2, 8, 9, 4), 8, (3, 3), (1, 1), 1, "SAME", "relu", "quick"),  # convolution, bias and ReLU fused
    "k3_plus": ((5, 6, 7, 6), 6, (3, 3), (1, 1), 1, "VALID", "plus", "quick", "standard"),  # as Keras 3 adds it
    "rgb": ((9, 20, 21, 3), 4, (3, 3), (1, 1), 1, "VALID", "bias", "quick", "standard"),  # long sums of dw
    "deep": ((2, 5, 4, 130), 66, (3, 3), (1, 1), 1, "SAME", "bias", "quick", "standard"),  # beyond 128 and 64 channels
    "report_l1": ((8, 30, 30, 3), 32, (3, 3), (1, 1), 1, "VALID", "bias", "standard"),  # the first layer of a report
    "k3_b1_valid": ((1, 8, 8, 4), 8, (3, 3), (1, 1), 1, "VALID", "bias", "standard"),  # batch 1, Winograd candidate
    "k5": ((2, 10, 12, 2), 3, (5, 5), (1, 1), 1, "SAME", "bias", "standard"),
    "k7_s2": ((2, 15, 15, 3), 16, (7, 7), (2, 2), 1, "SAME", "bias", "standard"),  # the stem of a ResNet
    "k1_s2": ((2, 7, 8, 5), 6, (1, 1), (2, 2), 1, "SAME", "bias", "standard"),  # residual projection
    "full_kernel": ((7, 4, 3, 6), 5, (4, 3), (1, 1), 1, "VALID", "bias", "standard"),  # 1x1 output, odd batch
    "explicit": ((2, 7, 6, 5), 6, (3, 2), (1, 1), 1, EXPLICIT, "bias", "standard"),  # every side padded otherwise
    "big": ((1, 224, 224, 3), 16, (3, 3), (2, 2), 1, "SAME", "bias", "full"),
    "batch128": ((128, 14, 14, 16), 24, (3, 3), (1, 1), 1, "SAME", "bias", "full"),
    "channels512": ((2, 7, 7, 384), 512, (3, 3), (1, 1), 1, "SAME", "bias", "full"),
}
CODES = {
    "bias": "tf.nn.bias_add(tf.nn.conv2d(x, w, %r, %r, dilations=%r), b)",
    "relu": "tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, %r, %r, dilations=%r), b))",
    "plus": "tf.nn.relu(tf.nn.conv2d(x, w, %r, %r, dilations=%r) + b)",
    "convolution": "tf.nn.bias_add(tf.nn.convolution(x, w, %r, %r, dilations=%r), b)",  # by SpaceToBatchND
}
CAUSAL = "tf.nn.conv1d(tf.pad(x, [[0, 0], [2, 0], [0, 0]]), w, 1, 'VALID')"
LONG = {
    # name: (shape, out, kernel, stride, padding, code, level, level compiled)
    "k3": ((3, 17, 5), 35, 3, 1, "SAME", "tf.nn.conv1d(x, w, 1, 'SAME')", "quick", "standard"),
    "k4_s2": ((2, 23, 3), 18, 4, 2, "SAME", "tf.nn.conv1d(x, w, 2, 'SAME')", "standard"),
    "dil2": ((2, 13, 3), 5, 3, 1, "SAME", "tf.nn.conv1d(x, w, 1, 'SAME', dilations=2)", "standard"),
    "causal": ((2, 12, 4), 6, 3, 1, ((2, 0),), CAUSAL, "standard"),
}
HUGE = {
    # name: (shape, out, level): kernels of 1, beyond 2^15 or 2^16 samples or channels
    "conv2d/batch65600": ((65600, 1, 1, 1), 1, "quick", "standard"),  # pytorch#96225
    "conv2d/channels1030": ((1, 5, 5, 1030), 70, "standard"),
    "conv2d/filters70000": ((1, 2, 2, 3), 70000, "full"),
    "conv1d/filters65537": ((1, 1, 3), 65537, "full"),  # tensorflow#71577
}


def cases():
    found = [convolution("conv2d/" + name, *row) for name, row in SHAPES.items()]
    found.append(grouped("conv2d/groups", (2, 7, 6, 12), 3, 9))
    found += [sequence("conv1d/" + name, *row) for name, row in LONG.items()]
    found += [huge(name, *row) for name, row in HUGE.items()]
    return found + [summed("conv2d/sum_grad", (2, 6, 5, 4), 9), capped("conv2d/k3_relu6", (2, 8, 7, 1), 6)]


def convolution(identity, shape, out, kernel, strides, dilation, padding, how, level, graph=None):
    windows = Windows(shape, kernel, strides, (dilation,) * 2, padding)
    linear = ConvolutionSums(windows, out, "Sum" if how == "plus" else "BiasAddGrad")
    whole = padding if isinstance(padding, str) else [list(pair) for pair in windows.pads]
    text = "%s k%s s%s d%d %s -> %d" % (sized(shape), sized(kernel), sized(strides), dilation, padding, out)
    code, shapes = CODES[how] % (list(strides), whole, dilation), (shape, kernel + (shape[-1], out), (out,))
    return linear_case(identity, "Conv2D", text, code, linear, shapes, level, graph, how in ("relu", "plus"))


def sequence(identity, shape, out, kernel, stride, padding, code, level, graph=None):
    dilations = (2,) if "dilations=2" in code else None
    linear = ConvolutionSums(Windows(shape, (kernel,), (stride,), dilations, padding), out)
    shapes, text = (shape, (kernel, shape[-1], out), (out,)), "%s k%d s%d -> %d" % (sized(shape), kernel, stride, out)
    return linear_case(identity, "Conv2D", text, "tf.nn.bias_add(%s, b)" % code, linear, shapes, level, graph)


def grouped(identity, shape, groups, out):
    """Channels in groups, each seen by filters of its own; TensorFlow's CPU has neither a bias nor gradients for it."""
    linear = GroupedSums(Windows(shape, (3, 3), (1, 1), None, "SAME"), out, groups)
    text = "%s k3x3 SAME, %d groups -> %d" % (sized(shape), groups, out)

    def make():
        draw, shapes = draw_for(identity), (shape, (3, 3, shape[-1] // groups, out))
        fills = [linear_fill(label, linear, shapes, False, draw) for label in ("int", "real")]
        return [Fill(fill.label, fill.inputs, None, {"y": fill.wants["y"]}) for fill in fills]

    return Case(identity, "Conv2D", text, "tf.nn.conv2d(x, w, 1, 'SAME')", "xw", 0, make, "standard")


def linear_case(identity, op, text, code, linear, shapes, level, graph=None, relu=False):
    """Integers, then real values: from one to the other all data change, so that a stale result shows here too."""

    def make():
        draw = draw_for(identity)
        return [linear_fill(label, linear, shapes, relu, draw) for label in ("int", "real")]

    return Case(identity, op, text, code, "xwb"[: len(shapes)], len(shapes), make, level, graph)


def huge(identity, shape, out, level, graph=None):
    """Integers only: among so many terms real values could not tell that one is lost."""
    rank = len(shape) - 2
    linear = ConvolutionSums(Windows(shape, (1,) * rank), out)
    code = "tf.nn.bias_add(tf.nn.conv%dd(x, w, 1, 'VALID'), b)" % rank

    def make():
        draw, shapes = draw_for(identity), (shape, (1,) * rank + (shape[-1], out), (out,))
        return [linear_fill("int", linear, shapes, False, draw)]

    return Case(identity, "Conv2D", "%s k1 -> %d" % (sized(shape), out), code, "xwb", 3, make, level, graph)


def summed(identity, shape, out):
    """The gradient of a sum is one value for all elements: stored once, with strides of 0 (pytorch#180201)."""
    linear = ConvolutionSums(Windows(shape, (3, 3)), out)
    code = "tf.reduce_sum(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, 'VALID'), b))"

    def make():
        draw, shapes = draw_for(identity), (shape, (3, 3, shape[-1], out), (out,))
        return [summed_fill(linear, linear_fill("int", linear, shapes, False, draw)) for _ in range(2)]

    return Case(
        identity, "Sum", "%s k3x3 -> %d, summed" % (sized(shape), out), code, "xwb", 3, make, "quick", "standard"
    )


def summed_fill(linear, fill):
    above = np.float32(3)
    x, w, _ = fill.inputs
    wants = linear.gradients("int", x, w, np.full(linear.out, above))
    wants["y"] = bounds.integers("Sum", fill.wants["y"].value.sum())
    return Fill("int", fill.inputs, above, wants)


def capped(identity, shape, out):
    """Fused with ReLU6, as in MobileNet; values before it are halves, so that none is at a corner."""
    linear = ConvolutionSums(Windows(shape, (3, 3), padding="SAME"), out)
    code = "tf.nn.relu6(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, 'SAME'), b))"

    def make():
        draw, shapes = draw_for(identity), (shape, (3, 3, shape[-1], out), (out,))
        return [capped_fill(linear, linear_fill("int", linear, shapes, True, draw)) for _ in range(2)]

    return Case(identity, "Relu6", "%s k3x3 SAME -> %d" % (sized(shape), out), code, "xwb", 3, make, "standard")


def capped_fill(linear, fill):
    x, w, b = fill.inputs
    before = linear.forward(x, w) + b
    wants = linear.gradients("int", x, w, fill.upstream * ((before > 0) & (before < 6)))
    wants["y"] = bounds.integers("Conv2D+BiasAdd+Relu6", np.clip(before, 0, 6), IMAGE)
    return Fill("int", fill.inputs, fill.upstream, wants)


def sized(shape):
    return "x".join(str(size) for size in shape)


class ConvolutionSums(Sums):
    """A convolution as sums of products, on the windows of its input, with `out` output channels, on any axes.

    On one axis too it is a Conv2D: TensorFlow has no other kernel for it.
    """

    def __init__(self, windows, out, bias="BiasAddGrad"):
        size, places = windows.kernel, windows.shape[:1] + windows.out
        self.windows, self.out = windows, places + (out,)
        self.ops = dict(zip(("y", "dx", "dw"), OPS[len(size)]), db=bias)
        images, kernels = AXES[len(size)]
        self.axes = {"y": images, "dx": images, "dw": kernels, "db": ("channel",)}
        self.over = {"y": windows.inside, "dx": windows.inside, "dw": tuple(range(len(size)))}
        area, count = product(size), product(places)
        self.counts = {"y": area * windows.shape[-1] + 1, "dx": area * out, "dw": count, "db": count}

    def forward(self, x, w):
        return conv2d(x, w, self.windows)

    def backward(self, x, w, dy):
        return {
            "dx": conv2d_dx(dy, w, self.windows),
            "dw": conv2d_dw(x, dy, self.windows),
            "db": dy.reshape(-1, dy.shape[-1]).sum(axis=0, dtype="float64"),
        }


class GroupedSums(ConvolutionSums):
    """As many convolutions as groups, side by side along the channels."""

    def __init__(self, windows, out, groups):
        super(GroupedSums, self).__init__(windows, out)
        self.groups, shape = groups, windows.shape[:-1] + (windows.shape[-1] // groups,)
        self.part = ConvolutionSums(Windows(shape, windows.kernel, (1, 1), None, "SAME"), out // groups)
        self.counts = self.part.counts

    def _each(self, *arrays):
        return zip(*(np.split(array, self.groups, axis=-1) for array in arrays))

    def forward(self, x, w):
        return np.concatenate([self.part.forward(*each) for each in self._each(x, w)], axis=-1)

    def backward(self, x, w, dy):
        found = [self.part.backward(*each) for each in self._each(x, w, dy)]
        return {name: np.concatenate([one[name] for one in found], axis=-1) for name in found[0]}


FLAT = ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")
OPS = {1: FLAT, 2: FLAT, 3: ("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2")}
AXES = {
    1: (("sample", "step", "channel"), ("kernel step",) + KERNEL[2:]),
    2: (IMAGE, KERNEL),
    3: (("sample", "plane") + IMAGE[1:], ("kernel plane",) + KERNEL),
}


def product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total
