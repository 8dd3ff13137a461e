"""Seconds a training step takes on the device and on the CPU: information, never a failure.

Some layers are far slower on a Mac's GPU than on its CPU (recurrent ones: 56 minutes an epoch against 264 seconds in
tensorflow#56782), and small batches of anything.
"""

import time

from battery.programs.program import CONTROL, Part, Program
from battery.recorder import Result
from battery.values import draw_for, real_numbers

BATCH, STEPS = 32, 10


def programs():
    return [
        Program("speed/convolution", "Conv2D", "graph", timed(convolutional, (32, 32, 3)), "full"),
        Program("speed/dense", "MatMul", "graph", timed(dense, (784,)), "full"),
        Program("speed/lstm", "LSTM", "graph", timed(recurrent, (40, 32)), "full"),
    ]


def convolutional(layers):
    pool = layers.MaxPooling2D
    return [
        layers.Conv2D(32, 3, activation="relu"),
        pool(),
        layers.Conv2D(64, 3, activation="relu"),
        pool(),
        layers.Flatten(),
    ]


def dense(layers):
    return [layers.Dense(300, activation="relu"), layers.Dense(100, activation="relu")]


def recurrent(layers):
    return [layers.LSTM(64)]


def timed(body, shape):
    """A step on the CPU, and where the device is another, on that too."""

    def check(session):
        batch = getattr(session, "batch", None) or BATCH
        found = {
            place: seconds(session, body, shape, batch, place) for place in dict.fromkeys((CONTROL, session.device))
        }
        text = ", ".join("%.2f ms on %s" % (1000 * value, place) for place, value in found.items())
        if len(found) > 1:
            text += ": %.2g times the CPU's speed" % (found[CONTROL] / found[session.device])
        detail = "a training step with a batch of %d takes %s" % (batch, text)
        yield Part("step", "training step", "%d x %s" % (batch, shape), Result("info", None, detail, "speed"))

    return check


def seconds(session, body, shape, batch, place):
    """The shortest of a few steps: whatever else the machine does only ever adds."""
    tf = session.tf
    with tf.device("/" + place):
        step = training_step(tf, session, body(tf.keras.layers), shape, batch)
        float(step().numpy())  # traced and compiled
        best = float("inf")
        for _ in range(STEPS):
            begun = time.perf_counter()
            float(step().numpy())  # reading it back waits for the device
            best = min(best, time.perf_counter() - begun)
    return best


def training_step(tf, session, body, shape, batch):
    draw = draw_for("speed")
    x, t = (tf.constant(real_numbers(draw, size)) for size in ((batch,) + shape, (batch, 10)))
    model = tf.keras.Sequential([tf.keras.layers.Input(shape)] + body + [tf.keras.layers.Dense(10)])
    adam = tf.keras.optimizers.Adam()
    if hasattr(adam, "build"):
        adam.build(model.trainable_variables)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - t) ** 2)
        adam.apply_gradients(list(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)))
        return loss

    return session.compiled(step)
