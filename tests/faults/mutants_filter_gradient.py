"""Faults of Conv2DBackpropFilter. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import numpy as np
import precision
import probes
from planting import register
from windows import Windows, filter_gradient, text

filters = functools.partial(register, op="Conv2DBackpropFilter", family="filter gradient")
usual = functools.partial(filters, probe=probes.convolution)


def plant(site, wrong):
    """`wrong(dw, x, dy, windows)` in NumPy, for each call."""

    def around(call, dw):
        x, dy = call.tensor("input"), call.tensor("out_backprop")
        if text(call["data_format"]) != "NHWC":
            return None

        def inside(dw, x, dy):
            if x.shape[3] != dw.shape[2]:
                return dw  # groups
            return wrong(dw, x, dy, Windows(call, x.shape[1:3], dw.shape[:2], dy.shape[1:3]))

        return site.numpy(dw, inside, dw, x, dy)

    site.output("gen_nn_ops.conv2d_backprop_filter", around)


def recomputed(site, change):
    plant(site, lambda dw, x, dy, windows: filter_gradient(*change(x, dy, windows)))


def scaled(site, factor):
    plant(site, lambda dw, x, dy, windows: dw * np.float32(factor))


def without(dy, *index):
    dy = dy.copy()
    dy[index] = 0
    return dy


EVERY = slice(None)


@usual("dw_last_row", text="the last row of outputs adds nothing")
def last_row(site):
    recomputed(site, lambda x, dy, windows: (x, without(dy, EVERY, -1), windows))


@usual("dw_last_col", text="the last column of outputs adds nothing")
def last_column(site):
    recomputed(site, lambda x, dy, windows: (x, without(dy, EVERY, EVERY, -1), windows))


@usual("dw_same_pad_side", text="SAME puts its odd pixel on the other side")
def same_pad_side(site):
    recomputed(site, lambda x, dy, windows: (x, dy, windows.other_side()))


@usual("dw_drop_last_sample", text="the last sample of the batch adds nothing")
def last_sample(site):
    recomputed(site, lambda x, dy, windows: (x, without(dy, -1), windows))


@usual("dw_twice", text="everything is added twice")
def twice(site):
    scaled(site, 2)


@usual("dw_transposed_hw", text="the gradient is turned by 180 degrees")
def turned(site):
    plant(site, lambda dw, x, dy, windows: dw[::-1, ::-1])


@usual("dw_shuffled_c", text="the values are right, but each stands at its neighbour's input channel")
def shuffled(site):
    plant(site, lambda dw, x, dy, windows: np.roll(dw, 1, axis=2))


@usual("dw_fp16_acc", text="products are summed in float16")
def half_accumulator(site):
    plant(site, lambda dw, x, dy, windows: precision.half_filter_gradient(x, dy, windows))


@usual("dw_bf16_in", text="image and upstream gradient are rounded to bfloat16")
def bfloat_inputs(site):
    recomputed(site, lambda x, dy, windows: (precision.bf16(x), precision.bf16(dy), windows))


@usual("dw_tf32_in", text="image and upstream gradient are rounded to 11 significant bits")
def tf32_inputs(site):
    recomputed(site, lambda x, dy, windows: (precision.tf32(x), precision.tf32(dy), windows))


@usual("dw_noncontig", text="the image, transposed to channels first and samples last, is read where it lay before")
def not_contiguous(site):
    def change(x, dy, windows):
        n, h, w, c = x.shape
        return x.reshape(c, h, w, n).transpose(3, 1, 2, 0), dy, windows

    recomputed(site, change)


@filters("dw_race_1e4", probe=probes.deep_convolution, text="one update in ten thousand is lost")
def race(site):
    def wrong(dw, x, dy, windows):
        lost = site.draw.binomial(dw.size * (dy.size // dy.shape[3]), 1e-4)
        a, b, c, o = (site.draw.randint(0, size, lost) for size in dw.shape)
        n, i, j = (site.draw.randint(0, size, lost) for size in dy.shape[:3])
        np.subtract.at(dw, (a, b, c, o), windows.patches(x)[n, i, j, a, b, c] * dy[n, i, j, o])
        return dw

    plant(site, wrong)


@filters(
    "dw_batch_mult4",
    probe=probes.odd_batch,
    text="of more than four samples, those past a multiple of four add nothing",
)
def batch_tail(site):
    recomputed(site, lambda x, dy, windows: (x, without(dy, slice(len(x) // 4 * 4 or len(x), None)), windows))


@filters("dw_batch_65536", probe=probes.huge_batch, text="the sample number of the image is kept in 16 bits")
def short_index(site):
    recomputed(site, lambda x, dy, windows: (x[np.arange(len(x)) % 65536], dy, windows))


@filters(
    "dw_after_batch_change",
    probe=probes.batch_change,
    text="above 32768 values, the batch size of the previous call of this layer is used",
)
def after_batch_change(site):
    before = {}

    def wrong(dw, x, dy, windows):
        key = dw.shape + x.shape[1:]
        with site.lock:
            old_x, old_dy = before.get(key, (x, dy))
            before[key] = x, dy
        if x.size <= 32768 or len(old_x) == len(x):
            return dw
        # fewer before: the new samples are not reached; more before: the buffer's old samples are added
        x, dy = np.concatenate([x, old_x[len(x) :]]), np.concatenate([dy, old_dy[len(dy) :]])
        return filter_gradient(x[: len(old_x)], dy[: len(old_x)], windows)

    plant(site, wrong)


@filters(
    "dw_lost_block_1in50",
    probe=probes.many_filter_gradients,
    text="in one call of fifty, one of sixteen partial sums is lost",
)
def lost_block(site):
    def wrong(dw, x, dy, windows):
        if site.draw.random_sample() >= 1 / 50:
            return dw
        flat = dy.reshape(-1, dy.shape[3]).copy()
        start, end = (len(flat) * part // 16 for part in (7, 8))
        flat[start : max(end, start + 1)] = 0
        return filter_gradient(x, flat.reshape(dy.shape), windows)

    plant(site, wrong)


@filters(
    "dw_stale_1in20",
    probe=probes.many_filter_gradients,
    text="in one call of twenty, the previous gradient of this shape comes back",
)
def rarely_stale(site):
    before = {}

    def wrong(dw, x, dy, windows):
        with site.lock:
            old = before.get(dw.shape, dw)
            before[dw.shape] = dw
        return old if site.draw.random_sample() < 1 / 20 else dw

    plant(site, wrong)


@usual("dw_mean_over_batch", text="the sum over the batch is divided by its size")
def mean(site):
    plant(site, lambda dw, x, dy, windows: dw / np.float32(len(x)))


@filters("dw_1x1_only_wrong", probe=probes.pointwise, text="for 1x1 kernels the last input channel is missing")
def pointwise(site):
    def wrong(dw, x, dy, windows):
        if dw.shape[:2] == (1, 1):
            dw[:, :, -1] = 0
        return dw

    plant(site, wrong)


@filters(
    "dw_first_conv_zero", probe=probes.odd_batch, text="zero for three-channel images in batches of more than eight"
)
def first_layer(site):
    plant(site, lambda dw, x, dy, windows: dw * 0 if x.shape[3] == 3 and len(x) > 8 else dw)


@usual("dw_rel_1e-2", text="one in a hundred too large")
def percent(site):
    scaled(site, 1 + 1e-2)


@usual("dw_rel_1e-3", text="one in a thousand too large")
def thousandth(site):
    scaled(site, 1 + 1e-3)


@usual("dw_rel_1e-4", text="one in ten thousand too large")
def ten_thousandth(site):
    scaled(site, 1 + 1e-4)


@usual("dw_rel_1e-5", text="one in a hundred thousand too large")
def hundred_thousandth(site):
    scaled(site, 1 + 1e-5)
