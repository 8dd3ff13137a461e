"""Weights written and read again must be the same bits, and a model read again must predict the same."""

import os
import shutil
import tempfile

import numpy as np

from battery import bounds
from battery.programs.program import Part, Program, judged
from battery.recorder import Result
from battery.values import draw_for, real_numbers
from battery.wants import Want

SHAPE = (5, 6, 4, 2)
SHAPES = ((2, 2, 2, 3), (3,), (33,), ())
"""Of the variables of a checkpoint."""
ANSWERS = 1e-3
"""Of the largest sum of absolute products: both answers are the device's own, each within (512 + 4 sqrt n) u per layer. What
is looked for (another activation, an option lost) is far larger; the weights themselves are compared bit for bit."""


def programs():
    return [
        Program("saving/weights", "save_weights", "predict", weights, "standard"),
        Program("saving/model", "save", "predict", whole_model, "standard"),
        Program("saving/checkpoint", "Checkpoint", "eager", checkpoint, "standard"),
    ]


def weights(session):
    def round_trip(folder):
        model, given = filled(session.tf), os.path.join(folder, "w.weights.h5")
        model.save_weights(given)
        other = built(session.tf)
        other.load_weights(given)
        return model, other

    return compared(session, "save_weights", round_trip)


def whole_model(session):
    def round_trip(folder):
        model, given = filled(session.tf), os.path.join(folder, "model.keras")
        model.save(given)
        return model, session.tf.keras.models.load_model(given, compile=False)

    return compared(session, "save", round_trip)


def checkpoint(session):
    def round_trip(folder):
        tf = session.tf
        kept = [tf.Variable(real_numbers(draw_for("saving"), shape)) for shape in SHAPES]
        path = tf.train.Checkpoint(variables=kept).write(os.path.join(folder, "checkpoint"))
        read = [tf.Variable(tf.zeros_like(w)) for w in kept]
        tf.train.Checkpoint(variables=read).read(path).assert_consumed()
        for number, (before, after) in enumerate(zip(kept, read)):
            yield judged(session, "weight%d" % number, bounds.exact("Checkpoint", before.numpy()), after.numpy())

    return in_folder("Checkpoint", lambda folder: list(round_trip(folder)))


def compared(session, op, round_trip):
    """Weights bit for bit, and the answers of both models to the same question."""

    def check(folder):
        model, other = round_trip(folder)
        for number, (before, after) in enumerate(zip(model.get_weights(), other.get_weights())):
            yield judged(session, "weight%d" % number, bounds.exact(op, before), after)
        x = session.tf.constant(real_numbers(draw_for("saving"), SHAPE))
        before, after = (m(x, training=False).numpy() for m in (model, other))
        largest = np.abs(model(abs(x), training=False).numpy()).max()  # no weight is negative: the sum of what is added
        yield judged(session, "answer", Want(op, before, ANSWERS * largest), after)

    return in_folder(op, lambda folder: list(check(folder)))


def in_folder(op, check):
    """With a folder to write to; where there is none, that is said and nothing judged."""
    try:
        folder = tempfile.mkdtemp(prefix="smoke-")
    except OSError as error:
        return [Part("", op, "", Result("skipped", None, "no folder to write to: %s" % error))]
    try:
        return check(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def built(tf):
    layers = tf.keras.layers
    steps = [
        layers.Input(SHAPE[1:]),
        layers.Conv2D(3, 2),
        layers.BatchNormalization(),
        layers.Flatten(),
        layers.Dense(45),  # a square matrix, whose transpose would fit
    ]
    return tf.keras.Sequential(steps)


def filled(tf):
    """With weights that are no default, and not negative where they are variances."""
    draw, model = draw_for("saving"), built(tf)
    model.set_weights([abs(real_numbers(draw, w.shape)) + np.float32(0.1) for w in model.get_weights()])
    return model
