"""Faults of Softmax and SoftmaxCrossEntropyWithLogits. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import numpy as np
import precision
import probes
from planting import register

softmax = functools.partial(register, op="Softmax", family="losses", probe=probes.softmax)
entropy = functools.partial(register, op="SoftmaxCrossEntropyWithLogits", family="losses", probe=probes.cross_entropy)


def plant_softmax(site, wrong):
    site.output("gen_nn_ops.softmax", lambda call, p: site.numpy(p, wrong, call.tensor("logits")))


def plant_loss(site, wrong):
    """`wrong(z, t)` in NumPy; the gradient, an output of its own, stays right."""

    def around(call, right):
        z, t = call.tensor("features"), call.tensor("labels")
        return site.numpy(right[0], wrong, z, t), None

    site.output("gen_nn_ops.softmax_cross_entropy_with_logits", around)


def plant_gradient(site, wrong):
    """`wrong(dz, z, upstream, second)` for the gradient of the logits; `second` is the operation's own p - t.

    The labels are not at hand: eager tapes drop what a gradient function does not read.
    """

    def around(run, op, upstream, other):
        right = run(op, upstream, other)
        dz = wrong(right[0], op.inputs[0], upstream, op.outputs[1])
        return [site.in_place_of(right[0], dz)] + list(right[1:])

    site.gradient("SoftmaxCrossEntropyWithLogits", around)


def probabilities(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@softmax("softmax_no_max", text="the maximum is not subtracted first")
def no_maximum(site):
    plant_softmax(site, lambda z: np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True))


@softmax("softmax_fp16", text="exponentials are float16")
def half(site):
    def wrong(z):
        e = precision.fp16(np.exp(precision.fp16(z - z.max(axis=-1, keepdims=True))))
        return e / e.sum(axis=-1, keepdims=True)

    plant_softmax(site, wrong)


@entropy("xent_no_max", text="the loss is computed without subtracting the maximum first")
def loss_without_maximum(site):
    plant_loss(site, lambda z, t: (t * (np.log(np.exp(z).sum(axis=-1, keepdims=True)) - z)).sum(axis=-1))


@entropy("xent_clip_1e-4", text="probabilities below 1e-4 count as 1e-4 in the loss")
def clipped(site):
    plant_loss(site, lambda z, t: -(t * np.log(np.maximum(probabilities(z), 1e-4))).sum(axis=-1))


@entropy("xent_grad_by_batch", text="the gradient is divided by the batch size")
def divided(site):
    plant_gradient(site, lambda dz, z, upstream, second: dz / site.tf.cast(site.tf.shape(dz)[0], dz.dtype))


@entropy("xent_grad_no_label", text="the label is not subtracted in the last row of the gradient")
def no_label(site):
    def inside(dz, z, upstream):
        dz[-1] = probabilities(z[-1]) * upstream[-1]
        return dz

    plant_gradient(site, lambda dz, z, upstream, second: site.numpy(dz, inside, dz, z, upstream))


@entropy("xent_grad_ignores_upstream", text="the gradient is not multiplied by the upstream gradient")
def ignores_upstream(site):
    plant_gradient(site, lambda dz, z, upstream, second: site.tf.identity(second))
