"""What shows only after a while: memory that is not given back, answers that change, calls that do not come back.

A hang is not judged here but by the time limit of the step, which ends the process and names it.
"""

import os
import sys

import numpy as np

from battery.programs import fitting
from battery.programs.program import Program, claimed
from battery.values import draw_for, real_numbers

LEAK_STEPS, TRAIN_STEPS, WARM = 300, 200, 50
ALLOWED = 64 * 1024
"""Bytes a step may keep. Reported leaks lose whole tensors: tens of megabytes in as many steps (tensorflow#60616)."""
BATCH, WIDTH, TIMES = 2500, 64, 10


def programs():
    return [
        Program("lasting/gather", "argsort, gather_nd", "graph", gathering, "full"),
        Program("lasting/training", "training step", "graph", training, "full"),
        Program("lasting/determinism", "MatMul", "graph", determinism, "full", mains=("MatMul",)),
        Program("lasting/loop", "fit, evaluate, predict", "fit", loop, "full"),
    ]


def memory():
    """Bytes this process holds (Linux), or has held at most, which hides what stays below an earlier peak (a Mac)."""
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource  # not on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def kept(session, op, step, steps):
    """Whether memory still grows once the first steps have taken what they need."""
    for _ in range(WARM):
        step()
    before = memory()
    for _ in range(steps):
        answer = step()
    np.asarray(answer)  # what is still under way must end before memory is read
    slope = (memory() - before) / float(steps)
    text = "keeps %.0f kB of memory a step (%d steps)" % (slope / 1024, steps)
    return claimed(session, "memory", op, "%d steps" % steps, slope <= ALLOWED, text)


def gathering(session):
    """Patches of an image in a random order, as in the report: the same call on a CPU keeps nothing."""
    tf = session.tf
    x = tf.constant(real_numbers(draw_for("lasting/gather"), (32, 196, 48)))

    def shuffle():
        order = tf.argsort(tf.random.uniform((32, 196)), axis=-1)
        return tf.reduce_sum(tf.gather_nd(x, order[..., None], batch_dims=1))

    yield kept(session, "argsort, gather_nd", session.compiled(shuffle), LEAK_STEPS)


def training(session):
    tf = session.tf
    x, t, _ = (tf.constant(array) for array in fitting.pictures())
    model, adam = fitting.network(tf), tf.keras.optimizers.Adam()
    if hasattr(adam, "build"):
        adam.build(model.trainable_variables)

    def train():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(t, model(x, training=True)))
        adam.apply_gradients(list(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)))
        return loss

    yield kept(session, "training step", session.compiled(train), TRAIN_STEPS)


def determinism(session):
    """The same forward pass of a large batch: sums in another order are legitimate, so this is worth saying and no more."""
    tf, draw = session.tf, draw_for("lasting/determinism")
    x, w = (tf.constant(real_numbers(draw, shape)) for shape in ((BATCH, WIDTH), (WIDTH, WIDTH)))
    function = session.compiled(lambda x: tf.nn.relu(tf.matmul(x, w)))
    first = function(x).numpy()
    same = sum(np.array_equal(first, function(x).numpy()) for _ in range(TIMES - 1))
    part = claimed(session, "again", "MatMul", "%dx%d" % (BATCH, WIDTH), same == TIMES - 1, "")
    if same < TIMES - 1:
        detail = "%d of %d repetitions differ from the first" % (TIMES - 1 - same, TIMES - 1)
        part = part._replace(result=part.result._replace(status="info", detail=detail, reason="order"))
    yield part


def loop(session):
    """Training, evaluation and prediction in turns: reports have the second or third of them not coming back."""
    x, t, weights = fitting.pictures()
    model = fitting.network(session.tf)
    model.compile(optimizer="adam", loss="categorical_crossentropy", jit_compile=False)
    answers = []
    for _ in range(5):
        model.fit(x, t, epochs=2, verbose=0, sample_weight=weights, validation_data=(x, t, weights))
        answers += [model.evaluate(x, t, verbose=0), float(model.predict(x, verbose=0).sum())]
    sound = bool(np.isfinite(answers).all()) and answers[-2] < answers[0]
    text = "loss after each round: " + ", ".join("%.4g" % loss for loss in answers[::2])
    yield claimed(session, "rounds", "training", "5 rounds", sound, text)
