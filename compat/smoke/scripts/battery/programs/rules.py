"""The optimizers that are judged: how each is made, and its closed form."""

from battery.references import optimizers as closed
from battery.references.bounded import Bounded, joined, sqrt

QUICK = "quick"
NOT_JUDGED = "not judged"
"""Keras up to 2.10 has a Nadam with a schedule of its own for the momentum."""


class Rule:
    """One optimizer.

    `make(tf)` gives it; it may raise where this TensorFlow has none. `compiled` is the lowest level that tries
    it inside a function too, None for never. `reference(number)` is its closed form; `clip(gradient, parts)` changes the
    gradient of all variables, of which each has its slice, first; `schedule(step)` is its rate, where that changes;
    `variables` are those it is tried on eagerly, where not all; `older` is the closed form of Keras up to 2.10, where
    that was another.
    """

    def __init__(self, name, op, make, reference, level="standard", compiled="standard", clip=None, schedule=None,
                 decays=False, variables=None, older=None):  # fmt: skip
        self.name, self.op, self.make, self.reference, self.level = name, op, make, reference, level
        self.compiled, self.older = compiled, older or reference
        self.clip, self.schedule, self.decays = clip or (lambda g, parts: g), schedule, decays
        self.variables = variables or (None if level == QUICK else ("kernel",))


def by_norm(limit):
    """clipnorm: each variable's gradient is scaled to that norm, if it is longer."""
    return lambda g, parts: joined([shortened(g[part], g[part], limit) for part in parts])


def by_global_norm(limit):
    return lambda g, parts: shortened(g, g, limit)


def by_value(limit):
    return lambda g, parts: Bounded(g.value.clip(-limit, limit), g.error)


def shortened(g, whole, limit):
    norm = sqrt((whole * whole).sum())
    return g if norm.value <= limit else g * (limit / norm)


def keras(name, *given, **named):
    return lambda tf: getattr(tf.keras.optimizers, name)(*given, **named)


def legacy(name, **named):
    return lambda tf: getattr(tf.keras.optimizers.legacy, name)(**named)


def by_name(name):
    return lambda tf: tf.keras.optimizers.get(name)


def adam(**named):
    return lambda number: closed.Adam(number=number, **named)


def sgd(**named):
    return lambda number: closed.Momentum(number=number, **named)


def rmsprop(**named):
    return lambda number: closed.RMSprop(number=number, **named)


def adagrad(**named):
    return lambda number: closed.Adagrad(1e-2, number=number, **named)


def scheduled(tf):
    rates = tf.keras.optimizers.schedules.ExponentialDecay(1e-2, decay_steps=2, decay_rate=0.5)
    return tf.keras.optimizers.SGD(learning_rate=rates)


RULES = (
    Rule("adam", "Adam", keras("Adam", learning_rate=1e-3), adam(), QUICK),
    Rule("momentum", "SGD momentum", keras("SGD", learning_rate=1e-2, momentum=0.9), sgd(momentum=0.9), QUICK),
    Rule("clipnorm", "SGD clipnorm", keras("SGD", learning_rate=1e-2, clipnorm=1.0), sgd(), QUICK, clip=by_norm(1.0)),
    Rule(
        "rmsprop",
        "RMSprop",
        keras("RMSprop", learning_rate=1e-3),
        rmsprop(),
        QUICK,
        variables=("kernel", "tiny"),
        older=rmsprop(outside=True),
    ),  # fmt: skip
    Rule(
        "adamw",
        "AdamW",
        keras("AdamW", learning_rate=1e-3, weight_decay=0.01),
        adam(decay=0.01),
        QUICK,
        decays=True,
        variables=("kernel", "large"),
    ),
    Rule("sgd", "SGD", keras("SGD", learning_rate=1e-2), sgd()),
    Rule(
        "nesterov",
        "SGD nesterov",
        keras("SGD", learning_rate=1e-2, momentum=0.8, nesterov=True),
        sgd(momentum=0.8, nesterov=True),
    ),
    Rule(
        "weight_decay",
        "SGD weight_decay",
        keras("SGD", learning_rate=1e-2, weight_decay=0.1),
        sgd(decay=0.1),
        compiled="full",
        decays=True,
    ),
    Rule("clipvalue", "SGD clipvalue", keras("SGD", learning_rate=1e-2, clipvalue=0.5), sgd(), clip=by_value(0.5)),
    Rule(
        "global_clipnorm",
        "SGD global_clipnorm",
        keras("SGD", learning_rate=1e-2, global_clipnorm=1.0),
        sgd(),
        clip=by_global_norm(1.0),
    ),
    Rule("schedule", "SGD schedule", scheduled, sgd(), compiled="full", schedule=lambda step: 1e-2 * 0.5 ** (step / 2)),
    Rule(
        "amsgrad",
        "Adam amsgrad",
        keras("Adam", learning_rate=1e-3, beta_1=0.8, beta_2=0.5, epsilon=1e-3, amsgrad=True),
        adam(beta_1=0.8, beta_2=0.5, epsilon=1e-3, amsgrad=True),
        compiled="full",
    ),
    Rule(
        "centered",
        "RMSprop centered",
        keras("RMSprop", learning_rate=1e-3, centered=True),
        rmsprop(centered=True),
        compiled="full",
        older=rmsprop(centered=True, outside=True),
    ),  # fmt: skip
    Rule(
        "rms_momentum",
        "RMSprop momentum",
        keras("RMSprop", learning_rate=1e-3, rho=0.8, momentum=0.7, epsilon=1e-2),
        rmsprop(rho=0.8, momentum=0.7, epsilon=1e-2),
        compiled="full",
    ),
    Rule(
        "adagrad",
        "Adagrad",
        keras("Adagrad", learning_rate=1e-2, epsilon=1e-2),
        adagrad(epsilon=1e-2),
        compiled="full",
        older=adagrad(epsilon=1e-2, outside=True),
    ),
    Rule(
        "adadelta",
        "Adadelta",
        keras("Adadelta", learning_rate=1.0),
        lambda n: closed.Adadelta(1.0, number=n),
        compiled="full",
    ),
    Rule("adamax", "Adamax", keras("Adamax", learning_rate=1e-3), lambda n: closed.Adamax(number=n), compiled="full"),
    Rule(
        "nadam",
        "Nadam",
        keras("Nadam", learning_rate=1e-3),
        lambda n: closed.Nadam(number=n),
        compiled="full",
        older=NOT_JUDGED,
    ),
    Rule("adam_by_name", "Adam", by_name("adam"), adam(), compiled=None),
    Rule("sgd_by_name", "SGD", by_name("sgd"), sgd(), compiled=None),
    Rule("rmsprop_by_name", "RMSprop", by_name("rmsprop"), rmsprop(), compiled=None, older=rmsprop(outside=True)),
    Rule("legacy_adam", "ResourceApplyAdam", legacy("Adam", learning_rate=1e-3), adam()),
    Rule(
        "legacy_momentum",
        "ResourceApplyKerasMomentum",
        legacy("SGD", learning_rate=1e-2, momentum=0.9),
        sgd(momentum=0.9),
    ),
)
