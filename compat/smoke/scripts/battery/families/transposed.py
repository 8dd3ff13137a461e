"""Transposed convolutions ("deconvolutions") of one, two and three axes: what they give is a convolution's gradient."""

from battery.families.convolution import AXES, OPS, linear_case, product, sized
from battery.references.windows import Windows, conv2d, conv2d_dw, conv2d_dx
from battery.sums import Sums

SHAPES = {
    # name: (shape that comes out, in, kernel, stride, padding, level, level compiled); odd lengths crop the output
    "k3_s2": ((3, 9, 8, 6), 6, (3, 3), 2, "SAME", "quick", "standard"),
    "k2_s2": ((2, 8, 10, 17), 3, (2, 2), 2, "VALID", "standard"),  # as in a U-Net
    "k4_s2": ((2, 10, 12, 3), 4, (4, 4), 2, "SAME", "standard"),  # as in a DCGAN
    "k5_s3": ((2, 11, 8, 2), 7, (5, 5), 3, "VALID", "standard"),
    "line": ((3, 15, 4), 6, (3,), 2, "SAME", "standard"),
    "volume": ((2, 5, 6, 4, 3), 2, (3, 3, 3), 2, "SAME", "standard"),
}


def cases():
    return [transposed("transposed/" + name, *row) for name, row in SHAPES.items()]


def transposed(identity, shape, channels, kernel, stride, padding, level, graph=None):
    linear = TransposedSums(Windows(shape, kernel, (stride,) * len(kernel), None, padding), channels)
    shapes = (linear.given, kernel + (shape[-1], channels), shape[-1:])
    code = "tf.nn.conv%dd_transpose(x, w, %r, %d, %r)" % (len(kernel), list(shape), stride, padding)
    text = "%s k%s s%d %s -> %s" % (sized(linear.given), sized(kernel), stride, padding, sized(shape))
    code = "tf.nn.bias_add(%s, b)" % code
    return linear_case(identity, linear.ops["y"], text, code, linear, shapes, level, graph)


class TransposedSums(Sums):
    """The gradient of the convolution whose input has the shape that comes out here; `channels` go in."""

    def __init__(self, windows, channels):
        size, inside = windows.kernel, windows.inside
        forward, to_input, to_kernel = OPS[len(size)]
        images, kernels = AXES[len(size)]
        self.windows, self.out = windows, windows.shape
        self.given = windows.shape[:1] + windows.out + (channels,)
        self.ops = {"y": to_input, "dx": forward, "dw": to_kernel, "db": "BiasAddGrad"}
        kernels = kernels[:-2] + kernels[:-3:-1]
        self.axes = {"y": images, "dx": images, "dw": kernels, "db": ("channel",)}
        self.over = {"y": inside, "dx": inside, "dw": tuple(range(len(size)))}
        area, places = product(size), product(self.given[:-1])
        count = product(windows.shape[:-1])
        self.counts = {"y": area * channels + 1, "dx": area * windows.shape[-1], "dw": places, "db": count}

    def forward(self, x, w):
        return conv2d_dx(x, w, self.windows)

    def backward(self, x, w, dy):
        return {
            "dx": conv2d(dy, w, self.windows),
            "dw": conv2d_dw(dy, x, self.windows),
            "db": dy.reshape(-1, dy.shape[-1]).sum(axis=0, dtype="float64"),
        }
