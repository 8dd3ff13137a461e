"""Which operations are computed, on which shapes and values, and what must come out.

Stand-alone: NumPy only, CPython 3.8 syntax. A case knows its TensorFlow expression but gets the module as an argument.
Each shape stands for a class of bugs that was really reported; see the comments of the tables.
"""

import bounds
import numpy as np
import references

CONVOLUTIONS = {
    # name: (N, H, W, in, out, kernel, stride, dilation, padding, relu, level)
    "k3_odd": (2, 9, 7, 3, 5, (3, 3), 1, 1, "SAME", False, "quick"),  # odd sizes, 3 channels (16-byte rows)
    "k3_s2": (3, 11, 10, 6, 7, (3, 3), 2, 1, "SAME", False, "quick"),  # stride 2, asymmetric padding
    "k2_even": (5, 7, 6, 1, 9, (2, 2), 1, 1, "SAME", False, "quick"),  # one-sided padding
    "k1_wide": (3, 6, 5, 17, 33, (1, 1), 1, 1, "SAME", False, "quick"),  # the 1x1 path
    "dil2_direct": (2, 11, 11, 4, 4, (3, 3), 1, 2, "SAME", False, "quick"),
    "k3_relu": (2, 8, 9, 4, 8, (3, 3), 1, 1, "SAME", True, "quick"),  # convolution, bias and ReLU fused
    "report_l1": (8, 30, 30, 3, 32, (3, 3), 1, 1, "VALID", False, "quick"),  # the first layer of the report
    "k3_b1_valid": (1, 8, 8, 4, 8, (3, 3), 1, 1, "VALID", False, "standard"),  # batch 1, Winograd candidate
    "k5": (2, 10, 12, 2, 3, (5, 5), 1, 1, "SAME", False, "standard"),
    "k7_s2": (2, 15, 15, 3, 16, (7, 7), 2, 1, "SAME", False, "standard"),  # the stem of a ResNet
    "k1_s2": (2, 7, 8, 5, 6, (1, 1), 2, 1, "SAME", False, "standard"),  # residual projection
    "deep": (2, 5, 4, 130, 66, (3, 3), 1, 1, "SAME", False, "standard"),  # more than 128 and 64 channels
    "full_kernel": (7, 4, 3, 6, 5, (4, 3), 1, 1, "VALID", False, "standard"),  # 1x1 output, odd batch
    "batch65600": (65600, 1, 1, 1, 1, (1, 1), 1, 1, "VALID", False, "standard"),  # batch index beyond 2^16
}
DENSE = {
    # name: (samples, in, out, level)
    "n1": (1, 130, 33, "quick"),
    "n7": (7, 130, 33, "quick"),
    "n24": (24, 784, 300, "quick"),  # a partial batch
    "k1": (64, 1, 16, "standard"),
    "n33001": (33001, 3, 2, "standard"),  # row index beyond 2^15
}
POOLS = {
    # name: (N, H, W, C, window, stride, padding, level); more than 2048 distinct values tie if compared in float16
    "k2s2": (2, 8, 8, 6, (2, 2), 2, "VALID", "quick"),
    "k2s2_same": (5, 9, 7, 8, (2, 2), 2, "SAME", "quick"),  # the padding must be -inf, not 0
    "k3s2": (3, 11, 10, 7, (3, 3), 2, "VALID", "quick"),  # windows overlap: gradients add
    "k3s2_same": (5, 10, 9, 1, (3, 3), 2, "SAME", "standard"),
    "k3s1": (2, 6, 7, 17, (3, 3), 1, "SAME", "standard"),
    "big": (8, 28, 28, 32, (2, 2), 2, "VALID", "standard"),
}
SOFTMAXES = {"c2": (16, 2), "c10": (7, 10), "c1000": (5, 1000)}
EXTREMES = np.array([[1000, 0], [0, 1000], [-1000, -1001], [88.75, 89.5], [-110, 90], [3, 3]], np.float32)


class Fill:
    """One set of inputs: arrays, the gradient that comes from above (None: forward only), and what must come out."""

    def __init__(self, label, inputs, upstream, wants):
        self.label, self.inputs, self.upstream, self.wants = label, inputs, upstream, wants


class Case:
    """One operation on one shape. `expression(tf, *inputs)`; gradients are taken for the first `sources` inputs."""

    def __init__(self, name, shape, expression, sources, make_fills, level):
        self.name, self.shape, self.expression, self.sources = name, shape, expression, sources
        self.level, self._make, self._fills = level, make_fills, None

    @property
    def fills(self):
        """Built once, at first use, and shared by all modes and devices."""
        if self._fills is None:
            self._fills = self._make()
        return self._fills


def all_cases():
    cases = [convolution(name, *row) for name, row in CONVOLUTIONS.items()]
    cases += [dense(name, *row) for name, row in DENSE.items()]
    cases += [pool(name, *row) for name, row in POOLS.items()]
    cases += [case for name, row in SOFTMAXES.items() for case in (softmax(name, *row), cross_entropy(name, *row))]
    return cases + [extreme_softmax(), extreme_cross_entropy()]


def whole_numbers(draw, shape, highest):
    """Non-zero integers within +-highest: a zero would hide a lost product."""
    return (draw.randint(1, highest + 1, shape) * draw.choice([-1, 1], shape)).astype(np.float32)


def real_numbers(draw, shape):
    return draw.randn(*shape).astype(np.float32)


def integer_heights(longest_sum):
    """Largest x, w and dy, so that every sum stays far below 2^24 and below what Winograd can blur."""
    return (3, 2, 2) if longest_sum > 2000 else (7, 3, 3)


def convolution(name, n, h, w, ci, co, kernel, stride, dilation, padding, relu, level):
    windows = references.Windows((n, h, w, ci), kernel, (stride,) * 2, (dilation,) * 2, padding)

    def expression(tf, x, k, b):
        y = tf.nn.conv2d(x, k, strides=stride, padding=padding, dilations=dilation)
        return tf.nn.relu(tf.nn.bias_add(y, b)) if relu else tf.nn.bias_add(y, b)

    def make():
        linear = ConvolutionSums(windows, co)
        return three_and_one(linear, ((n, h, w, ci), kernel + (ci, co), (co,)), relu, seed_of(name))

    text = "%dx%dx%dx%d k%dx%d s%d d%d %s -> %d" % (n, h, w, ci, kernel[0], kernel[1], stride, dilation, padding, co)
    return Case("conv2d/" + name, text, expression, 3, make, level)


def dense(name, n, width, out, level):
    def expression(tf, x, k, b):
        return tf.nn.relu(tf.nn.bias_add(tf.matmul(x, k), b))

    def make():
        return three_and_one(MatrixSums(n, width, out), ((n, width), (width, out), (out,)), True, seed_of(name))

    return Case("dense/" + name, "%dx%d -> %d, relu" % (n, width, out), expression, 3, make, level)


def three_and_one(linear, shapes, relu, seed):
    """Integers A, B, A (a stale result shows on the change), then real values."""
    draw = np.random.RandomState(seed)
    a, b = (linear_fill("int", linear, shapes, relu, draw) for _ in range(2))
    return [a, b, a, linear_fill("real", linear, shapes, relu, draw)]


def linear_fill(label, linear, shapes, relu, draw):
    if label == "int":
        high = integer_heights(max(linear.counts.values()))
        x, k, b = (whole_numbers(draw, shape, top) for shape, top in zip(shapes, high[:2] + (7,)))
        b = b - np.float32(0.5) if relu else b  # never exactly 0 before the ReLU
        upstream = whole_numbers(draw, linear.out, high[2])
    else:
        x, k, b = (real_numbers(draw, shape) for shape in shapes)
        upstream = real_numbers(draw, linear.out)
    before = linear.forward(x, k) + b
    y = linear.want(label, "y", before, linear.forward(abs(x), abs(k)) + abs(b))
    if relu:
        upstream = np.where(abs(before) > y.limit, upstream, 0).astype(np.float32)  # no decision within rounding
        y.value = np.maximum(before, 0)
    passed = upstream * (before > 0) if relu else upstream
    return Fill(label, (x, k, b), upstream, dict(y=y, **linear.gradients(label, x, k, passed)))


class ConvolutionSums:
    """Conv2D as sums of products: how many, over which axes their error spreads, and their values."""

    ops = {"y": "Conv2D", "dx": "Conv2DBackpropInput", "dw": "Conv2DBackpropFilter", "db": "BiasAddGrad"}
    axes = {"y": bounds.IMAGE, "dx": bounds.IMAGE, "dw": bounds.KERNEL, "db": ("channel",)}
    over = {"y": (1, 2), "dx": (1, 2), "dw": (0, 1), "db": None}

    def __init__(self, windows, co):
        n, _, _, ci = windows.shape
        area, places = windows.kernel[0] * windows.kernel[1], n * windows.out[0] * windows.out[1]
        self.windows, self.out = windows, (n,) + windows.out + (co,)
        self.counts = {"y": area * ci + 1, "dx": area * co, "dw": places, "db": places}

    def forward(self, x, k):
        return references.conv2d(x, k, self.windows)

    def backward(self, x, k, dy):
        return {
            "dx": references.conv2d_dx(dy, k, self.windows),
            "dw": references.conv2d_dw(x, dy, self.windows),
            "db": dy.sum(axis=(0, 1, 2), dtype=np.float64),
        }

    def gradients(self, label, x, k, dy):
        values, absolutes = self.backward(x, k, dy), self.backward(abs(x), abs(k), abs(dy))
        return {name: self.want(label, name, values[name], absolutes[name]) for name in values}

    def want(self, label, name, value, absolute):
        if label == "int":
            return bounds.integers(self.ops[name], value, self.axes[name])
        return bounds.products(self.ops[name], value, absolute, self.counts[name], self.axes[name], self.over[name])


class MatrixSums(ConvolutionSums):
    """MatMul, BiasAdd and Relu, as a Dense layer is compiled: the pattern that plugins fuse."""

    ops = {"y": "MatMul+BiasAdd+Relu", "dx": "MatMul", "dw": "MatMul", "db": "BiasAddGrad"}
    axes = {"y": bounds.ROWS, "dx": bounds.ROWS, "dw": bounds.MATRIX, "db": ("feature",)}
    over = dict.fromkeys(ops)

    def __init__(self, n, width, out):
        self.out, self.counts = (n, out), {"y": width + 1, "dx": out, "dw": n, "db": n}

    def forward(self, x, k):
        return x.astype(np.float64) @ k

    def backward(self, x, k, dy):
        dy = dy.astype(np.float64)
        return {"dx": dy @ k.T, "dw": x.T @ dy, "db": dy.sum(axis=0)}


def pool(name, n, h, w, c, window, stride, padding, level):
    windows = references.Windows((n, h, w, c), window, (stride,) * 2, (1, 1), padding)

    def expression(tf, x):
        return tf.nn.max_pool2d(x, window, stride, padding)

    def make():
        draw = np.random.RandomState(seed_of(name))
        size = n * h * w * c
        return [pool_fill(windows, draw, -lowest) for lowest in (size // 2, size + 5)]  # centred; all negative

    text = "%dx%dx%dx%d k%dx%d s%d %s" % (n, h, w, c, window[0], window[1], stride, padding)
    return Case("maxpool/" + name, text, expression, 1, make, level)


def pool_fill(windows, draw, lowest):
    """A permutation of consecutive integers: no ties, and neighbours differ by 1."""
    x = (draw.permutation(int(np.prod(windows.shape))) + lowest).reshape(windows.shape).astype(np.float32)
    y, winners = references.max_pool(x, windows)
    upstream = whole_numbers(draw, y.shape, 50)
    dx = references.max_pool_dx(upstream, winners, windows)
    wants = {"y": bounds.exact("MaxPool", y, bounds.IMAGE), "dx": bounds.exact("MaxPoolGrad", dx, bounds.IMAGE)}
    return Fill("exact", (x,), upstream, wants)


def softmax(name, n, classes):
    def make():
        z = logits(n, classes, np.random.RandomState(seed_of(name)))
        return [Fill("bound", (z,), None, {"y": bounds.softmax(references.softmax(z), z)})]

    return Case("softmax/" + name, "%dx%d" % (n, classes), lambda tf, z: tf.nn.softmax(z), 0, make, "quick")


def cross_entropy(name, n, classes):
    def make():
        draw = np.random.RandomState(seed_of(name) + 1)
        z, targets = logits(n, classes, draw), np.eye(classes, dtype=np.float32)[draw.randint(0, classes, n)]
        return [cross_entropy_fill("bound", z, targets, real_numbers(draw, (n,)))]

    return Case("xent/" + name, "%dx%d" % (n, classes), loss_expression, 1, make, "quick")


def logits(n, classes, draw):
    """Within 8 of each other: a fast exp degrades with the size of its argument."""
    return np.clip(1.5 * real_numbers(draw, (n, classes)), -4, 4)


def loss_expression(tf, z, targets):
    return tf.nn.softmax_cross_entropy_with_logits(labels=targets, logits=z)


def cross_entropy_fill(label, z, targets, upstream):
    loss, dz = references.cross_entropy(z, targets)
    wants = {
        "y": bounds.cross_entropy(loss, z, targets),
        "dx": bounds.cross_entropy_dz(dz * upstream[:, None], z, targets, upstream),
    }
    return Fill(label, (z, targets), upstream, wants)


def extreme_softmax():
    """Logits whose exponentials overflow unless the maximum is taken off first."""
    value = references.softmax(EXTREMES)
    fill = Fill("extreme", (EXTREMES,), None, {"y": bounds.Want("Softmax", value, 64 * bounds.U, bounds.ROWS)})
    return Case("softmax/extreme", "6x2", lambda tf, z: tf.nn.softmax(z), 0, lambda: [fill], "quick")


def extreme_cross_entropy():
    targets = np.array([[1, 0]] * len(EXTREMES), np.float32)
    fill = cross_entropy_fill("extreme", EXTREMES, targets, np.ones(len(EXTREMES), np.float32))
    loss, dz = fill.wants["y"], fill.wants["dx"]
    loss.limit = 64 * bounds.U * (1 + abs(loss.value))
    dz.limit = np.full_like(dz.value, 64 * bounds.U)
    return Case("xent/extreme", "6x2", loss_expression, 1, lambda: [fill], "quick")


SEED = 0
"""Changed only to measure false alarms over other values; 0 is what users run."""


def seed_of(name):
    names = sorted(set(CONVOLUTIONS) | set(DENSE) | set(POOLS) | set(SOFTMAXES))
    return (SEED * 1009 + 31 * names.index(name) + 1) % 2**31
