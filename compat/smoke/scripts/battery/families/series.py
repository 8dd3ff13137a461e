"""Conv2D called again and again: what comes out must not depend on what was computed before."""

from battery.case import Case
from battery.families.convolution import ConvolutionSums
from battery.references.windows import Windows
from battery.sums import linear_fill
from battery.values import draw_for

CALLS = {
    # name: (calls, level, level compiled)
    "repeat": (16, "quick", "full"),
    "repeat_long": (60, "full", "full"),
}
CODE = "tf.nn.bias_add(tf.nn.conv2d(x, w, 1, %r), b)"


def cases():
    return [repeated(name, *row) for name, row in CALLS.items()] + [batches()]


def repeated(name, calls, level, graph):
    """One small convolution on two sets of data in turn: one result in 50 that is stale or lacks a partial sum.

    The same data again and again would hide a stale result.
    """
    identity, shape, out = "conv2d/" + name, (2, 7, 6, 3), 5

    def make():
        linear, draw = ConvolutionSums(Windows(shape, (3, 3), padding="SAME"), out), draw_for(identity)
        pair = [linear_fill("int", linear, (shape, (3, 3, 3, out), (out,)), False, draw) for _ in range(2)]
        return pair * (calls // 2)

    text = "2x7x6x3 k3x3 SAME -> 5, %d calls" % calls
    return Case(identity, "Conv2D", text, CODE % "SAME", "xwb", 3, make, level, graph)


def batches():
    """A partial batch in between: beyond 32768 elements, gradients after one were wrong (pytorch#177116)."""
    identity = "conv2d/batch_change"

    def make():
        draw = draw_for(identity)
        large, small = (batch_fill(samples, draw) for samples in (32, 24))
        return [large, small, large]

    text = "32, 24, 32 x 18x18x4 k3x3 VALID -> 5"
    return Case(identity, "Conv2D", text, CODE % "VALID", "xwb", 3, make, "quick", "standard", alone=True)


def batch_fill(samples, draw):
    shape = (samples, 18, 18, 4)
    linear = ConvolutionSums(Windows(shape, (3, 3)), 5)
    return linear_fill("int", linear, (shape, (3, 3, 4, 5), (5,)), False, draw)
