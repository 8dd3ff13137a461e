"""Operations that only choose, move or repeat values: the reference is what they do to the positions of their inputs."""

import numpy as np

NOWHERE = -1
"""The position of what comes from no input: padding, or what a mask leaves out."""


class Moves:
    """Where each value of the outputs comes from.

    `move` is the operation in NumPy. It is given the positions of the values of each input, numbered through all inputs
    (arrays of the `shapes`), and returns one array of positions, or a list of them where there are several outputs.
    """

    def __init__(self, shapes, move):
        self.shapes = [tuple(shape) for shape in shapes]
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in self.shapes])
        self.parts = [slice(first, last) for first, last in zip(ends[:-1], ends[1:])]
        self.size = int(ends[-1])
        everything = np.arange(self.size)
        moved = move(*[everything[part].reshape(shape) for part, shape in zip(self.parts, self.shapes)])
        self.several = isinstance(moved, (list, tuple))
        self.sources = [np.asarray(one) for one in (moved if self.several else [moved])]

    def forward(self, inputs, constant=0.0):
        """The outputs, in the inputs' own type: nothing is computed."""
        values = [np.asarray(x).ravel() for x in inputs]
        flat = np.concatenate(values + [np.array([constant], values[0].dtype)])  # NOWHERE is the last one
        return [flat[source] for source in self.sources]

    def repeats(self):
        """Whether a value goes to several places, so that its gradient is a sum."""
        places = np.concatenate([source.ravel() for source in self.sources])
        return bool(np.bincount(places + 1)[1:].max() > 1)

    def backward(self, upstreams):
        """The gradient of each input: what came from one place is added up there, in float64."""
        total = np.zeros(self.size + 1)
        for source, upstream in zip(self.sources, upstreams):
            total += np.bincount(source.ravel() + 1, np.asarray(upstream, np.float64).ravel(), self.size + 1)
        flat = total[1:]
        return [flat[part].reshape(shape) for part, shape in zip(self.parts, self.shapes)]
