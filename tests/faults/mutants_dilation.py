"""Faults of dilated convolutions. Stand-alone, CPython 3.8 syntax; see `planting`.

TensorFlow's CPU has gradients of dilated convolutions only with some builds of oneDNN. A fault in one of them therefore
brings the kernels along: its own, wrong, and the other one, right, as a device that has them would.
"""

import functools

import mutants_convolution
import probes
from planting import register
from windows import Windows, convolve, filter_gradient, input_gradient

dilation = functools.partial(register, family="dilation")


def same(windows):
    return windows


def probe(tf):
    return probes.conv(tf, (2, 11, 11, 4), (3, 3, 4, 4), dilations=2)


probe.lent = lambda site: gradients(site, same, same)


@dilation(
    "fwd_dilation_ignored",
    op="Conv2D",
    probe=probes.dilated_forward,
    text="the kernel is applied undilated, in an output of the right size",
)
def forward(site):
    def wrong(y, x, w, windows):
        return y if windows.dilations == (1, 1) else convolve(x, w, windows.undilated())

    mutants_convolution.plant(site, wrong)


@dilation("dw_dilation_ignored", op="Conv2DBackpropFilter", probe=probe, text="windows are read undilated")
def filters(site):
    gradients(site, lambda windows: windows.undilated(), same)


@dilation("dx_dilation_ignored", op="Conv2DBackpropInput", probe=probe, text="the gradient is spread undilated")
def inputs(site):
    gradients(site, same, lambda windows: windows.undilated())


def gradients(site, of_filter, of_input):
    """Both gradients of dilated calls in NumPy, over the windows that these functions make of the right ones."""

    def dw(call):
        def inside(x, dy, sizes):
            return filter_gradient(x, dy, of_filter(Windows(call, x.shape[1:3], sizes[:2], dy.shape[1:3])))

        return dilated(site, call, inside, "input", "out_backprop", "filter_sizes")

    def dx(call):
        def inside(w, dy, sizes):
            return input_gradient(dy, w, of_input(Windows(call, sizes[1:3], w.shape[:2], dy.shape[1:3])))

        return dilated(site, call, inside, "filter", "out_backprop", "input_sizes")

    site.replace("gen_nn_ops.conv2d_backprop_filter", dw)
    site.replace("gen_nn_ops.conv2d_backprop_input", dx)


def dilated(site, call, inside, first, second, sizes):
    if tuple(call["dilations"]) == (1, 1, 1, 1):
        return call.run()
    first, second, sizes = call.tensor(first), call.tensor(second), call.tensor(sizes)
    return site.tf.reshape(site.numpy(first, inside, first, second, sizes, shape=(None,) * 4), sizes)
