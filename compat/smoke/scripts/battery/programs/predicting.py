"""`Model.predict`: the compiled inference graph, where the best documented defect of all lies.

Four layers as branches of one model: one trace, and each output judged alone. Dense rows that are all negative must
come out exactly 0 behind the ReLU.
"""

from battery import bounds
from battery.families.convolution import ConvolutionSums
from battery.families.dense import MatrixSums
from battery.families.pooling import max_pooling_fill
from battery.programs.program import Program, judged
from battery.references.neural import softmax
from battery.references.windows import Windows
from battery.sums import linear_fill
from battery.values import draw_for, logits

SAMPLES = 7
"""Predicted in batches of 4, so that the last one is partial."""


def programs():
    return [
        Program(
            "keras/predict",
            "Conv2D, MaxPool, Dense, Softmax",
            "predict",
            predict,
            mains=("Conv2D", "MaxPool", "MatMul", "Softmax"),
        )
    ]


def predict(session):
    model = branches(session.tf)
    model.compile(jit_compile=False)  # as on a Mac with a GPU, where Keras turns XLA off
    for label, given, weights, wants in fills():
        model.set_weights(weights)
        answers = model.predict(given, batch_size=4, verbose=0)
        for (name, want), answer in zip(wants.items(), answers):
            yield judged(session, label + "/" + name, want, answer)


def branches(tf):
    layers = tf.keras.layers
    image, picture, row, logits = (layers.Input(shape) for shape in ((9, 7, 3), (9, 7, 8), (130,), (10,)))
    outputs = [
        layers.Conv2D(5, 3, padding="same", activation="relu")(image),
        layers.MaxPooling2D(2, padding="same")(picture),
        layers.Dense(33, activation="relu")(row),
        layers.Softmax()(logits),
    ]
    return tf.keras.Model([image, picture, row, logits], outputs)


def fills():
    """Inputs, weights and references, once in integers and once in real values."""
    convolution = ConvolutionSums(Windows((SAMPLES, 9, 7, 3), (3, 3), padding="SAME"), 5)
    matrix = MatrixSums(SAMPLES, 130, 33)
    pooling = Windows((SAMPLES, 9, 7, 8), (2, 2), (2, 2), padding="SAME")
    draw = draw_for("keras/predict")
    for label in ("int", "real"):
        conv = linear_fill(label, convolution, ((SAMPLES, 9, 7, 3), (3, 3, 3, 5), (5,)), True, draw)
        dense = linear_fill(label, matrix, ((SAMPLES, 130), (130, 33), (33,)), True, draw)
        pool = max_pooling_fill(pooling, draw, -2000 if label == "int" else -5000)
        z = logits(draw, SAMPLES, 10)
        wants = {
            "conv2d": conv.wants["y"],
            "maxpool": pool.wants["y"],
            "dense": dense.wants["y"],
            "softmax": bounds.softmax(softmax(z), z),
        }
        given = [conv.inputs[0], pool.inputs[0], dense.inputs[0], z]
        yield label, given, list(conv.inputs[1:]) + list(dense.inputs[1:]), wants
