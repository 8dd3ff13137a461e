"""Softmax and cross-entropy, with ordinary logits and with those that overflow unless the maximum is taken off first."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.references import losses
from battery.references.functions import sigmoid
from battery.references.neural import cross_entropy, softmax
from battery.values import draw_for, logits, real_numbers
from battery.wants import ROWS, U, Want

SIZES = {
    # name: (samples, classes, level, level compiled)
    "c2": (16, 2, "standard", "full"),
    "c10": (7, 10, "quick"),
    "c1000": (5, 1000, "quick", "full"),
    "c70001": (2, 70001, "standard", "full"),
}
EXTREMES = np.array([[1000, 0], [0, 1000], [-1000, -1001], [88.75, 89.5], [-110, 90], [3, 3]], np.float32)
SOFTMAX = "tf.nn.softmax(z)"
XENT = "tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)"
SPARSE = "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=z)"
SIGMOID = "tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=z)"


def cases():
    found = []
    for name, size in SIZES.items():
        found += [softmax_case(name, *size), xent_case(name, *size), sparse_case(name, *size)]
    found += [extreme_softmax(), extreme_xent(), far_xent(), soft_xent(), mean_xent(), offset_softmax(), axis_softmax()]
    found += [log_softmax_case(), sigmoid_xent(), l2_loss()]
    return found + [by_formula(name, loss) for name, loss in losses.LOSSES.items()]


def softmax_case(name, n, classes, level, graph=None):
    identity = "softmax/" + name

    def make():
        draw = draw_for(identity)
        return [softmax_fill(logits(draw, n, classes), real_numbers(draw, (n, classes)))]

    return Case(identity, "Softmax", "%dx%d" % (n, classes), SOFTMAX, "z", 1, make, level, graph)


def softmax_fill(z, upstream, axes=ROWS):
    dz, limit = losses.softmax_gradient(z.astype(np.float64), upstream.astype(np.float64))
    y = bounds.softmax(softmax(z), z)
    return Fill("bound", (z,), upstream, {"y": y, "dz": Want("Softmax gradient", dz, limit, axes)})


def xent_case(name, n, classes, level, graph=None):
    identity = "xent/" + name

    def make():
        draw = draw_for(identity)
        z, targets = logits(draw, n, classes), np.eye(classes, dtype=np.float32)[draw.randint(0, classes, n)]
        return [xent_fill("bound", z, targets, real_numbers(draw, (n,)))]

    if classes > 10000:  # the sparse form is the one in use
        return soft_case(identity, n, classes, level, graph)
    op = "SoftmaxCrossEntropyWithLogits"  # so many nodes around it that quick compiles the sparse one
    return Case(identity, op, "%dx%d" % (n, classes), XENT, "zt", 1, make, level, graph or "standard")


def soft_xent():
    return soft_case("xent/soft", 7, 33, "quick", "full")


def soft_case(identity, n, classes, level, graph=None):
    """Targets that are probabilities, none of them 0."""

    def make():
        draw = draw_for(identity)
        z, targets = logits(draw, n, classes), softmax(logits(draw, n, classes)).astype(np.float32)
        return [xent_fill("bound", z, targets, real_numbers(draw, (n,)))]

    return Case(identity, "SoftmaxCrossEntropyWithLogits", "%dx%d" % (n, classes), XENT, "zt", 1, make, level, graph)


def xent_fill(label, z, targets, upstream):
    loss, dz = cross_entropy(z, targets)
    wants = {
        "y": bounds.cross_entropy(loss, z, targets),
        "dz": bounds.cross_entropy_dz(dz * upstream[:, None], z, targets, upstream),
    }
    return Fill(label, (z, targets), upstream, wants)


def sparse_case(name, n, classes, level, graph=None):
    """Targets by number, the first and the last class among them; quick compiles this with the mean only."""
    identity, level = "xent/sparse_" + name, "standard" if name == "c10" else level

    def make():
        draw = draw_for(identity)
        numbers = draw.randint(0, classes, n).astype(np.int32)
        numbers[-2:] = 0, classes - 1
        return [sparse_fill(logits(draw, n, classes), numbers, real_numbers(draw, (n,)))]

    op = "SparseSoftmaxCrossEntropyWithLogits"
    return Case(identity, op, "%dx%d" % (n, classes), SPARSE, "zt", 1, make, level, graph or "standard")


def sparse_fill(z, numbers, upstream):
    targets = np.zeros(z.shape, np.float32)
    targets[np.arange(len(z)), numbers] = 1
    fill = xent_fill("bound", z, targets, upstream)
    for want in fill.wants.values():
        want.op = "SparseSoftmaxCrossEntropyWithLogits"
    return Fill("bound", (z, numbers), upstream, fill.wants)


def mean_xent():
    """The mean over the batch, as a training step has it: the gradient comes as one number for all."""
    n, classes = 7, 10

    def make():
        draw = draw_for("xent/mean")
        numbers = draw.randint(0, classes, n).astype(np.int32)
        fill = sparse_fill(logits(draw, n, classes), numbers, np.full(n, 1.0 / n))
        y = fill.wants["y"]
        mean = Want("Mean", y.value.mean(), y.limit.mean() + 16 * U * abs(y.value).mean())
        fill.wants["dz"].limit = fill.wants["dz"].limit + 8 * U * abs(fill.wants["dz"].value)
        return [Fill("bound", fill.inputs, np.float32(1), {"y": mean, "dz": fill.wants["dz"]})]

    op = "SparseSoftmaxCrossEntropyWithLogits"
    return Case("xent/mean", op, "7x10", "tf.reduce_mean(%s)" % SPARSE, "zt", 1, make)


def extreme_softmax():
    def make():
        want = Want("Softmax", softmax(EXTREMES), 64 * U, ROWS)
        return [Fill("extreme", (EXTREMES,), np.zeros_like(EXTREMES), {"y": want})]

    return Case("softmax/extreme", "Softmax", "6x2", SOFTMAX, "z", 1, make)


def offset_softmax():
    """All logits near 10,000: the differences are exact, and only they count."""

    def make():
        draw = draw_for("softmax/offset")
        z = (10000 + np.round(256 * logits(draw, 4, 1000)) / 256).astype(np.float32)
        return [softmax_fill(z, real_numbers(draw, z.shape))]

    return Case("softmax/offset", "Softmax", "4x1000 near 10000", SOFTMAX, "z", 1, make, "quick", "full")


def axis_softmax():
    """Along another axis than the last."""

    def make():
        draw = draw_for("softmax/axis")
        z, upstream = logits(draw, 3 * 6, 5).reshape(3, 6, 5), real_numbers(draw, (3, 6, 5))
        fill = softmax_fill(z, upstream, ("sample", "row", "class"))
        for want in fill.wants.values():
            want.value, want.limit = want.value.transpose(0, 2, 1), want.limit.transpose(0, 2, 1)
        given = (np.ascontiguousarray(a.transpose(0, 2, 1)) for a in (z, upstream))
        z, upstream = given
        return [Fill("bound", (z,), upstream, fill.wants)]

    return Case("softmax/axis", "Softmax", "3x5x6, axis 1", "tf.nn.softmax(z, axis=1)", "z", 1, make, "standard")


def extreme_xent():
    def make():
        targets = np.array([[1, 0]] * len(EXTREMES), np.float32)
        fill = xent_fill("extreme", EXTREMES, targets, np.ones(len(EXTREMES), np.float32))
        loss, dz = fill.wants["y"], fill.wants["dz"]
        loss.limit = 64 * U * (1 + abs(loss.value))
        dz.limit = np.full_like(dz.value, 64 * U)
        return [fill]

    return Case("xent/extreme", "SoftmaxCrossEntropyWithLogits", "6x2", XENT, "zt", 1, make, "quick", "standard")


def spread_out(draw, classes):
    """Logits from -250 to 75 (pytorch#94043 gives -inf), all too large for an exponential, and all too small for one."""
    return np.stack([draw.uniform(*ends, size=classes) for ends in ((-250, 75), (95, 250), (-250, -120))])


def far_xent():
    """Logits whose maximum must be taken off first, and targets where the probability is nothing."""

    def make():
        draw = draw_for("xent/far")
        z = spread_out(draw, 10).astype(np.float32)
        numbers = z.argmin(axis=1).astype(np.int32)
        fill = sparse_fill(z, numbers, real_numbers(draw, (3,)))
        fill.wants["dz"].limit = fill.wants["dz"].limit + 64 * U * abs(fill.upstream)[:, None]
        return [fill]

    op = "SparseSoftmaxCrossEntropyWithLogits"
    return Case("xent/far", op, "3x10, logits -250..250", SPARSE, "zt", 1, make, "quick", "full")


def log_softmax_case():
    def make():
        draw = draw_for("softmax/log")
        z, upstream = logits(draw, 7, 33), real_numbers(draw, (7, 33))
        z[3:6] = spread_out(draw, 33)
        value, limit, dz, off = losses.log_softmax(z.astype(np.float64), upstream.astype(np.float64))
        wants = {"y": Want("LogSoftmax", value, limit, ROWS), "dz": Want("LogSoftmax gradient", dz, off, ROWS)}
        return [Fill("bound", (z,), upstream, wants)]

    return Case("softmax/log", "LogSoftmax", "7x33", "tf.nn.log_softmax(z)", "z", 1, make, "quick", "standard")


def sigmoid_xent():
    def make():
        draw = draw_for("xent/sigmoid")
        z, t = 3 * real_numbers(draw, (7, 33)), draw.uniform(0, 1, (7, 33)).astype(np.float32)
        z.flat[:8], t.flat[:8] = (1000, 1000, -1000, -1000, 88.8, -88.8, 20, -20), (0, 1, 0, 1, 1, 1, 0.5, 0.5)
        upstream = real_numbers(draw, z.shape)
        value, limit, slope, off = losses.sigmoid_cross_entropy(z.astype(np.float64), t.astype(np.float64))
        wants = {
            "y": Want("Softplus", value, limit, ROWS),
            "dz": Want("Sigmoid", upstream * slope, abs(upstream) * off + 2 * U * abs(upstream * slope), ROWS),
        }
        return [Fill("bound", (z, t), upstream, wants)]

    return Case(
        "xent/sigmoid", "SigmoidCrossEntropy", "7x33, logits to 1000", SIGMOID, "zt", 1, make, "quick", "standard"
    )


def l2_loss():
    """Half the sum of squares, of which every penalty on weights is made."""

    def make():
        x = real_numbers(draw_for("loss/l2"), (33, 65))
        wide = x.astype(np.float64)
        y = bounds.relative("L2Loss", (wide**2).sum() / 2, 16 + x.size**0.5)
        return [
            Fill("bound", (x,), np.float32(3), {"y": y, "dx": bounds.relative("L2Loss gradient", 3 * wide, 4, ROWS)})
        ]

    return Case("loss/l2", "L2Loss", "33x65", "tf.nn.l2_loss(x)", "x", 1, make, "quick", "standard")


def by_formula(name, loss):
    identity = "loss/" + name

    def make():
        draw = draw_for(identity)
        x, t = (2 * real_numbers(draw, (7, 33)) for _ in range(2))
        if name in ("kl", "binary"):  # probabilities
            x, t = (np.clip(softmax(2 * a) if name == "kl" else sigmoid(a), 1e-3, 0.999) for a in (x, t))
            x, t = x.astype(np.float32), t.astype(np.float32)
        upstream = real_numbers(draw, (7,))
        value, limit, dx, off = loss.of(*(a.astype(np.float64) for a in (x, t, upstream)))
        wants = {"y": Want(loss.op, value, limit, ("sample",)), "dx": Want(loss.op + " gradient", dx, off, ROWS)}
        return [Fill("bound", (x, t), upstream, wants)]

    return Case(identity, loss.op, "7x33", loss.code, "xt", 1, make, "standard")
