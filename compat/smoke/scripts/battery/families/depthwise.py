"""Depthwise and separable convolutions, and their gradients: kernels of their own, that plugins write by hand."""

from battery import bounds
from battery.case import Case, Fill
from battery.families.convolution import linear_case, product, sized
from battery.references.windows import Windows, depthwise, depthwise_dw, depthwise_dx
from battery.sums import Sums
from battery.values import draw_for, real_numbers, whole_numbers
from battery.wants import IMAGE, KERNEL

OPS = {
    "y": "DepthwiseConv2dNative",
    "dx": "DepthwiseConv2dNativeBackpropInput",
    "dw": "DepthwiseConv2dNativeBackpropFilter",
    "db": "BiasAddGrad",
}
KERNELS = KERNEL[:3] + ("multiplier",)
SHAPES = {
    # name: (shape, multiplier, kernel, stride, dilation, padding, with bias and ReLU, level, level compiled)
    "m1": ((3, 9, 7, 18), 1, (3, 3), 1, 1, "SAME", False, "quick", "standard"),  # odd sizes, a tail beyond 16 channels
    "m2_s2": ((2, 11, 8, 5), 2, (3, 3), 2, 1, "SAME", False, "quick", "standard"),  # asymmetric padding
    "relu": ((2, 8, 9, 6), 1, (3, 3), 1, 1, "VALID", True, "standard"),  # fused as in MobileNet
    "dil2": ((2, 11, 10, 4), 1, (3, 3), 1, 2, "SAME", False, "standard"),  # by SpaceToBatchND
    "m3_k2": ((5, 7, 6, 3), 3, (2, 2), 1, 1, "SAME", False, "standard"),  # one-sided padding
    "k53_s2": ((2, 11, 13, 1), 4, (5, 3), 2, 1, "VALID", False, "standard"),  # one channel, nothing is square
    "wide": ((2, 5, 4, 130), 1, (3, 3), 1, 1, "SAME", False, "standard"),
}
SEPARABLE = {
    # name: (shape, multiplier, out, stride, padding, level, level compiled)
    "m2": ((2, 7, 9, 5), 2, 7, 1, "SAME", "standard"),
    "s2": ((3, 9, 8, 6), 1, 17, 2, "VALID", "standard"),
}


def cases():
    found = [depthwise_case("depthwise/" + name, *row) for name, row in SHAPES.items()]
    return found + [separable_case("separable/" + name, *row) for name, row in SEPARABLE.items()]


def depthwise_case(identity, shape, multiplier, kernel, stride, dilation, padding, relu, level, graph=None):
    linear = DepthwiseSums(Windows(shape, kernel, (stride,) * 2, (dilation,) * 2, padding), multiplier, relu)
    shapes = (shape, kernel + (shape[-1], multiplier)) + (((shape[-1] * multiplier,),) if relu else ())
    dilations = ", dilations=[%d, %d]" % (dilation, dilation) if dilation > 1 else ""
    code = "tf.nn.depthwise_conv2d(x, w, [1, %d, %d, 1], %r%s)" % (stride, stride, padding, dilations)
    code = "tf.nn.relu(tf.nn.bias_add(%s, b))" % code if relu else code
    text = "%s k%s s%d d%d %s x %d" % (sized(shape), sized(kernel), stride, dilation, padding, multiplier)
    return linear_case(identity, OPS["y"], text, code, linear, shapes, level, graph, relu)


class DepthwiseSums(Sums):
    """Each channel convolved with `multiplier` kernels of its own; the bias is optional."""

    ops, axes = OPS, {"y": IMAGE, "dx": IMAGE, "dw": KERNELS, "db": ("channel",)}
    over = {"y": (1, 2), "dx": (1, 2), "dw": (0, 1)}

    def __init__(self, windows, multiplier, biased=False):
        area, places = product(windows.kernel), windows.shape[0] * product(windows.out)
        self.windows, self._biased = windows, biased
        self.out = windows.shape[:1] + windows.out + (windows.shape[-1] * multiplier,)
        self.counts = {"y": area + 1, "dx": area * multiplier, "dw": places, "db": places}

    def forward(self, x, w):
        return depthwise(x, w, self.windows)

    def backward(self, x, w, dy):
        found = {"dx": depthwise_dx(dy, w, self.windows), "dw": depthwise_dw(x, dy, self.windows)}
        return dict(found, db=dy.sum(axis=(0, 1, 2), dtype="float64")) if self._biased else found


def separable_case(identity, shape, multiplier, out, stride, padding, level, graph=None):
    windows = Windows(shape, (3, 3), (stride,) * 2, None, padding)
    shapes = (shape, (3, 3, shape[-1], multiplier), (1, 1, shape[-1] * multiplier, out))
    code = "tf.nn.separable_conv2d(x, w, p, [1, %d, %d, 1], %r)" % (stride, stride, padding)
    text = "%s k3x3 s%d %s x %d -> %d" % (sized(shape), stride, padding, multiplier, out)

    def make():
        draw = draw_for(identity)
        return [separable_fill(label, windows, shapes, draw) for label in ("int", "real")]

    return Case(identity, "DepthwiseConv2dNative", text, code, "xwp", 3, make, level, graph)


def separable_fill(label, windows, shapes, draw):
    shapes += (shapes[0][:1] + windows.out + shapes[2][-1:],)
    if label == "int":
        given = [whole_numbers(draw, shape, high) for shape, high in zip(shapes, (3, 2, 2, 3))]
    else:
        given = [real_numbers(draw, shape) for shape in shapes]
    values, absolutes = separable(windows, *given), separable(windows, *[abs(array) for array in given])
    counts, wants = separable_counts(windows, shapes), {}
    for name, op, axes, over in SEPARABLE_WANTS:
        if label == "int":
            wants[name] = bounds.integers(op, values[name], axes)
        else:
            wants[name] = bounds.products(op, values[name], absolutes[name], counts[name], axes, over)
    return Fill(label, given[:3], given[3], wants)


SEPARABLE_WANTS = (
    ("y", "Conv2D", IMAGE, (1, 2)),
    ("dx", OPS["dx"], IMAGE, (1, 2)),
    ("dw", OPS["dw"], KERNELS, (0, 1)),
    ("dp", "Conv2DBackpropFilter", KERNEL, None),
)


def separable(windows, x, w, p, dy):
    """The output and the three gradients, in float64."""
    between, pointwise = depthwise(x, w, windows), p[0, 0].astype("float64")
    above = dy @ pointwise.T
    dp = between.reshape(-1, between.shape[-1]).T @ dy.reshape(-1, dy.shape[-1]).astype("float64")
    dx, dw = depthwise_dx(above, w, windows), depthwise_dw(x, above, windows)
    return {"y": between @ pointwise, "dx": dx, "dw": dw, "dp": dp[None, None]}


def separable_counts(windows, shapes):
    """Products in the expanded sums: no more than these were multiplied out, and the bound grows with their root."""
    area, places = product(windows.kernel), product(shapes[3][:-1])
    middle, out = shapes[2][2:]
    multiplier = shapes[1][-1]
    return {"y": area * middle, "dx": area * multiplier * out, "dw": places * out, "dp": places * area}
