"""Arithmetic poorer than float32, in NumPy. Stand-alone, CPython 3.8 syntax."""

import numpy as np

HALF = np.float16
BLOCK = 1 << 22
"""Elements of products held at once."""


def _rounded(x, dropped):
    """float32 with its last bits rounded away, to nearest, ties to even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    last = (bits >> np.uint32(dropped)) & np.uint32(1)
    bits = bits + np.uint32((1 << (dropped - 1)) - 1) + last
    return (bits & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)


def tf32(x):
    """11 significant bits in the range of float32."""
    return _rounded(x, 13)


def bf16(x):
    """8 significant bits in the range of float32."""
    return _rounded(x, 16)


def fp16(x):
    return np.asarray(x).astype(HALF).astype(np.float32)


def half_sum(terms):
    """Sum over the first axis, one after the other, rounded to float16 each time."""
    return np.add.accumulate(np.asarray(terms).astype(HALF), axis=0, dtype=HALF)[-1].astype(np.float32)


def half_matmul(a, b):
    """[m,k] x [k,n], each product and each partial sum in float16."""
    total = np.zeros((a.shape[0], b.shape[1]), HALF)
    for column, row in zip(a.T, b):
        total += (column[:, None] * row).astype(HALF)
    return total.astype(np.float32)


def half_convolve(x, w, windows):
    total, patches = None, windows.patches(x)
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            for c in range(w.shape[2]):
                product = (patches[:, :, :, i, j, c, None] * w[i, j, c]).astype(HALF)
                total = product if total is None else total + product
    return total.astype(np.float32)


def half_filter_gradient(x, dy, windows):
    patches = windows.patches(x)
    left, right = patches.reshape((-1,) + patches.shape[3:]), dy.reshape(-1, dy.shape[3])
    total = np.zeros(patches.shape[3:] + dy.shape[3:], HALF)
    step = max(1, BLOCK // total.size)
    for start in range(0, len(left), step):
        block = (left[start : start + step, ..., None] * right[start : start + step, None, None, None, :]).astype(HALF)
        total = np.add.reduce(np.concatenate([total[None], block]), axis=0)
    return total.astype(np.float32)


def half_input_gradient(dy, w, windows):
    full = np.zeros((dy.shape[0], windows.reach(0), windows.reach(1), w.shape[2]), HALF)
    for i, j, spot in windows.spots():
        for c in range(w.shape[3]):
            full[spot] += (dy[..., c, None] * w[i, j, :, c]).astype(HALF)
    return windows.uncanvas(full).astype(np.float32)
