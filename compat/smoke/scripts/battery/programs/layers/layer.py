"""What a check of a Keras layer is made of."""

import numpy as np

from battery import bounds
from battery.values import whole_numbers


class Layer:
    """One layer: `make(tf)` gives it, `shape` is its input's, `weights` the shapes of its weights in Keras's order.

    `reference(x, weights, dy)` gives the output and the gradients of the input and of each weight; `ops` are the operations
    at fault, in that order. Inputs and upstream gradient are integers times `unit`, so that averages are integers too.
    `call(layer, x)` calls it where that is not plain; `draw(draw, shape)` gives inputs where these are no numbers.
    """

    def __init__(self, name, ops, make, shape, out, weights, reference, unit=1, call=None, draw=None):
        self.name, self.ops, self.make, self.shape, self.out = name, ops, make, shape, out
        self.weights, self.reference, self.unit = weights, reference, unit
        self.call, self.draw = call or (lambda layer, x: layer(x)), draw

    def fill(self, draw):
        """Input, weights, upstream gradient, and what must come out."""
        numbers = self.draw or (lambda draw, shape: self.unit * whole_numbers(draw, shape, 5))
        x, dy = numbers(draw, self.shape), self.unit * whole_numbers(draw, self.out, 3)
        weights = [whole_numbers(draw, shape, 3) for shape in self.weights]
        y, gradients = self.reference(x, weights, dy.astype(np.float64))
        return x, weights, dy, [bounds.integers(op, value) for op, value in zip(self.ops, [y] + gradients)]
