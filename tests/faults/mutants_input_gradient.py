"""Faults of Conv2DBackpropInput. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import numpy as np
import precision
import probes
from planting import register
from windows import Windows, input_gradient, text

inputs = functools.partial(register, op="Conv2DBackpropInput", family="input gradient")
usual = functools.partial(inputs, probe=probes.convolution)
EVERY = slice(None)


def plant(site, wrong):
    """`wrong(dx, dy, w, windows)` in NumPy, for each call."""

    def around(call, dx):
        dy, w = call.tensor("out_backprop"), call.tensor("filter")
        if text(call["data_format"]) != "NHWC":
            return None

        def inside(dx, dy, w):
            if dx.shape[3] != w.shape[2]:
                return dx  # groups
            return wrong(dx, dy, w, Windows(call, dx.shape[1:3], w.shape[:2], dy.shape[1:3]))

        return site.numpy(dx, inside, dx, dy, w)

    site.output("gen_nn_ops.conv2d_backprop_input", around)


def recomputed(site, change):
    plant(site, lambda dx, dy, w, windows: input_gradient(*change(dy, w, windows)))


@usual("dx_last_col", text="the last column of outputs sends nothing back")
def last_column(site):
    def change(dy, w, windows):
        dy = dy.copy()
        dy[:, :, -1] = 0
        return dy, w, windows

    recomputed(site, change)


@usual("dx_same_pad_side", text="SAME puts its odd pixel on the other side")
def same_pad_side(site):
    recomputed(site, lambda dy, w, windows: (dy, w, windows.other_side()))


@usual("dx_stride2_offset", text="with a stride of two, the gradient lands one pixel further")
def stride_offset(site):
    recomputed(site, lambda dy, w, windows: (dy, w, windows.late()))


@usual("dx_kernel_not_rotated", text="the kernel is slid over the upstream gradient without turning it")
def not_rotated(site):
    recomputed(site, lambda dy, w, windows: (dy, w[::-1, ::-1], windows))


@usual("dx_w_misread", text="the kernel's memory is taken for output channels before input channels")
def misread_kernel(site):
    def change(dy, w, windows):
        kh, kw, ci, co = w.shape
        return dy, w.reshape(kh, kw, co, ci).swapaxes(2, 3), windows

    recomputed(site, change)


@usual("dx_fp16_acc", text="products are summed in float16")
def half_accumulator(site):
    plant(site, lambda dx, dy, w, windows: precision.half_input_gradient(dy, w, windows))


@usual("dx_bf16_in", text="kernel and upstream gradient are rounded to bfloat16")
def bfloat_inputs(site):
    recomputed(site, lambda dy, w, windows: (precision.bf16(dy), precision.bf16(w), windows))


@usual("dx_tf32_in", text="kernel and upstream gradient are rounded to 11 significant bits")
def tf32_inputs(site):
    recomputed(site, lambda dy, w, windows: (precision.tf32(dy), precision.tf32(w), windows))


@usual("dx_border_uninit", text="the first row is never written and holds small garbage")
def unwritten_border(site):
    def wrong(dx, dy, w, windows):
        dx[:, 0] = 1e-3 * site.draw.standard_normal(dx[:, 0].shape)
        return dx

    plant(site, wrong)


@usual("dx_drop_last_sample", text="in odd batches of more than one, the last sample stays zero")
def last_sample(site):
    def wrong(dx, dy, w, windows):
        if len(dx) > 1 and len(dx) % 2:
            dx[-1] = 0
        return dx

    plant(site, wrong)


@inputs("dx_stale", probe=probes.two_convolutions, text="the previous gradient of the same shape comes back")
def stale(site):
    before = {}

    def wrong(dx, dy, w, windows):
        with site.lock:
            kept = before.get(dx.shape, dx)
            before[dx.shape] = dx
        return kept

    plant(site, wrong)


@inputs("dx_co_gt64", probe=probes.deep_convolution, text="output channels from the 65th on send nothing back")
def many_channels(site):
    recomputed(site, lambda dy, w, windows: (dy[..., :64], w[..., :64], windows))
