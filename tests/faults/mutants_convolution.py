"""Faults of Conv2D, forward. Stand-alone, CPython 3.8 syntax; see `planting`.

Only NHWC calls without groups are touched: nothing else runs on TensorFlow's CPU.
"""

import functools

import numpy as np
import precision
import probes
from planting import register
from windows import Windows, convolve, text

forward = functools.partial(register, op="Conv2D", family="convolution", probe=probes.convolution)
deep = functools.partial(forward, probe=probes.deep_convolution)


def plant(site, wrong):
    """`wrong(y, x, w, windows)` in NumPy, for each call."""

    def around(call, y):
        x, w = call.tensor("input"), call.tensor("filter")
        if text(call["data_format"]) != "NHWC" or x.shape[3] != w.shape[2]:
            return None

        def inside(y, x, w):
            return wrong(y, x, w, Windows(call, x.shape[1:3], w.shape[:2], y.shape[1:3]))

        return site.numpy(y, inside, y, x, w)

    site.output("gen_nn_ops.conv2d", around)


def recomputed(site, change):
    """The convolution of something else: `change(x, w, windows)` says of what."""
    plant(site, lambda y, x, w, windows: convolve(*change(x, w, windows)))


@forward("fwd_same_pad_side", text="SAME puts its odd pixel before the image instead of after it")
def same_pad_side(site):
    recomputed(site, lambda x, w, windows: (x, w, windows.other_side()))


@forward("fwd_flipped_kernel", text="a true convolution: the kernel is turned by 180 degrees")
def flipped_kernel(site):
    recomputed(site, lambda x, w, windows: (x, w[::-1, ::-1], windows))


@forward("fwd_ohwi_misread", text="the kernel's memory is taken for output-height-width-input order")
def ohwi_misread(site):
    def change(x, w, windows):
        kh, kw, ci, co = w.shape
        return x, w.reshape(co, kh, kw, ci).transpose(1, 2, 3, 0), windows

    recomputed(site, change)


@forward("fwd_ci_tail4", text="input channels past the last multiple of four do not count")
def input_channel_tail(site):
    def change(x, w, windows):
        kept = w.shape[2] // 4 * 4 or w.shape[2]
        return x[..., :kept], w[:, :, :kept], windows

    recomputed(site, change)


@forward("fwd_co_tail4", text="output channels past the last multiple of four stay zero")
def output_channel_tail(site):
    def wrong(y, x, w, windows):
        y[..., y.shape[3] // 4 * 4 or y.shape[3] :] = 0
        return y

    plant(site, wrong)


@forward("fwd_fp16_acc", text="products are summed in float16")
def half_accumulator(site):
    plant(site, lambda y, x, w, windows: precision.half_convolve(x, w, windows))


@forward("fwd_bf16_in", text="image and kernel are rounded to bfloat16")
def bfloat_inputs(site):
    recomputed(site, lambda x, w, windows: (precision.bf16(x), precision.bf16(w), windows))


@forward("fwd_tf32_in", text="image and kernel are rounded to 11 significant bits")
def tf32_inputs(site):
    recomputed(site, lambda x, w, windows: (precision.tf32(x), precision.tf32(w), windows))


@forward("fwd_fp16_out", text="the result is stored as float16")
def half_output(site):
    plant(site, lambda y, x, w, windows: precision.fp16(y))


@forward("fwd_nan_rare", probe=probes.large_convolution, text="one output element in ten thousand is NaN")
def rare_nan(site):
    def wrong(y, x, w, windows):
        y[site.draw.random_sample(y.shape) < 1e-4] = np.nan
        return y

    plant(site, wrong)


@forward("fwd_batch_mult4", text="samples past the last multiple of four repeat the first one")
def batch_tail(site):
    def wrong(y, x, w, windows):
        y[len(y) // 4 * 4 :] = y[:1]
        return y

    plant(site, wrong)


@forward("fwd_stale", probe=probes.two_convolutions, text="the previous result of the same shape comes back")
def stale(site):
    before = {}

    def wrong(y, x, w, windows):
        with site.lock:
            kept = before.get(y.shape, y)
            before[y.shape] = y
        return kept

    plant(site, wrong)


@deep("fwd_race_1e4", text="one product in ten thousand is lost")
def race(site):
    def wrong(y, x, w, windows):
        lost = site.draw.binomial(y.size * (w.size // w.shape[3]), 1e-4)
        n, i, j, o = (site.draw.randint(0, size, lost) for size in y.shape)
        a, b, c = (site.draw.randint(0, size, lost) for size in w.shape[:3])
        np.subtract.at(y, (n, i, j, o), windows.patches(x)[n, i, j, a, b, c] * w[a, b, c, o])
        return y

    plant(site, wrong)


@deep("fwd_ci_gt128", text="input channels from the 129th on do not count")
def many_channels(site):
    recomputed(site, lambda x, w, windows: (x[..., :128], w[:, :, :128], windows))


@forward("fwd_stride_offset", text="with a stride of two, windows start one pixel late")
def stride_offset(site):
    recomputed(site, lambda x, w, windows: (x, w, windows.late()))


@forward("fwd_one_element_1e-3", text="one element of the result is off by a thousandth of itself")
def one_element(site):
    def wrong(y, x, w, windows):
        y.reshape(-1)[y.size // 2] *= 1 + 1e-3
        return y

    plant(site, wrong)


@forward("fwd_last_tile", text="the last 8x8 tile of the result lacks the kernel's last row")
def last_tile(site):
    def wrong(y, x, w, windows):
        part = w.copy()
        part[-1] = 0
        row, column = ((size - 1) // 8 * 8 for size in windows.out)
        y[:, row:, column:] = convolve(x, part, windows)[:, row:, column:]
        return y

    plant(site, wrong)


@forward("fwd_rgb_row_pad", text="rows of three-channel images are taken for padded to 16 bytes")
def padded_rows(site):
    def change(x, w, windows):
        n, rows, columns, channels = x.shape
        if channels != 3:
            return x, w, windows
        pitch = (columns * 12 + 15) // 16 * 4
        flat = np.zeros((n, rows * pitch), x.dtype)
        flat[:, : rows * columns * 3] = x.reshape(n, -1)
        return flat.reshape(n, rows, pitch)[:, :, : columns * 3].reshape(x.shape), w, windows

    recomputed(site, change)


def noise(site, size):
    plant(site, lambda y, x, w, windows: y * (1 + size * site.draw.uniform(-1, 1, y.shape)).astype(y.dtype))


@forward(
    "fwd_out_noise_2^-18",
    text="every output is off by up to 64 units in the last place (legitimate: a Winograd kernel is worse)",
)
def small_noise(site):
    noise(site, 2.0**-18)


@forward("fwd_out_noise_2^-14", text="every output is off by up to 1024 units in the last place")
def large_noise(site):
    noise(site, 2.0**-14)
