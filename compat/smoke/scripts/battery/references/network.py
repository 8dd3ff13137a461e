"""A small convolutional network by hand in NumPy float64: twice convolution, bias, ReLU and pooling, then a dense layer."""

import numpy as np

from battery.references.windows import Windows, conv2d, conv2d_dw, conv2d_dx, max_pool, max_pool_dx


class Block:
    """Conv2D(SAME), bias, ReLU, MaxPool2D(2): the output `y`, and `back`, once the input is known."""

    def __init__(self, x, kernel, bias):
        self.x, self.kernel = x, kernel
        self.windows = Windows(x.shape, kernel.shape[:2], padding="SAME")
        self.before = conv2d(x, kernel, self.windows) + bias
        self.active = np.maximum(self.before, 0)
        self.pooling = Windows(self.active.shape, (2, 2), (2, 2))
        self.y, self._winners = max_pool(self.active, self.pooling)

    def back(self, dy):
        """The gradients of input, kernel and bias."""
        above = max_pool_dx(dy, self._winners, self.pooling) * (self.before > 0)
        dx = conv2d_dx(above, self.kernel, self.windows)
        return dx, conv2d_dw(self.x, above, self.windows), above.sum(axis=(0, 1, 2))

    def closest(self):
        """How far the nearest decision is from turning out otherwise: of a ReLU, and between two pixels of a window.

        Pixels that ReLU made 0 may tie: no gradient passes to either.
        """
        four = np.sort(np.stack([self.active[place] for *_, place in self.pooling]), axis=0)
        gaps = (four[-1] - four[-2])[four[-1] > 0]
        return abs(self.before).min(), gaps.min()


class Network:
    """The weights are kernel and bias of each block, then of the dense layer."""

    def __init__(self, x, weights):
        k1, b1, k2, b2, self.d, c = (array.astype(np.float64) for array in weights)
        self.blocks = [Block(x.astype(np.float64), k1, b1)]
        self.blocks.append(Block(self.blocks[0].y, k2, b2))
        self.flat = self.blocks[1].y.reshape(len(x), -1)
        self.y = self.flat @ self.d + c

    def back(self, dy):
        """The gradients of the input and of each weight, in order."""
        dy = dy.astype(np.float64)
        first, second = self.blocks
        da, dk2, db2 = second.back((dy @ self.d.T).reshape(second.y.shape))
        dx, dk1, db1 = first.back(da)
        return dx, dk1, db1, dk2, db2, self.flat.T @ dy, dy.sum(axis=0)
