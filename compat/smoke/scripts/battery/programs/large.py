"""A forward pass over a batch as large as a whole data set: keras#17252 has all its rows come out the same."""

import numpy as np

from battery.programs.program import Program, claimed, judged
from battery.references.bounded import Bounded, maximum
from battery.values import draw_for, real_numbers

SAMPLES, PIXELS, HIDDEN, CLASSES = 40000, 784, 64, 10
CHECKED = 97
"""Every so manieth row is compared with float64; that all differ is seen in all of them."""


def programs():
    mains = ("MatMul",)
    return [Program("large/batch", "MatMul, BiasAdd, Relu", "predict", predict, "full", mains=mains)]


def predict(session):
    tf, draw = session.tf, draw_for("large/batch")
    layers = tf.keras.layers
    shapes = ((PIXELS, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,))
    weights = [(0.1 * real_numbers(draw, shape)).astype(np.float32) for shape in shapes]
    x = draw.rand(SAMPLES, PIXELS).astype(np.float32)
    model = tf.keras.Sequential(
        [layers.Input((PIXELS,)), layers.Dense(HIDDEN, activation="relu"), layers.Dense(CLASSES)]
    )
    model.compile(jit_compile=False)
    model.set_weights(weights)
    for way, answer in (("predict_on_batch", model.predict_on_batch(x)), ("call", model(tf.constant(x)).numpy())):
        distinct = len(np.unique(answer[:, 0]))
        text = "%d of %d rows are copies of another" % (SAMPLES - distinct, SAMPLES)
        yield claimed(session, way + "/distinct", "MatMul", "40000x784", distinct > 0.9 * SAMPLES, text)
        some = slice(SAMPLES - 1, None, -CHECKED)
        hidden = maximum(Bounded(x[some]) @ weights[0] + weights[1], 0)
        want = (hidden @ weights[2] + weights[3]).want("MatMul", ("sample", "class"))
        yield judged(session, way + "/rows", want, answer[some])
