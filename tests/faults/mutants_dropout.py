"""Faults of dropout, planted in what all of TensorFlow's and Keras's dropouts share.

Stand-alone, CPython 3.8 syntax; see `planting`.
"""

import functools

import probes
from planting import register

dropout = functools.partial(register, op="Dropout", family="dropout", probe=probes.dropout)


class Drop:
    """One call of dropout, taken apart."""

    def __init__(self, tf, call):
        from tensorflow.python.ops import nn_ops

        self.tf, self.call, self.x, self.rate = tf, call, call.tensor("x"), call["rate"]
        self.shape = nn_ops._get_noise_shape(self.x, call["noise_shape"])

    def uniform(self, shape=None):
        return self.call["uniform_sampler"](shape=self.shape if shape is None else shape, dtype=self.x.dtype)

    def kept(self, uniform, rate=None):
        rate = self.rate if rate is None else rate
        return self.tf.cast(uniform >= self.tf.cast(rate, self.x.dtype), self.x.dtype)

    def scaled(self, mask):
        return self.x * mask / self.tf.cast(1 - self.rate, self.x.dtype)


def plant(site, wrong):
    """`wrong(drop)` computes the result."""

    def around(call):
        if not site.tf.is_tensor(call["rate"]) and call["rate"] == 0:
            return call.run()
        return site.tf.ensure_shape(wrong(Drop(site.tf, call)), call.tensor("x").shape)

    site.replace("nn_ops._dropout", around)


@dropout("drop_not_rescaled", text="what is kept is not scaled up")
def not_rescaled(site):
    plant(site, lambda drop: drop.x * drop.kept(drop.uniform()))


@dropout("drop_same_mask", text="every step has the same mask")
def same_mask(site):
    def wrong(drop):
        return drop.scaled(drop.kept(site.tf.random.stateless_uniform(drop.shape, [7, 7], dtype=drop.x.dtype)))

    plant(site, wrong)


@dropout("drop_rate_plus2pct", text="two in a hundred more are dropped than asked for")
def too_many(site):
    plant(site, lambda drop: drop.scaled(drop.kept(drop.uniform(), drop.rate + 0.02)))


@dropout("drop_grad_mask", text="the backward pass has another mask")
def another_backward(site):
    def wrong(drop):
        uniform = drop.uniform()
        forward = drop.scaled(drop.kept(uniform))
        backward = drop.kept(
            site.tf.reshape(site.tf.roll(site.tf.reshape(uniform, [-1]), 1, 0), site.tf.shape(uniform))
        )
        scale = site.tf.cast(1 - drop.rate, drop.x.dtype)

        @site.tf.custom_gradient
        def swap(_):
            return site.tf.identity(forward), lambda upstream: upstream * backward / scale

        return swap(drop.x)

    plant(site, wrong)


@dropout("drop_per_pixel", text="one decision for all channels")
def per_pixel(site):
    def wrong(drop):
        shape = site.tf.concat([drop.shape[:-1], [1]], 0)
        return drop.scaled(drop.kept(drop.uniform(shape)))

    plant(site, wrong)


def repeated(site, period):
    def wrong(drop):
        tf, size = site.tf, site.tf.reduce_prod(drop.shape)
        tiles = tf.tile(drop.uniform([period]), [size // period + 1])[:size]
        return drop.scaled(drop.kept(tf.reshape(tiles, drop.shape)))

    plant(site, wrong)


@dropout("drop_period64", text="the mask repeats every 64 elements")
def short_period(site):
    repeated(site, 64)


@dropout("drop_period_4096", text="the mask repeats every 4096 elements")
def long_period(site):
    repeated(site, 4096)


@dropout("drop_scale_rate", text="what is kept is divided by the rate of dropping, not of keeping")
def wrong_scale(site):
    plant(site, lambda drop: drop.x * drop.kept(drop.uniform()) / site.tf.cast(drop.rate, drop.x.dtype))
