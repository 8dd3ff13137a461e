"""Faults of FusedBatchNorm, its gradient, and Keras's layer. Stand-alone, CPython 3.8 syntax; see `planting`.

The fused operation is that of `tf.compat.v1.nn.fused_batch_norm` and of Keras 2; Keras 3 normalises with moments.
"""

import functools

import numpy as np
import probes
from planting import register

fused = functools.partial(register, op="FusedBatchNormV3", family="normalization", probe=probes.batch_norm)
gradient = functools.partial(register, op="FusedBatchNormGradV3", family="normalization", probe=probes.batch_norm)
layer = functools.partial(
    register, op="BatchNormalization layer", family="normalization", probe=probes.batch_norm_layer
)
AXES = [0, 1, 2]


class Statistics:
    """Mean and biased variance over samples, rows and columns."""

    def __init__(self, tf, call):
        self.tf, self.x = tf, call.tensor("x")
        self.gamma, self.beta, self.epsilon = call["scale"], call["offset"], call["epsilon"]
        self.count = tf.cast(tf.size(self.x) // tf.shape(self.x)[3], tf.float32)
        self.mean, self.variance = tf.nn.moments(self.x, AXES)
        self.share = call["exponential_avg_factor"]

    def normalised(self, mean, variance):
        return (self.x - mean) * self.tf.math.rsqrt(variance + self.epsilon) * self.gamma + self.beta

    def unbiased(self):
        return self.variance * self.count / (self.count - 1)


def plant(site, wrong):
    """`wrong(statistics, right)` gives y, mean and variance of a training call."""

    def around(call, right):
        if not call["is_training"] or call.tensor("x").dtype != site.tf.float32:
            return [None] * len(right)
        return list(wrong(Statistics(site.tf, call), right)) + [None] * (len(right) - 3)

    site.output("gen_nn_ops.fused_batch_norm_v3", around)


@fused("bn_unbiased", text="the unbiased variance is used to normalise")
def unbiased(site):
    plant(site, lambda s, right: (s.normalised(s.mean, s.unbiased()), None, None))


@fused("bn_var_biased", text="the variance handed out is the biased one")
def biased(site):
    plant(site, lambda s, right: (None, None, right[2] + s.share * (s.variance - s.unbiased())))


@fused("bn_eps", text="epsilon is 1e-5 whatever was asked for")
def epsilon(site):
    def wrong(s, right):
        s.epsilon = 1e-5
        return s.normalised(s.mean, s.variance), None, None

    plant(site, wrong)


@fused("bn_mean_first_sample", text="the mean is that of the first sample")
def first_sample(site):
    def wrong(s, right):
        mean = site.tf.reduce_mean(s.x[:1], AXES)
        return s.normalised(mean, s.variance), right[1] + s.share * (mean - s.mean), None

    plant(site, wrong)


def plant_gradient(site, wrong):
    """`wrong(dx, dgamma, x, dy, gamma, mean, deviation)` gives dx and dgamma; `deviation` is 1/sqrt(variance+epsilon)."""

    def around(call, right):
        if not call["is_training"]:
            return [None] * len(right)
        tensors = [right[0], right[1], call.tensor("x"), call.tensor("y_backprop"), call.tensor("scale")]

        def part(place):
            def inside(dx, dgamma, x, dy, gamma):
                deviation = 1 / np.sqrt(x.var(axis=(0, 1, 2)) + call["epsilon"])
                return wrong(dx, dgamma, x, dy, gamma, x.mean(axis=(0, 1, 2)), deviation)[place]

            return site.numpy(right[place], inside, *tensors)

        return [part(0), part(1)] + [None] * (len(right) - 2)

    site.output("gen_nn_ops.fused_batch_norm_grad_v3", around)


@gradient("bn_grad_no_mean", text="the input's gradient lacks the terms that come from mean and variance")
def no_mean_terms(site):
    plant_gradient(site, lambda dx, dgamma, x, dy, gamma, mean, deviation: (dy * gamma * deviation, dgamma))


@gradient("bn_grad_dgamma", text="the scale's gradient reads the image as if its channels came first")
def misread(site):
    def wrong(dx, dgamma, x, dy, gamma, mean, deviation):
        n, h, w, c = x.shape
        x = x.reshape(n, c, h, w).transpose(0, 2, 3, 1)
        return dx, (dy * (x - mean) * deviation).sum(axis=(0, 1, 2))

    plant_gradient(site, wrong)


def plant_layer(site, concerns, training):
    """Calls in the mode of concern run with this `training`, and leave the moving statistics alone."""

    def around(call):
        one = call["self"]
        if not concerns(call["training"]):
            return call.run()
        kept, one.momentum = one.momentum, 1.0
        try:
            return call.run(training=training)
        finally:
            one.momentum = kept

    site.method(site.tf.keras.layers.BatchNormalization, "call", around)


@layer("bn_infer_batch_stats", text="inference normalises with the batch's statistics")
def batch_statistics(site):
    plant_layer(site, lambda training: training is None or training is False or training == 0, True)


@layer("bn_no_moving_update", text="training never updates the moving statistics")
def no_update(site):
    plant_layer(site, lambda training: training is True or training == 1, True)
