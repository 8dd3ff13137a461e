"""Keras's optimizers in NumPy float64, as its documentation writes them.

They compute with plain arrays or with Bounded ones. `number(value, error)` makes a constant that float32 arithmetic
arrives at with an error in units of u: 1 - beta_2 = 0.001 is off by u of 1, which is 6e-5 of itself, legitimately.
"""

from battery.references.bounded import Bounded, maximum, size_of, sqrt
from battery.wants import U


def plain(value, error=0.0):
    return value


def rounded(value, error=0.0):
    """The constant with its bound, for Bounded arrays."""
    return Bounded(value, U * (abs(value) + error))


class Rule:
    """State by the position of each weight, the step counter, and what every optimizer does to gradients."""

    def __init__(self, rate=1e-3, number=plain, decay=0.0):
        self.number, self.steps, self.state = number, 0, {}
        self.rate, self.decay = number(rate), decay

    def apply(self, weights, gradients):
        """New weights, in order. `decay` shrinks the weight itself, before and not through the gradient."""
        self.steps += 1
        if self.decay:
            weights = [w + -self.rate * self.number(self.decay) * w for w in weights]
        return [w + self.change(i, g) for i, (w, g) in enumerate(zip(weights, gradients))]

    def change(self, i, g):
        """What is added to weight number i."""
        raise NotImplementedError

    def average(self, key, decay, new, start=0.0):
        """The running average kept under `key`, with `new` taken in."""
        old = self.state.get(key, start)
        self.state[key] = self.number(decay) * old + self.number(1 - decay, 2) * new
        return self.state[key]

    def correction(self, beta):
        """1 - beta^t, where float32 has beta rounded and raised by a few roundings."""
        power = beta**self.steps
        return self.number(1 - power, 2 + (self.steps + 8) * power)


class Adam(Rule):
    """Epsilon is added to the root that is *not* bias-corrected ("epsilon hat")."""

    def __init__(self, rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, decay=0.0, number=plain):
        Rule.__init__(self, rate, number, decay)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad

    def change(self, i, g):
        m, v = self.average((i, "m"), self.beta_1, g), self.average((i, "v"), self.beta_2, g * g)
        if self.amsgrad:
            v = self.state[i, "highest"] = maximum(self.state.get((i, "highest"), 0 * v), v)
        rate = self.rate * sqrt(self.correction(self.beta_2)) / self.correction(self.beta_1)
        return -rate * m / (sqrt(v) + self.number(self.epsilon))


class Momentum(Rule):
    """Keras's SGD, with or without momentum."""

    def __init__(self, rate=1e-2, momentum=0.0, nesterov=False, decay=0.0, number=plain):
        Rule.__init__(self, rate, number, decay)
        self.momentum, self.nesterov = number(momentum), nesterov

    def change(self, i, g):
        step = -self.rate * g
        self.state[i] = self.momentum * self.state.get(i, 0.0) + step
        return self.momentum * self.state[i] + step if self.nesterov else self.state[i]


class RMSprop(Rule):
    """Epsilon is inside the root; `outside` it up to Keras 2.10."""

    def __init__(self, rate=1e-3, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, start=0.0, number=plain,
                 outside=False):  # fmt: skip
        Rule.__init__(self, rate, number)
        self.outside = outside
        self.rho, self.momentum, self.epsilon, self.centered, self.start = rho, momentum, epsilon, centered, start

    def change(self, i, g):
        spread = self.average((i, "v"), self.rho, g * g, self.start)
        if self.centered:
            mean = self.average((i, "m"), self.rho, g)
            spread = spread - mean * mean
        epsilon = self.number(self.epsilon)
        step = self.rate * g / (sqrt(spread) + epsilon if self.outside else sqrt(spread + epsilon))
        if self.momentum:
            step = self.state[i] = self.number(self.momentum) * self.state.get(i, 0.0) + step
        return -step


class Adagrad(Rule):
    """Epsilon is inside the root; `outside` it up to Keras 2.10."""

    def __init__(self, rate=1e-3, start=0.1, epsilon=1e-7, number=plain, outside=False):
        Rule.__init__(self, rate, number)
        self.start, self.epsilon, self.outside = number(start), number(epsilon), outside

    def change(self, i, g):
        self.state[i] = self.state.get(i, self.start) + g * g
        root = sqrt(self.state[i]) + self.epsilon if self.outside else sqrt(self.state[i] + self.epsilon)
        return -self.rate * g / root


class Adadelta(Rule):
    """The rate times the update that needs none."""

    def __init__(self, rate=1e-3, rho=0.95, epsilon=1e-7, number=plain):
        Rule.__init__(self, rate, number)
        self.rho, self.epsilon = rho, number(epsilon)

    def change(self, i, g):
        spread = self.average((i, "g"), self.rho, g * g)
        step = -sqrt(self.state.get((i, "x"), 0 * g) + self.epsilon) * g / sqrt(spread + self.epsilon)
        self.average((i, "x"), self.rho, step * step)
        return self.rate * step


class Adamax(Rule):
    """Adam with the largest gradient in place of the root."""

    def __init__(self, rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7, number=plain):
        Rule.__init__(self, rate, number)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, number(epsilon)

    def change(self, i, g):
        m = self.average((i, "m"), self.beta_1, g)
        highest = self.number(self.beta_2) * self.state.get((i, "u"), 0 * g)
        self.state[i, "u"] = maximum(highest, size_of(g))
        return -self.rate * m / (self.correction(self.beta_1) * (self.state[i, "u"] + self.epsilon))


class Nadam(Rule):
    """Adam with Nesterov momentum, whose beta_1 grows by the schedule of Dozat's paper (0.96)."""

    def __init__(self, rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7, number=plain):
        Rule.__init__(self, rate, number)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, number(epsilon)

    def change(self, i, g):
        now, after = (self.beta_1 * (1 - 0.5 * 0.96**t) for t in (self.steps, self.steps + 1))
        before = self.product_until(self.steps - 1)
        m, v = self.average((i, "m"), self.beta_1, g), self.average((i, "v"), self.beta_2, g * g)
        many = 4 * self.steps + 8  # roundings of the powers and their products
        ahead = self.number(after, 8) * m / self.number(1 - before * now * after, many)
        ahead = ahead + self.number(1 - now, 8) * g / self.number(1 - before * now, many)
        return -self.rate * ahead / (sqrt(v / self.correction(self.beta_2)) + self.epsilon)

    def product_until(self, step):
        product = 1.0
        for t in range(1, step + 1):
            product *= self.beta_1 * (1 - 0.5 * 0.96**t)
        return product
