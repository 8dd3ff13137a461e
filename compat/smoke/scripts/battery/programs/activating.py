"""A net of two Dense layers for each activation, asked in every way Keras has: all must agree with float64.

Reports of tensorflow-metal have `model(x)` right and `predict` wrong, one activation right and another wrong, and a
second call that returns what belongs to the first (tensorflow#61650, #62137, keras#19009).
"""

import numpy as np

from battery.programs.program import Program, judged
from battery.references import bounded
from battery.references.bounded import Bounded
from battery.values import draw_for, real_numbers

SAMPLES, FEATURES, HIDDEN = 8, 10, 8
ACTIVATIONS = {
    # name: (how a layer is told, the same in float64)
    "relu": (lambda tf: "relu", lambda x: bounded.maximum(x, 0)),
    "relu_layer": (lambda tf: None, lambda x: bounded.maximum(x, 0)),
    "relu6": (lambda tf: tf.nn.relu6, bounded.relu6),
    "leaky_relu": (lambda tf: tf.nn.leaky_relu, bounded.leaky_relu),
    "elu": (lambda tf: "elu", bounded.elu),
    "gelu": (lambda tf: "gelu", bounded.gelu),
    "tanh": (lambda tf: "tanh", bounded.tanh),
    "sigmoid": (lambda tf: "sigmoid", bounded.sigmoid),
}


def programs():
    return [
        Program("keras/activations", "MatMul, BiasAdd, Relu", "predict", activations, "standard", mains=("MatMul",))
    ]


def activations(session):
    model, dense = branches(session.tf)
    model.compile(jit_compile=False)
    for label, x, weights in fills():
        for layer, kernel, bias in zip(dense, weights[::2], weights[1::2]):
            layer.set_weights([kernel, bias])
        wants = closed_form(x, weights)
        for way, answers in asked(session.tf, model, x):
            for (name, want), answer in zip(wants.items(), answers):
                yield judged(session, "/".join((label, way, name)), want, np.asarray(answer))


def asked(tf, model, x):
    """The same question in every way: with a loop, without, and eagerly. Batches that leave a rest are `keras/predict`'s."""
    yield "predict", model.predict(x, batch_size=32, verbose=0)
    yield "predict_on_batch", model.predict_on_batch(x)
    yield "call", [y.numpy() for y in model(tf.constant(x))]


def branches(tf):
    """The model, and its layers with weights: the hidden ones in the order of ACTIVATIONS, then the last, which they share."""
    layers = tf.keras.layers
    row, outputs = layers.Input((FEATURES,)), []
    dense = [layers.Dense(HIDDEN, activation=told(tf)) for told, _ in ACTIVATIONS.values()] + [layers.Dense(1)]
    for name, layer in zip(ACTIVATIONS, dense):
        hidden = layers.ReLU()(layer(row)) if name == "relu_layer" else layer(row)
        outputs.append(dense[-1](hidden))
    return tf.keras.Model(row, outputs), dense


def fills():
    """Ordinary weights, and ones that leave nothing for a ReLU to pass on: its net must give exactly the last bias."""
    draw = draw_for("keras/activations")
    x, weights = real_numbers(draw, (SAMPLES, FEATURES)), drawn(draw)
    yield "real", x, weights
    yield "negative", abs(x), [-abs(w) for w in drawn(draw)]


def drawn(draw):
    shapes = [(FEATURES, HIDDEN), (HIDDEN,)] * len(ACTIVATIONS) + [(HIDDEN, 1), (1,)]
    return [real_numbers(draw, shape) for shape in shapes]


def closed_form(x, weights):
    last, bias = weights[-2:]
    found = {}
    for i, (name, (_, activation)) in enumerate(ACTIVATIONS.items()):
        hidden = activation(Bounded(x) @ weights[2 * i] + weights[2 * i + 1])
        found[name] = (hidden @ last + bias).want("MatMul+BiasAdd+" + name)
    return found
