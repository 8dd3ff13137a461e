"""Convolution and max pooling in NumPy float64, from the float32-rounded inputs, on one, two or three spatial axes.

Data have the sample first and the channel last (NWC, NHWC, NDHWC), kernels the output channel last (WIO, HWIO, DHWIO).
"""

import itertools

import numpy as np


def padding_of(size, kernel, stride, dilation, padding):
    """Output length, and pixels added before and after, along one axis (SAME puts the odd pixel after).

    `padding` is "SAME", "VALID", or how many pixels to add (before, after).
    """
    reach = (kernel - 1) * dilation + 1
    if padding == "SAME":
        out = -(-size // stride)
        total = max((out - 1) * stride + reach - size, 0)
        return out, total // 2, total - total // 2
    before, after = (0, 0) if padding == "VALID" else padding
    return (before + size + after - reach) // stride + 1, before, after


class Windows:
    """The sliding windows of one convolution or pooling: which input pixels meet which kernel position.

    `shape` is that of the input, samples and channels included; `padding` one word, or a pair for each spatial axis.
    """

    def __init__(self, shape, kernel, strides=None, dilations=None, padding="VALID"):
        rank = len(kernel)
        self.shape, self.kernel, self.inside = tuple(shape), tuple(kernel), tuple(range(1, rank + 1))
        strides, dilations = strides or (1,) * rank, dilations or (1,) * rank
        paddings = (padding,) * rank if isinstance(padding, str) else padding
        axes = [padding_of(*axis) for axis in zip(shape[1:-1], kernel, strides, dilations, paddings)]
        self.out = tuple(axis[0] for axis in axes)
        self.pads = ((0, 0),) + tuple(axis[1:] for axis in axes) + ((0, 0),)
        self._steps = [
            [slice(k * d, k * d + (n - 1) * s + 1, s) for k in range(size)]
            for size, n, s, d in zip(kernel, self.out, strides, dilations)
        ]

    def pad(self, x, value=0.0):
        return np.pad(x, self.pads, constant_values=value)

    def crop(self, padded):
        return padded[tuple(slice(before, before + size) for (before, _), size in zip(self.pads, self.shape))]

    def __iter__(self):
        """For each kernel position, in order: its indices, and the pixels of the padded input it meets."""
        everything = (slice(None),)
        for position in itertools.product(*(range(size) for size in self.kernel)):
            place = tuple(steps[k] for steps, k in zip(self._steps, position))
            yield position + (everything + place + everything,)


def conv2d(x, w, windows):
    """The convolution itself (cross-correlation, as everywhere in deep learning); on as many axes as the windows."""
    w = w.astype(np.float64)
    padded = windows.pad(x.astype(np.float64))
    y = np.zeros(x.shape[:1] + windows.out + w.shape[-1:])
    flat = y.reshape(-1, w.shape[-1])  # products of two matrices: many small ones take NumPy twice the time
    for *position, place in windows:
        flat += padded[place].reshape(-1, x.shape[-1]) @ w[tuple(position)]
    return y


def conv2d_dx(dy, w, windows):
    """Its gradient with respect to the input."""
    w, flat = w.astype(np.float64), dy.astype(np.float64).reshape(-1, dy.shape[-1])
    padded = windows.pad(np.zeros(windows.shape))
    for *position, place in windows:
        padded[place] += (flat @ w[tuple(position)].T).reshape(dy.shape[:-1] + (-1,))
    return windows.crop(padded)


def conv2d_dw(x, dy, windows):
    """Its gradient with respect to the kernel."""
    padded, flat = windows.pad(x.astype(np.float64)), dy.astype(np.float64).reshape(-1, dy.shape[-1])
    dw = np.zeros(windows.kernel + (x.shape[-1], dy.shape[-1]))
    for *position, place in windows:
        dw[tuple(position)] = padded[place].reshape(-1, x.shape[-1]).T @ flat
    return dw


def max_pool(x, windows):
    """The maxima, and for each the kernel position (flat) that won: the first one on a tie."""
    padded = windows.pad(x.astype(np.float64), -np.inf)
    stack = np.stack([padded[place] for *_, place in windows])
    return stack.max(axis=0), stack.argmax(axis=0)


def max_pool_dx(dy, winners, windows):
    padded = windows.pad(np.zeros(windows.shape))
    for position, (*_, place) in enumerate(windows):
        padded[place] += np.where(winners == position, dy, 0.0)
    return windows.crop(padded)


def covered(windows):
    """How many pixels each window has, padding not counted: what an average divides by."""
    return conv2d(np.ones(windows.shape[:-1] + (1,)), np.ones(windows.kernel + (1, 1)), windows)


def average_pool(x, windows):
    padded = windows.pad(x.astype(np.float64))
    return sum(padded[place] for *_, place in windows) / covered(windows)


def average_pool_dx(dy, windows):
    padded, share = windows.pad(np.zeros(windows.shape)), dy / covered(windows)
    for *_, place in windows:
        padded[place] += share
    return windows.crop(padded)


def depthwise(x, w, windows):
    """Each channel with kernels of its own; w ends in (channels, multiplier), and so do y's channels, flattened."""
    w = w.astype(np.float64)
    padded = windows.pad(x.astype(np.float64))
    y = np.zeros(x.shape[:1] + windows.out + w.shape[-2:])
    for *position, place in windows:
        y += padded[place][..., None] * w[tuple(position)]
    return y.reshape(y.shape[:-2] + (-1,))


def depthwise_dx(dy, w, windows):
    w = w.astype(np.float64)
    apart = dy.reshape(dy.shape[:-1] + w.shape[-2:])
    padded = windows.pad(np.zeros(windows.shape))
    for *position, place in windows:
        padded[place] += (apart * w[tuple(position)]).sum(axis=-1)
    return windows.crop(padded)


def depthwise_dw(x, dy, windows):
    padded = windows.pad(x.astype(np.float64))
    channels = x.shape[-1]
    apart = dy.astype(np.float64).reshape(-1, channels, dy.shape[-1] // channels)
    dw = np.zeros(windows.kernel + apart.shape[1:])
    for *position, place in windows:
        dw[tuple(position)] = (padded[place].reshape(-1, channels, 1) * apart).sum(axis=0)
    return dw
