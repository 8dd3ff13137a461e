"""Faults of layer, group and batch normalization and of vector norms. See `breadth_hooks`."""

import math

from breadth_hooks import (
    as_tensor,
    both_ways,
    fault,
    kernel,
    normal,
    quick_kernel,
    spoil,
    stale_tail,
    tf,
    through_layer,
)

LAYER, OTHER = "layer normalization", "batch, group, vector norms"
SMALL = normal(6, 7) * 0.02
PLAIN = through_layer(lambda layers: layers.LayerNormalization(), 6, 7)


def axes_of(layer, x):
    axes = layer.axis if isinstance(layer.axis, (list, tuple)) else [layer.axis]
    return sorted(axis % x.shape.rank for axis in axes)


def shaped(weight, axes, x):
    shape = [x.shape[axis] if axis in axes else 1 for axis in range(x.shape.rank)]
    return tf.reshape(as_tensor(weight), shape)


def layer_norm(name, text, show=PLAIN, axes=lambda axes: axes, moments=None, scale=None, affine=None):
    """A fault of the fused kernel a device has for LayerNormalization."""

    def plant(breakage):
        def made(original):
            def call(self, inputs, *args, **kwargs):
                own = axes_of(self, inputs)
                x = tf.cast(inputs, tf.float32)
                mean, variance = (moments or tf.nn.moments)(x, axes(own), keepdims=True)
                y = (x - mean) * (scale(variance, self.epsilon) if scale else tf.math.rsqrt(variance + self.epsilon))
                weights = [shaped(w, own, x) if w is not None else None for w in (self.gamma, self.beta)]
                gamma, beta = affine(*weights) if affine else weights
                y = y if gamma is None else y * gamma
                return tf.cast(y if beta is None else y + beta, inputs.dtype)

            return call

        breakage.replace(tf.keras.layers.LayerNormalization, "call", made)

    plant.__name__, plant.__doc__ = name, text
    fault("LayerNormalization", LAYER, show)(plant)


def unbiased(x, axes, keepdims):
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    count = float(math.prod(int(x.shape[axis]) for axis in axes))
    return mean, variance * (count / max(count - 1, 1))


def constants(x, axes, keepdims):
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    return tf.stop_gradient(mean), tf.stop_gradient(variance)


def half_constant(x, axes, keepdims):
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    return mean, tf.stop_gradient(variance)


def whole_quads(x, axes, keepdims):
    length = int(x.shape[axes[-1]])
    kept = length // 4 * 4 or length
    return tf.nn.moments(tf.gather(x, tf.range(kept), axis=axes[-1]), axes, keepdims=True)


def one_pass(x, axes, keepdims):
    mean = tf.reduce_mean(x, axes, keepdims=True)
    squares = tf.reduce_mean(tf.square(x), axes, keepdims=True)
    return mean, tf.maximum(tf.cast(tf.cast(squares, tf.float16) - tf.cast(tf.square(mean), tf.float16), tf.float32), 0)


layer_norm("layer_norm_unbiased_variance", "The variance is divided by n - 1.", moments=unbiased)
layer_norm("layer_norm_statistics_constant", "Backward, mean and variance are constants.", moments=constants)
layer_norm(
    "layer_norm_gradient_without_variance", "Backward, the term through the variance is missing.", moments=half_constant
)
layer_norm(
    "layer_norm_channel_tail",
    "Features behind the last multiple of four do not enter mean and variance.",
    moments=whole_quads,
)
layer_norm(
    "layer_norm_epsilon_ignored",
    "Epsilon is not added (shows where the variance is small).",
    through_layer(lambda layers: layers.LayerNormalization(), 6, 7, x=SMALL),
    scale=lambda variance, epsilon: tf.math.rsqrt(variance + 1e-12),
)
layer_norm(
    "layer_norm_epsilon_outside",
    "Epsilon is added to the standard deviation instead of the variance.",
    through_layer(lambda layers: layers.LayerNormalization(), 6, 7, x=SMALL),
    scale=lambda variance, epsilon: 1 / (tf.sqrt(variance) + epsilon),
)
layer_norm(
    "layer_norm_last_axis_only",
    "Of several axes only the last is normalized.",
    through_layer(lambda layers: layers.LayerNormalization(axis=[1, 2]), 4, 5, 6),
    axes=lambda axes: axes[-1:],
)
layer_norm(
    "layer_norm_one_pass_half",
    "The variance is taken as E[x^2] - E[x]^2 in half precision.",
    through_layer(lambda layers: layers.LayerNormalization(), 6, 7, x=normal(6, 7) + 3),
    moments=one_pass,
)
layer_norm(
    "layer_norm_beta_gradient_missing",
    "The gradient of beta is zero.",
    affine=lambda gamma, beta: (gamma, beta if beta is None else tf.stop_gradient(beta)),
)


@fault("GroupNormalization", OTHER, through_layer(lambda layers: layers.GroupNormalization(2), 3, 4, 4, 6))
def group_norm_channels_interleaved(breakage):
    """Groups are made of every k-th channel instead of neighbouring channels."""

    def made(original):
        def call(self, inputs, *args, **kwargs):
            groups, channels = self.groups, int(inputs.shape[-1])
            order = [c for start in range(groups) for c in range(start, channels, groups)]
            x = tf.gather(inputs, order, axis=-1)
            parts = tf.reshape(x, tf.concat([tf.shape(x)[:-1], [groups, channels // groups]], 0))
            axes = [axis for axis in range(1, parts.shape.rank) if axis != parts.shape.rank - 2]
            mean, variance = tf.nn.moments(parts, axes, keepdims=True)
            y = tf.reshape((parts - mean) * tf.math.rsqrt(variance + self.epsilon), tf.shape(x))
            y = tf.gather(y, [order.index(c) for c in range(channels)], axis=-1)
            y = y * as_tensor(self.gamma) if self.gamma is not None else y
            return y + as_tensor(self.beta) if self.beta is not None else y

        return call

    breakage.replace(tf.keras.layers.GroupNormalization, "call", made)


def batch_norm(training):
    scale, offset, mean, variance = normal(5), normal(5, seed=1), normal(5, seed=2), abs(normal(5, seed=3)) + 0.5

    def run(x, scale, offset):
        found = tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=scale,
            offset=offset,
            mean=[] if training else mean,
            variance=[] if training else variance,
            is_training=training,
            epsilon=1e-3,
        )
        return found[0] + tf.reduce_sum(found[2])

    return both_ways(run, normal(3, 4, 5, 5), scale, offset)


BATCH_NORMS = ("FusedBatchNormV3", "FusedBatchNormV2", "FusedBatchNorm")
BATCH_NORM_GRADIENTS = ("FusedBatchNormGradV3", "FusedBatchNormGradV2", "FusedBatchNormGrad")


@kernel(*BATCH_NORMS, family=OTHER, show=batch_norm(False))
def batch_norm_inference_takes_batch(call):
    """At inference the statistics of the batch are used instead of the moving ones."""
    if call.attr("is_training"):
        return None
    mean, variance = tf.nn.moments(call.inputs[0], [0, 1, 2])
    return call.again(mean=mean, variance=variance)[:1] + call.outputs[1:]


@kernel(*BATCH_NORMS, family=OTHER, show=batch_norm(True))
def batch_norm_variance_uncorrected(call):
    """The variance handed on to the moving average is divided by n instead of n - 1."""
    if not call.attr("is_training"):
        return None
    x = call.inputs[0]
    count = tf.cast(tf.size(x) // tf.shape(x)[3], tf.float32)
    variance = call.outputs[2] * tf.maximum(count - 1, 1) / count
    return [call.outputs[0], call.outputs[1], variance] + call.outputs[3:]


@kernel(*BATCH_NORM_GRADIENTS, family=OTHER, show=batch_norm(True))
def batch_norm_gradient_without_mean_term(call):
    """The input gradient of a training step lacks the term through the batch mean."""
    if not call.attr("is_training"):
        return None
    upstream, x, scale = call.inputs[:3]
    spread = tf.nn.moments(x, [0, 1, 2])[1] + call.attr("epsilon")
    term = scale * tf.math.rsqrt(spread) * tf.reduce_mean(upstream, [0, 1, 2])
    return [call.outputs[0] + term] + call.outputs[1:]


@kernel(*BATCH_NORMS, family=OTHER, show=batch_norm(False))
def batch_norm_scale_tail(call):
    """Channels behind the last multiple of four are scaled with the weight of the channel before."""
    return call.again(scale=stale_tail(call.inputs[1], 0, 4))[:1] + call.outputs[1:]


quick_kernel(
    "rsqrt_estimate",
    "Rsqrt",
    OTHER,
    "The reciprocal square root is the hardware's estimate, right to 12 bits.",
    both_ways(lambda x: tf.math.l2_normalize(x, -1), normal(5, 9)),
    lambda call: call.outputs[0] * tf.cast(1 + 2.0**-12, call.dtype()),
)


@kernel("Sum", op="L2 norm", family=OTHER, show=both_ways(lambda x: tf.norm(x, axis=-1), normal(4, 70)))
def norm_beyond_64(call):
    """The norm of a vector of more than 64 elements misses the elements behind the last multiple of 64."""
    x = call.inputs[0]
    axes = call.value("reduction_indices")
    if not call.called_by("norm", "l2_normalize_v2", "l2_normalize", "clip_by_norm") or axes is None or axes.size != 1:
        return None
    axis = int(axes.reshape(-1)[0]) % x.shape.rank
    return call.again(input=spoil(x, axis, lambda place, n: (place < n // 64 * 64) | (n <= 64)))
