"""Faults of MaxPool and its gradient. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import numpy as np
import precision
import probes
from planting import register
from windows import Windows

gradient = functools.partial(register, op="MaxPoolGrad", family="pooling", probe=probes.pooling)
forward = functools.partial(register, op="MaxPool", family="pooling", probe=probes.pooling)
OUTSIDE = -np.inf


def plant_gradient(site, wrong):
    """`wrong(x, dy, windows)` in NumPy, for each call."""

    def around(call, dx):
        def inside(x, dy):
            return wrong(x, dy, Windows(call, x.shape[1:3], call["ksize"][1:3], dy.shape[1:3]))

        return site.numpy(dx, inside, call.tensor("orig_input"), call.tensor("grad"))

    site.output("gen_nn_ops.max_pool_grad", around)


def plant_forward(site, wrong):
    """`wrong(y, x, windows)` in NumPy, for each call."""

    def around(call, y):
        def inside(y, x):
            return wrong(y, x, Windows(call, x.shape[1:3], call["ksize"][1:3], y.shape[1:3]))

        return site.numpy(y, inside, y, call.tensor("input"))

    site.output("gen_nn_ops.max_pool", around)


def windowed(x, windows, fill=OUTSIDE):
    """[sample, row, column, place in the window, channel]"""
    patches = windows.patches(x, fill)
    return patches.reshape(patches.shape[:3] + (-1,) + patches.shape[5:])


def winners(x, windows):
    return windowed(x, windows).argmax(axis=3)


def route(dy, chosen, windows, assign=False):
    """Send each upstream gradient to the chosen place of its window."""
    full = np.zeros((dy.shape[0], windows.reach(0), windows.reach(1), dy.shape[3]), dy.dtype)
    for i, j, spot in windows.spots():
        here = chosen == i * windows.kernel[1] + j
        full[spot] = np.where(here, dy, full[spot] if assign else 0) + (0 if assign else full[spot])
    return windows.uncanvas(full)


@gradient("pool_first_index", text="the first element of each window gets the gradient")
def first_index(site):
    def wrong(x, dy, windows):
        return route(dy, np.isfinite(windowed(x, windows)).argmax(axis=3), windows)

    plant_gradient(site, wrong)


@gradient("pool_all_positions", text="every element of a window gets the gradient")
def all_positions(site):
    def wrong(x, dy, windows):
        full = windows.canvas(np.zeros_like(x))
        for _, _, spot in windows.spots():
            full[spot] += dy
        return windows.uncanvas(full)

    plant_gradient(site, wrong)


@gradient("pool_shift1", text="the gradient lands one column further")
def shifted(site):
    def wrong(x, dy, windows):
        dx = route(dy, winners(x, windows), windows)
        dx[:, :, 1:], dx[:, :, 0] = dx[:, :, :-1].copy(), 0
        return dx

    plant_gradient(site, wrong)


@gradient("pool_overlap_assign", text="where windows overlap, the later one overwrites instead of adding")
def overwriting(site):
    plant_gradient(site, lambda x, dy, windows: route(dy, winners(x, windows), windows, assign=True))


@gradient(
    "pool_stale_input", probe=probes.two_poolings, text="the winners are those of the previous input of this shape"
)
def stale(site):
    before = {}

    def wrong(x, dy, windows):
        with site.lock:
            old = before.get(x.shape, x)
            before[x.shape] = x
        return route(dy, winners(old, windows), windows)

    plant_gradient(site, wrong)


@gradient("pool_min", text="the smallest element of a window gets the gradient")
def smallest(site):
    plant_gradient(site, lambda x, dy, windows: route(dy, windowed(x, windows, np.inf).argmin(axis=3), windows))


@gradient(
    "pool_fp16_compare",
    probe=probes.close_pooling,
    text="values are compared in float16: near ones tie, and the first wins",
)
def half_comparison(site):
    plant_gradient(site, lambda x, dy, windows: route(dy, winners(precision.fp16(x), windows), windows))


@gradient("pool_neg_dropped", text="windows whose maximum is negative send nothing back")
def negative_dropped(site):
    def wrong(x, dy, windows):
        return route(np.where(windowed(x, windows).max(axis=3) < 0, 0, dy), winners(x, windows), windows)

    plant_gradient(site, wrong)


@gradient("pool_last_window", text="the last column of windows sends nothing back")
def last_window(site):
    def wrong(x, dy, windows):
        dy[:, :, -1] = 0
        return route(dy, winners(x, windows), windows)

    plant_gradient(site, wrong)


@gradient("pool_batch1_only", text="in batches of more than four, every sample has the winners of the first")
def first_sample_only(site):
    def wrong(x, dy, windows):
        chosen = winners(x, windows)
        if len(x) > 4:
            chosen[:] = chosen[:1]
        return route(dy, chosen, windows)

    plant_gradient(site, wrong)


@forward("poolf_zero_pad", text="SAME pads with zero instead of minus infinity")
def zero_padding(site):
    plant_forward(site, lambda y, x, windows: windowed(x, windows, 0).max(axis=3))


@forward("poolf_valid_tail", text="with VALID and an odd width, the last window lacks its last column")
def valid_tail(site):
    def wrong(y, x, windows):
        if windows.padding == "VALID" and x.shape[2] % 2 and windows.kernel[1] > 1:
            y[:, :, -1] = windows.patches(x)[:, :, -1, :, :-1].max(axis=(2, 3))
        return y

    plant_forward(site, wrong)


@forward("poolf_fp16", text="the result is rounded to float16")
def half(site):
    plant_forward(site, lambda y, x, windows: precision.fp16(y))
