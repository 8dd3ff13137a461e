"""Batch and layer normalization: statistics, what they normalize, and gradients that run through both."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.references.normalizing import Normalized
from battery.values import draw_for, real_numbers
from battery.wants import IMAGE, ROWS, U, Want

EPSILON = 1e-3
FUSED = "tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, epsilon=0.001)"
FUSED_INFERENCE = "tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, mean=mean, variance=variance, epsilon=0.001, is_training=False)[0]"
GIVEN = "tf.nn.batch_normalization(x, mean, variance, beta, gamma, 0.001)"
LAYER = "tf.nn.batch_normalization(x, *tf.nn.moments(x, [-1], keepdims=True), beta, gamma, 0.001)"
WEIGHTS = ("x", "gamma", "beta")
STATISTICS = WEIGHTS + ("mean", "variance")
IMAGES = {
    # name: (shape, level, level compiled)
    "odd": ((3, 7, 5, 5), "quick"),
    "wide": ((2, 3, 3, 130), "standard", "full"),
    "one_sample": ((1, 4, 4, 8), "standard", "full"),
    "large": ((8, 33, 31, 3), "standard", "full"),
}
LAYERS = {
    "odd": ((5, 33), "quick", "standard"),
    "sequence": ((3, 4, 130), "standard", "full"),
    "long": ((7, 1025), "standard", "full"),
}


def cases():
    found = [training(name, *row) for name, row in IMAGES.items()] + [
        inference("fused", FUSED_INFERENCE, "FusedBatchNormV3")
    ]
    found += [inference("given", GIVEN, "Rsqrt"), moments()]
    return found + [layer(name, *row) for name, row in LAYERS.items()] + [unit_length(), length()]


def drawn(draw, shape):
    """Channels with means and spreads of their own; no weight is near 0 or 1."""
    x = real_numbers(draw, shape) * draw.uniform(0.5, 2, shape[-1]) + draw.uniform(-2, 2, shape[-1])
    gamma = draw.choice([-1, 1], shape[-1]) * draw.uniform(0.5, 1.5, shape[-1])
    return tuple(a.astype(np.float32) for a in (x, gamma, real_numbers(draw, shape[-1])))


def normalization_wants(normalized, upstream, op, grad, axes):
    wants = {"y": Want(op, normalized.y, normalized.y_limit, axes)}
    for name, (value, limit) in normalized.backward(upstream).items():
        wants[name] = Want(grad, value, limit, axes if name == "dx" else ("channel",))
    return wants


def training(name, shape, level, graph=None):
    identity = "normalization/" + name

    def make():
        draw = draw_for(identity)
        given, upstream = drawn(draw, shape), real_numbers(draw, shape)
        normalized = Normalized(*given, axes=(0, 1, 2), epsilon=EPSILON)
        wants = normalization_wants(normalized, upstream, "FusedBatchNormV3", "FusedBatchNormGradV3", IMAGE)
        variance, limit = normalized.bessel()
        wants["mean"] = statistic(normalized.mean, normalized.mean_limit)
        wants["variance"] = statistic(variance, limit)
        nothing = np.zeros(shape[-1], np.float32)
        return [Fill("bound", given, [upstream, nothing, nothing], wants)]

    text = "x".join(str(n) for n in shape) + ", training"
    return Case(
        identity, "FusedBatchNormV3", text, FUSED, WEIGHTS, 3, make, level, graph, outputs=("y", "mean", "variance")
    )


def statistic(value, limit):
    return Want("FusedBatchNormV3", value.ravel(), np.ravel(limit), ("channel",))


def inference(name, code, op):
    """With statistics that are given, and not those of the batch."""
    identity, shape = "normalization/inference_" + name, (3, 7, 5, 5)

    def make():
        draw = draw_for(identity)
        given, upstream = drawn(draw, shape), real_numbers(draw, shape)
        mean, variance = real_numbers(draw, shape[-1:]), draw.uniform(0.5, 2, shape[-1]).astype(np.float32)
        normalized = Normalized(*given, axes=(0, 1, 2), epsilon=EPSILON, mean=mean, variance=variance)
        grad = "FusedBatchNormGradV3" if name == "fused" else "Mul"
        wants = normalization_wants(normalized, upstream, op, grad, IMAGE)
        return [Fill("bound", given + (mean, variance), upstream, wants)]

    level = "quick" if name == "fused" else "standard"
    return Case(identity, op, "3x7x5x5, inference", code, STATISTICS, 3, make, level, "standard")


def layer(name, shape, level, graph):
    """Layer normalization by formula, over the last axis."""
    identity = "normalization/layer_" + name

    def make():
        draw = draw_for(identity)
        given, upstream = drawn(draw, shape), real_numbers(draw, shape)
        normalized = Normalized(*given, axes=(len(shape) - 1,), epsilon=EPSILON)
        wants = normalization_wants(normalized, upstream, "Mean+Rsqrt", "LayerNorm gradient", IMAGE[-len(shape) :])
        return [Fill("bound", given, upstream, wants)]

    text = "x".join(str(n) for n in shape) + ", over the last axis"
    return Case(identity, "LayerNorm", text, LAYER, WEIGHTS, 3, make, level, graph)


def moments():
    identity, shape = "normalization/moments", (3, 7, 5, 5)

    def make():
        draw = draw_for(identity)
        x, ones = drawn(draw, shape)[0], np.ones(shape[-1])
        one = Normalized(x, ones, 0 * ones, (0, 1, 2), EPSILON)
        up_mean, up_variance = real_numbers(draw, shape[-1:]), real_numbers(draw, shape[-1:])
        slope = 2 * (x - one.mean) / one.count
        dx = up_mean / one.count + up_variance * slope
        off = 2 * (one.mean_limit + 8 * U * (abs(x) + abs(one.mean))) / one.count
        limit = 16 * U * (abs(up_mean) / one.count + abs(up_variance * slope)) + abs(up_variance) * off
        wants = {"mean": statistic(one.mean, one.mean_limit), "variance": statistic(one.variance, one.variance_limit)}
        wants["mean"].op = wants["variance"].op = "Mean"
        return [Fill("bound", (x,), [up_mean, up_variance], dict(wants, dx=Want("Mean gradient", dx, limit, IMAGE)))]

    outputs = ("mean", "variance")
    return Case(identity, "Mean", "3x7x5x5", "tf.nn.moments(x, [0, 1, 2])", "x", 1, make, "standard", outputs=outputs)


def unit_length():
    """Rows scaled to length 1."""

    def make():
        draw = draw_for("normalization/l2")
        x, upstream = real_numbers(draw, (7, 33)), real_numbers(draw, (7, 33))
        wide = x.astype(np.float64)
        scale = 1 / np.sqrt((wide**2).sum(axis=-1, keepdims=True))
        y, each = wide * scale, 24 + 33**0.5
        along, size = ((a * b).sum(axis=-1, keepdims=True) for a, b in ((y, upstream), (abs(y), abs(upstream))))
        limit = 2 * U * each * scale * (abs(upstream) + 2 * abs(y) * size)
        wants = {
            "y": bounds.relative("Rsqrt", y, each, ROWS),
            "dx": Want("L2Normalize gradient", scale * (upstream - y * along), limit, ROWS),
        }
        return [Fill("bound", (x,), upstream, wants)]

    code = "tf.math.l2_normalize(x, axis=-1)"
    return Case("normalization/l2", "L2Normalize", "7x33", code, "x", 1, make, "standard")


def length():
    """The Euclidean norm of each row; its gradient is the row at length 1."""

    def make():
        draw = draw_for("normalization/norm")
        x, upstream = real_numbers(draw, (7, 130)), real_numbers(draw, (7,))
        wide = x.astype(np.float64)
        y, each = np.sqrt((wide**2).sum(axis=-1)), 24 + 130**0.5
        dx = (upstream / y)[:, None] * wide
        wants = {
            "y": bounds.relative("Sum", y, each, ("sample",)),
            "dx": bounds.relative("Norm gradient", dx, each, ROWS),
        }
        return [Fill("bound", (x,), upstream, wants)]

    code = "tf.norm(x, axis=-1)"
    return Case("normalization/norm", "EuclideanNorm", "7x130", code, "x", 1, make, "quick", "standard")
