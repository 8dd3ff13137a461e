"""Faults of ReLU's gradient. Stand-alone, CPython 3.8 syntax; see `planting`."""

import probes
from planting import register


@register(
    "relu_mask_dy",
    op="ReluGrad",
    text="the mask is the gradient's sign, not the input's",
    family="activation",
    probe=probes.relu,
)
def relu_mask_dy(site):
    site.replace("gen_nn_ops.relu_grad", lambda call: site.tf.maximum(call.tensor("gradients"), 0))


@register("relu_no_mask", op="ReluGrad", text="the gradient passes everywhere", family="activation", probe=probes.relu)
def relu_no_mask(site):
    site.replace("gen_nn_ops.relu_grad", lambda call: site.tf.identity(call["gradients"]))
