"""What TensorFlow's fused update kernels do to a weight, in NumPy float64, as the operations' documentation writes it.

Each is a generator's step: `start(shape)` gives the state, `step(state, g, t)` changes it in place and returns what is
added to the weight in update number t, counted from 1.
"""

import numpy as np

RATE, DECAY, MOMENTUM = 1e-2, 0.9, 0.9
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7
ACCUMULATED = 0.1
"""What Keras's Adagrad starts from."""


class Update:
    """`slots` are the names and first values of the state; `constant` is that of bounds.optimizer."""

    slots, constant = (), 16

    def start(self, shape):
        return {name: np.full(shape, first, np.float64) for name, first in self.slots}

    def step(self, state, g, t):
        raise NotImplementedError


class Descent(Update):
    def step(self, state, g, t):
        return -RATE * g


class Momentum(Update):
    """The rate outside the buffer."""

    slots, constant = (("accum", 0.0),), 32

    def __init__(self, nesterov=False):
        self.nesterov = nesterov

    def step(self, state, g, t):
        state["accum"] = MOMENTUM * state["accum"] + g
        return -RATE * (g + MOMENTUM * state["accum"] if self.nesterov else state["accum"])


class KerasMomentum(Momentum):
    """The rate inside the buffer."""

    def step(self, state, g, t):
        state["accum"] = MOMENTUM * state["accum"] - RATE * g
        return MOMENTUM * state["accum"] - RATE * g if self.nesterov else state["accum"]


class Adam(Update):
    """Epsilon is added to the root that is not bias-corrected; 1 - beta_2 in float32 is off by 1.3e-5."""

    slots, constant = (("m", 0.0), ("v", 0.0)), 564

    def step(self, state, g, t):
        state["m"] += (1 - BETA_1) * (g - state["m"])
        state["v"] += (1 - BETA_2) * (g * g - state["v"])
        rate = RATE * np.sqrt(1 - BETA_2**t) / (1 - BETA_1**t)
        return -rate * state["m"] / (np.sqrt(state["v"]) + EPSILON)


class AdaMax(Update):
    slots, constant = (("m", 0.0), ("v", 0.0)), 64

    def step(self, state, g, t):
        state["m"] += (1 - BETA_1) * (g - state["m"])
        state["v"] = np.maximum(BETA_2 * state["v"], np.abs(g))
        return -RATE / (1 - BETA_1**t) * state["m"] / (state["v"] + EPSILON)


class RMSProp(Update):
    """Epsilon inside the root."""

    slots, constant = (("ms", 0.0), ("mom", 0.0)), 64

    def step(self, state, g, t):
        state["ms"] += (1 - DECAY) * (g * g - state["ms"])
        state["mom"] = MOMENTUM * state["mom"] + RATE * g / np.sqrt(state["ms"] + EPSILON)
        return -state["mom"]


class Adagrad(Update):
    slots, constant = (("accum", ACCUMULATED),), 32

    def step(self, state, g, t):
        state["accum"] += g * g
        return -RATE * g / (np.sqrt(state["accum"]) + EPSILON)


class Adadelta(Update):
    slots, constant = (("accum", 0.0), ("accum_update", 0.0)), 128

    def step(self, state, g, t):
        state["accum"] = DECAY * state["accum"] + (1 - DECAY) * g * g
        update = np.sqrt(state["accum_update"] + EPSILON) / np.sqrt(state["accum"] + EPSILON) * g
        state["accum_update"] = DECAY * state["accum_update"] + (1 - DECAY) * update**2
        return -update


def applied(update, weight, gradients):
    """The weight after all updates in float64, and the sum of the sizes they have with |gradient| for gradient."""
    weight = np.asarray(weight, np.float64)
    state, sizes = update.start(weight.shape), update.start(weight.shape)
    moved = np.zeros(weight.shape)
    for t, g in enumerate(gradients, 1):
        g = np.asarray(g, np.float64)
        weight = weight + update.step(state, g, t)
        moved += np.abs(update.step(sizes, np.abs(g), t))
    return weight, moved
