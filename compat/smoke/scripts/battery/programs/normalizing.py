"""BatchNormalization and LayerNormalization: training, gradients, inference, and the statistics that are kept."""

import numpy as np

from battery.programs.program import Program, judged
from battery.references import normalization
from battery.references.bounded import bounded
from battery.references.optimizers import rounded
from battery.values import draw_for, real_numbers

EPSILON, MOMENTUM = 1e-3, 0.9
SHAPE = (5, 4, 3, 6)
NAMES = ("y", "dx", "dgamma", "dbeta")
OPS = ("FusedBatchNormV3",) + ("FusedBatchNormGradV3",) * 3
ROWS = (7, 5, 19)


def programs():
    found = []
    for mode, level in (("eager", "quick"), ("graph", "standard")):
        compiled = mode == "graph"
        found.append(Program("batchnorm/layer", "BatchNormalization", mode, batch_normalization(compiled), level))
        found.append(Program("layernorm/layer", "LayerNormalization", mode, layer_normalization(compiled), "standard"))
    return found


def batch_normalization(compiled):
    def check(session):
        tf, draw = session.tf, draw_for("batchnorm/layer")
        x, dy = real_numbers(draw, SHAPE) + 1, real_numbers(draw, SHAPE)
        gamma, beta, mean = (real_numbers(draw, SHAPE[-1:]) for _ in range(3))
        spread = np.exp(real_numbers(draw, SHAPE[-1:])).astype(np.float32)
        layer = tf.keras.layers.BatchNormalization(momentum=MOMENTUM, epsilon=EPSILON)
        layer.build(SHAPE)
        layer.set_weights([gamma, beta, mean, spread])
        infer = run(session, lambda x: [layer(x, training=False)], compiled)
        before = infer(tf.constant(x))[0].numpy()
        answers = run(session, lambda x, dy: gradients(tf, layer, x, dy), compiled)(tf.constant(x), tf.constant(dy))
        y, found, own_mean, own_variance = normalization.trained(x, gamma, beta, EPSILON, (0, 1, 2), dy)
        wanted = normalization.inferred(x, gamma, beta, EPSILON, mean, spread)
        yield judged(session, "inference", wanted.want("BatchNormalization inference"), before)
        for name, op, want, answer in zip(NAMES, OPS, [y] + found, answers):
            yield judged(session, name, want.want(op), answer.numpy())
        kept_mean, kept_variance = (w.numpy() for w in layer.non_trainable_weights[:2])
        op = "BatchNormalization moving statistics"
        yield judged(session, "moving_mean", moved(mean, own_mean).want(op), kept_mean)
        yield best(session, "moving_variance", op, spread, own_variance, kept_variance)
        wanted = normalization.inferred(x, gamma, beta, EPSILON, kept_mean, kept_variance)
        after = infer(tf.constant(x))[0].numpy()
        yield judged(session, "inference_after", wanted.want("BatchNormalization inference"), after)

    return check


def layer_normalization(compiled):
    def check(session):
        tf, draw = session.tf, draw_for("layernorm/layer")
        x, dy = real_numbers(draw, ROWS) + 1, real_numbers(draw, ROWS)
        gamma, beta = (real_numbers(draw, ROWS[-1:]) for _ in range(2))
        layer = tf.keras.layers.LayerNormalization(epsilon=EPSILON)
        layer.build(ROWS)
        layer.set_weights([gamma, beta])
        answers = run(session, lambda x, dy: gradients(tf, layer, x, dy), compiled)(tf.constant(x), tf.constant(dy))
        y, found, _, _ = normalization.trained(x, gamma, beta, EPSILON, (2,), dy)
        for name, want, answer in zip(NAMES, [y] + found, answers):
            yield judged(session, name, want.want("LayerNormalization"), answer.numpy())

    return check


def run(session, function, compiled):
    return session.compiled(function) if compiled else function


def gradients(tf, layer, x, dy):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x, training=True)
    return [y] + tape.gradient(y, [x] + list(layer.trainable_variables), output_gradients=dy)


def moved(old, new):
    """A moving statistic after one step."""
    return rounded(MOMENTUM) * bounded(old) + rounded(1 - MOMENTUM, 2) * new.reshape(-1)


def best(session, name, op, old, variance, answer):
    """The variance is kept as it is by Keras 3, and with Bessel's correction by the fused operation: both are right."""
    samples = np.prod(SHAPE[:-1])
    wants = [moved(old, variance * factor).want(op) for factor in (1.0, float(samples) / (samples - 1))]
    return judged(session, name, min(wants, key=lambda want: want.judge(answer).ratio), answer)
