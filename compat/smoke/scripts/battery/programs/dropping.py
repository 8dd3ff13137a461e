"""Dropout layers: what they keep, how it is scaled, by which mask gradients pass, and that every step draws another.

No value can be named for random numbers, but statements can: each is made with 6.5 standard errors of room (references.chance).
"""

import math

import numpy as np

from battery import bounds
from battery.programs.program import Program, judged
from battery.references import chance
from battery.values import draw_for, whole_numbers
from battery.wants import Claim, U, Want

SHAPE = (32, 16, 16, 12)
"""98,304 values: a rate that is off by a hundredth shows."""
LAGS = (3, 12, 192, 3072, 32768, 65536)
"""Besides those of `chance`: a channel, a pixel, a row, a sample later, and any power of two up to 65,536."""
RATES = (0.5, 0.25)
SPATIAL = (64, 5, 3, 48)


def programs():
    found = []
    for rate in RATES:
        name = "dropout/%s" % rate
        found.append(Program(name, "Dropout", "eager", dropped(rate, False)))
        found.append(Program(name, "Dropout", "graph", dropped(rate, True), "standard" if rate == 0.25 else "full"))
    for mode, level in (("eager", "standard"), ("graph", "full")):
        found.append(Program("dropout/spatial", "SpatialDropout2D", mode, whole_channels(mode == "graph"), level))
    return found


def dropped(rate, compiled):
    def check(session):
        draw = draw_for("dropout")
        x, dy = whole_numbers(draw, SHAPE, 7), whole_numbers(draw, SHAPE, 3)  # not 0: what is 0 was dropped
        layer = session.tf.keras.layers.Dropout(rate)
        y, dx, again, _, inference = called(session, layer, x, dy, compiled)
        mask = y != 0
        yield judged(session, "scaled", scaled("Dropout", x, mask, rate), y)
        yield judged(session, "gradient_mask", scaled("DropoutGrad", dy, mask, rate), dx)
        yield judged(session, "chance", Claim("Dropout", SHAPE, lambda found: chance.kept(found, rate)), mask)
        yield judged(session, "repeats", Claim("Dropout", SHAPE, lambda found: repeats(found, rate)), mask)
        yield judged(session, "fresh_mask", Claim("Dropout", SHAPE, lambda found: alike(mask, found != 0, rate)), again)
        yield judged(session, "inference", bounds.exact("Dropout", x), inference)

    return check


def called(session, layer, x, dy, compiled):
    """The output and input gradient of two training steps, and the output of inference."""
    tf = session.tf

    def step(x, dy):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, training=True)
        return y, tape.gradient(y, x, output_gradients=dy), layer(x, training=False)

    function = session.compiled(step) if compiled else step
    x, dy = tf.constant(x), tf.constant(dy)
    (y, dx, _), (again, other, inference) = (function(x, dy) for _ in range(2))
    return [tensor.numpy() for tensor in (y, dx, again, other, inference)]


def scaled(op, x, mask, rate):
    """What is kept is divided by 1 - rate, within a division and a product."""
    value = np.where(mask, x.astype(np.float64) / (1 - rate), 0.0)
    return Want(op, value, np.where(mask, 32 * U * abs(value), 0.0), ("sample", "row", "column", "channel"))


def repeats(mask, rate):
    standard = (mask.ravel() - (1 - rate)) / math.sqrt(rate * (1 - rate))
    found = [(lag, np.dot(standard[:-lag], standard[lag:]) / math.sqrt(standard.size - lag)) for lag in LAGS]
    return chance.worst_of([("correlation at lag %d" % lag, z) for lag, z in found])


def alike(mask, other, rate):
    """The correlation of two masks, which have nothing to do with each other."""
    first, second = (m.ravel() - (1 - rate) for m in (mask, other))
    z = np.dot(first, second) / (rate * (1 - rate) * math.sqrt(mask.size))
    return chance.worst_of([("correlation of two steps", z)])


def whole_channels(compiled):
    def check(session):
        draw, rate = draw_for("dropout/spatial"), 0.5
        x, dy = whole_numbers(draw, SPATIAL, 7), whole_numbers(draw, SPATIAL, 3)
        y, dx, again, _, inference = called(session, session.tf.keras.layers.SpatialDropout2D(rate), x, dy, compiled)
        mask = np.broadcast_to(y[:, :1, :1] != 0, SPATIAL)  # one decision for a whole channel
        yield judged(session, "scaled", scaled("SpatialDropout2D", x, mask, rate), y)
        yield judged(session, "gradient_mask", scaled("SpatialDropout2DGrad", dy, mask, rate), dx)
        kept, other = mask[:, 0, 0], again[:, 0, 0] != 0
        yield judged(
            session, "chance", Claim("SpatialDropout2D", kept.shape, lambda found: chance.kept(found, rate)), kept
        )
        fresh = Claim("SpatialDropout2D", kept.shape, lambda found: alike(kept, found, rate))
        yield judged(session, "fresh_mask", fresh, other)
        yield judged(session, "inference", bounds.exact("SpatialDropout2D", x), inference)

    return check
