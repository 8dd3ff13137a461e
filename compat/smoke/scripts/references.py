"""What TensorFlow's operations ought to give, in NumPy float64, from the float32-rounded inputs.

Stand-alone: NumPy only, CPython 3.8 syntax. Images are NHWC, kernels HWIO, as TensorFlow's defaults are.
"""

import numpy as np


def padding_of(size, kernel, stride, dilation, padding):
    """Output length, and pixels added before and after, along one axis (SAME puts the odd pixel after)."""
    reach = (kernel - 1) * dilation + 1
    if padding == "VALID":
        return (size - reach) // stride + 1, 0, 0
    out = -(-size // stride)
    total = max((out - 1) * stride + reach - size, 0)
    return out, total // 2, total - total // 2


class Windows:
    """The sliding windows of one convolution or pooling: which input pixels meet which kernel position."""

    def __init__(self, shape, kernel, strides=(1, 1), dilations=(1, 1), padding="VALID"):
        self.shape, self.kernel = shape, kernel
        axes = [padding_of(shape[1 + i], kernel[i], strides[i], dilations[i], padding) for i in (0, 1)]
        self.out = (axes[0][0], axes[1][0])
        self.pads = ((0, 0), axes[0][1:], axes[1][1:], (0, 0))
        self._steps = [
            [slice(k * d, k * d + (n - 1) * s + 1, s) for k in range(kernel[i])]
            for i, (n, s, d) in enumerate(zip(self.out, strides, dilations))
        ]

    def pad(self, x, value=0.0):
        return np.pad(x, self.pads, constant_values=value)

    def crop(self, padded):
        (top, _), (left, _) = self.pads[1:3]
        return padded[:, top : top + self.shape[1], left : left + self.shape[2], :]

    def __iter__(self):
        for i, rows in enumerate(self._steps[0]):
            for j, columns in enumerate(self._steps[1]):
                yield i, j, (slice(None), rows, columns, slice(None))


def conv2d(x, w, windows):
    """The convolution itself (cross-correlation, as everywhere in deep learning)."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    padded = windows.pad(x)
    y = np.zeros((x.shape[0],) + windows.out + (w.shape[3],))
    for i, j, place in windows:
        y += padded[place] @ w[i, j]
    return y


def conv2d_dx(dy, w, windows):
    """Its gradient with respect to the input."""
    dy, w = dy.astype(np.float64), w.astype(np.float64)
    padded = windows.pad(np.zeros(windows.shape))
    for i, j, place in windows:
        padded[place] += dy @ w[i, j].T
    return windows.crop(padded)


def conv2d_dw(x, dy, windows):
    """Its gradient with respect to the kernel."""
    x, dy = x.astype(np.float64), dy.astype(np.float64)
    padded = windows.pad(x)
    flat = dy.reshape(-1, dy.shape[3])
    dw = np.zeros(windows.kernel + (x.shape[3], dy.shape[3]))
    for i, j, place in windows:
        dw[i, j] = padded[place].reshape(-1, x.shape[3]).T @ flat
    return dw


def max_pool(x, windows):
    """The maxima, and for each the kernel position (flat) that won: the first one on a tie."""
    padded = windows.pad(x.astype(np.float64), -np.inf)
    stack = np.stack([padded[place] for _, _, place in windows])
    return stack.max(axis=0), stack.argmax(axis=0)


def max_pool_dx(dy, winners, windows):
    padded = windows.pad(np.zeros(windows.shape))
    for position, (_, _, place) in enumerate(windows):
        padded[place] += np.where(winners == position, dy, 0.0)
    return windows.crop(padded)


def softmax(z):
    z = z.astype(np.float64)
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cross_entropy(z, targets):
    """Loss of each row, and its gradient with respect to the logits, for targets that sum to 1."""
    z, t = z.astype(np.float64), targets.astype(np.float64)
    r = z - z.max(axis=-1, keepdims=True)
    total = np.log(np.exp(r).sum(axis=-1, keepdims=True))
    return (t * (total - r)).sum(axis=-1), softmax(z) - t


class Adam:
    """Keras's Adam: epsilon is added to the root that is *not* bias-corrected ("epsilon hat")."""

    def __init__(self, rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
        self.rate, self.beta_1, self.beta_2, self.epsilon = rate, beta_1, beta_2, epsilon
        self.steps, self.state = 0, {}

    def apply(self, weights, gradients):
        """New weights, in order; the moments are kept under the position of each weight."""
        self.steps += 1
        rate = self.rate * np.sqrt(1 - self.beta_2**self.steps) / (1 - self.beta_1**self.steps)
        return [w - rate * self._direction(i, g) for i, (w, g) in enumerate(zip(weights, gradients))]

    def _direction(self, i, g):
        m, v = self.state.get(i, (0.0, 0.0))
        m = self.beta_1 * m + (1 - self.beta_1) * g
        v = self.beta_2 * v + (1 - self.beta_2) * g * g
        self.state[i] = (m, v)
        return m / (np.sqrt(v) + self.epsilon)


class Momentum:
    """Keras's SGD, with or without momentum."""

    def __init__(self, rate=1e-2, momentum=0.0):
        self.rate, self.momentum, self.state = rate, momentum, {}

    def apply(self, weights, gradients):
        return [w + self._step(i, g) for i, (w, g) in enumerate(zip(weights, gradients))]

    def _step(self, i, g):
        self.state[i] = self.momentum * self.state.get(i, 0.0) - self.rate * g
        return self.state[i]
