"""Correct ways to compute that differ from ours: what a device may do and must not be blamed for.

Every algorithm takes float32 matrices a (m, n) and b (n, k) and gives their product in float32; Winograd and FFT take
images. NumPy only. Sums of products of a case are brought to matrix form (`factors`), so that one algorithm serves the
forward pass and both gradients.
"""

from fractions import Fraction

import numpy as np

F = np.float32


def sequential(a, b, order=None):
    total = np.zeros((a.shape[0], b.shape[1]), F)
    for i in range(a.shape[1]) if order is None else order:
        total += a[:, i : i + 1] * b[i]
    return total


def reversed_order(a, b):
    return sequential(a, b, range(a.shape[1] - 1, -1, -1))


def random_order(a, b):
    """As atomic additions come: another order on every call."""
    return sequential(a, b, np.random.default_rng().permutation(a.shape[1]))


def fused(a, b):
    """Fused multiply-add: the product is not rounded. Doubles hold a product of two singles exactly."""
    total = np.zeros((a.shape[0], b.shape[1]), F)
    for i in range(a.shape[1]):
        total = (total.astype(np.float64) + a[:, i : i + 1].astype(np.float64) * b[i]).astype(F)
    return total


def blocked(size):
    def product(a, b):
        total = np.zeros((a.shape[0], b.shape[1]), F)
        for i in range(0, a.shape[1], size):
            total += sequential(a[:, i : i + size], b[i : i + size])
        return total

    return product


def split(parts):
    def product(a, b):
        pieces = np.array_split(np.arange(a.shape[1]), parts)
        return np.sum([sequential(a[:, p], b[p]) for p in pieces if len(p)], axis=0, dtype=F)

    return product


def pairwise(a, b):
    if a.shape[1] <= 2:
        return sequential(a, b)
    half = a.shape[1] // 2
    return pairwise(a[:, :half], b[:half]) + pairwise(a[:, half:], b[half:])


def blas(a, b):
    return a @ b


def flushing(a, b):
    """Denormals are flushed to zero, on the way in and on the way out."""
    return flushed(blas(flushed(a), flushed(b)))


def flushed(x):
    return np.where(np.abs(x) < np.finfo(F).tiny, F(0), x)


ORDERS = {
    "BLAS": blas,
    "sequential": sequential,
    "reversed": reversed_order,
    "fused multiply-add": fused,
    "blocks of 4": blocked(4),
    "blocks of 32": blocked(32),
    "split in 8": split(8),
    "pairwise": pairwise,
    "random order": random_order,
    "denormals flushed": flushing,
}


def patches(x, windows):
    """The windows of images as rows: (positions, kernel places * channels)."""
    padded = windows.pad(x.astype(F))
    stack = np.stack([padded[place] for *_, place in windows], axis=3)
    return stack.reshape(-1, stack.shape[3] * stack.shape[4])


def factors(x, w, dy, windows):
    """The matrices whose products are y, dx and dw of a convolution, and the shapes these have."""
    n, co = x.shape[0], w.shape[3]
    rows, upstream = patches(x, windows), dy.reshape(-1, co).astype(F)
    spread = np.zeros(windows.pad(np.zeros(x.shape)).shape[:3] + (w.shape[0] * w.shape[1], co), F)
    for place, (*_, (_, high, wide, _)) in enumerate(windows):
        spread[:, high, wide, place] = dy
    (top, _), (left, _) = windows.pads[1:3]
    spread = spread[:, top : top + x.shape[1], left : left + x.shape[2]]
    back = w.reshape(-1, w.shape[2], co).transpose(0, 2, 1).reshape(-1, w.shape[2])
    return {
        "y": (rows, w.reshape(-1, co), (n,) + windows.out + (co,)),
        "dx": (spread.reshape(-1, back.shape[0]), back, x.shape),
        "dw": (np.ascontiguousarray(rows.T), upstream, w.shape),
    }


def points(count):
    values = [Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(-2), Fraction(1, 2), Fraction(-1, 2)]
    return values[:count]


def winograd_matrices(m, r=3):
    """A^T, G, B^T of F(m, r) by Cook and Toom's construction at the usual points and infinity (Lavin and Gray, 2015)."""
    n = m + r - 1
    at = points(n - 1)
    evaluate = lambda width: (
        [[p**j for j in range(width)] for p in at] + [[Fraction(j == width - 1) for j in range(width)]]
    )  # noqa: E731
    denominators = [np.prod([p - q for q in at if q != p] or [Fraction(1)]) for p in at] + [Fraction(1)]
    g = [[value / d for value in row] for row, d in zip(evaluate(r), denominators)]
    bt = [polynomial([q for q in at if q != p], n) for p in at] + [polynomial(at, n)]
    return tuple(np.array(rows, dtype=np.float64).astype(F) for rows in (np.array(evaluate(m)).T, g, bt))


def polynomial(roots, width):
    """The coefficients of the product of (x - root), lowest first, filled up to `width`."""
    found = [Fraction(1)]
    for root in roots:
        shifted, scaled = [Fraction(0)] + found, [-root * c for c in found] + [Fraction(0)]
        found = [one + other for one, other in zip(shifted, scaled)]
    return found + [Fraction(0)] * (width - len(found))


def winograd(m):
    """A 3x3 convolution with stride 1 on images that are already padded: F(m x m, 3 x 3), everything in float32."""
    at, g, bt = winograd_matrices(m)

    def convolve(padded, w):
        n, high, wide, _ = padded.shape
        out = (high - 2, wide - 2)
        tiles = [-(-size // m) for size in out]
        room = np.zeros((n, tiles[0] * m + 2, tiles[1] * m + 2, padded.shape[3]), F)
        room[:, :high, :wide] = padded
        kernels = np.einsum("ai,bj,ijco->abco", g, g, w.astype(F), dtype=F)
        y = np.zeros((n, tiles[0] * m, tiles[1] * m, w.shape[3]), F)
        for i in range(0, tiles[0] * m, m):
            for j in range(0, tiles[1] * m, m):
                tile = room[:, i : i + m + 2, j : j + m + 2]
                data = np.einsum("ai,bj,nijc->nabc", bt, bt, tile, dtype=F)
                products = np.einsum("nabc,abco->nabo", data, kernels, dtype=F)
                y[:, i : i + m, j : j + m] = np.einsum("ai,bj,nijo->nabo", at, at, products, dtype=F)
        return y[:, : out[0], : out[1]]

    return convolve


def fft(padded, w):
    """The same by the Fourier transform, in float32."""
    high, wide = padded.shape[1:3]
    image = np.fft.rfft2(padded.astype(F), axes=(1, 2)).astype(np.complex64)
    kernel = np.fft.rfft2(w[::-1, ::-1].astype(F), s=(high, wide), axes=(0, 1)).astype(np.complex64)
    product = np.einsum("nhwc,hwco->nhwo", image, kernel, dtype=np.complex64)
    y = np.fft.irfft2(product, s=(high, wide), axes=(1, 2)).astype(F)
    return y[:, w.shape[0] - 1 :, w.shape[1] - 1 :]


TRANSFORMS = {
    "Winograd F(2x2)": winograd(2),
    "Winograd F(4x4)": winograd(4),
    "Winograd F(6x6)": winograd(6),
    "FFT": fft,
}


def transformed(algorithm, x, w, dy, windows):
    """y and dx of a 3x3 convolution with stride 1; dx is the convolution of dy with the turned kernel."""
    (top, bottom), (left, right) = windows.pads[1:3]
    around = ((0, 0), (2 - top, 2 - bottom), (2 - left, 2 - right), (0, 0))
    turned = w[::-1, ::-1].transpose(0, 1, 3, 2)
    return {"y": algorithm(windows.pad(x).astype(F), w), "dx": algorithm(np.pad(dy, around).astype(F), turned)}


def fast_exp(x, draw):
    """Metal's fast exponential: off by up to 3 + 2|x| units in the last place (Metal Shading Language, table 8.2)."""
    units = draw.uniform(-1, 1, x.shape) * (3 + 2 * np.abs(x)) * 2.0**-23
    return (np.exp(x.astype(np.float64)) * (1 + units)).astype(F)


def fast_divide(a, b, draw):
    """Off by up to 2.5 units in the last place."""
    return (a.astype(np.float64) / b * (1 + draw.uniform(-2.5, 2.5, np.broadcast(a, b).shape) * 2.0**-23)).astype(F)


def fast_softmax(z, draw):
    e = fast_exp((z - z.max(axis=-1, keepdims=True)).astype(F), draw)
    return fast_divide(e, e.sum(axis=-1, keepdims=True, dtype=F), draw)
