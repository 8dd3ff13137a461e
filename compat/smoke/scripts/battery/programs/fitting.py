"""`Model.fit` and `evaluate`, as users call them, with sample weights and validation data that have weights too.

A falling loss proves little (wrong gradients bring it down as well), so what is judged closely is what the trained model
answers against float64 with the weights that `fit` left, once more after `evaluate` (reports have whichever comes second
wrong), and the validation loss that `fit` itself stated (tensorflow#62137, #60267). `predict` is another program's.
"""

import numpy as np

from battery.programs.program import Program, claimed, judged
from battery.references import neural
from battery.references.windows import Windows, conv2d, max_pool
from battery.values import draw_for
from battery.wants import ROWS, Want

SAMPLES, SIDE, BATCH, EPOCHS = 48, 10, 16, 2
"""Whole batches: a partial one is traced again, and `train/seed` and `keras/predict` have them."""
MAINS = ("Conv2D", "Conv2DBackpropFilter", "MaxPool", "MaxPoolGrad", "MatMul")
LIMIT = 2e-4
"""Absolute, of probabilities and losses: three layers of at most 64 products near 1, each within (512 + 4 * 8) u."""


def programs():
    return [Program("train/fit", "Conv2D, MaxPool, Dense, Adam", "fit", fit, "standard", mains=MAINS)]


def fit(session):
    x, t, weights = pictures()
    model = network(session.tf)
    adam = session.tf.keras.optimizers.Adam(learning_rate=0.01)
    if hasattr(adam, "build"):
        adam.build(model.trainable_variables)  # else the training step is traced twice
    model.compile(optimizer=adam, loss="categorical_crossentropy", jit_compile=False)
    ones = np.ones(SAMPLES, np.float32)
    validation = (x[:BATCH], t[:BATCH], ones[:BATCH])
    history = model.fit(
        x,
        t,
        batch_size=BATCH,
        epochs=EPOCHS,
        verbose=0,
        sample_weight=weights,
        validation_data=validation,
        shuffle=False,
    ).history
    yield sanity(session, history["loss"])
    trained = [w.astype(np.float64) for w in model.get_weights()]
    p, losses = forward(trained, x, t)
    yield stated(session, "val_loss", losses[:BATCH].mean(), history["val_loss"][-1])
    yield predicted(session, "call", p, model(x, training=False))
    # With weights as in fit, though they are all 1: another structure of data would be traced anew.
    loss = model.evaluate(x, t, batch_size=BATCH, verbose=0, sample_weight=ones)
    yield stated(session, "evaluate", losses.mean(), loss)
    yield predicted(session, "call_again", p, model(x, training=False))


def sanity(session, losses):
    sound = bool(np.isfinite(losses).all() and losses[-1] < losses[0] and max(losses) < 2)
    return claimed(
        session, "loss", "training", "48x10x10x3", sound, "loss by epoch: " + ", ".join("%.4g" % x for x in losses)
    )


def stated(session, name, value, answer):
    return judged(session, name, Want("Model.evaluate", [value], LIMIT * (1 + value)), np.ravel(answer)[:1])


def predicted(session, name, p, answer):
    return judged(session, name, Want("Model.call", p, LIMIT, ROWS), answer)


def pictures():
    """Noise with a brighter half whose side tells the class, one-hot labels, and weights of the samples."""
    draw = draw_for("train/fit")
    labels = np.arange(SAMPLES) % 2
    x = 0.5 * draw.rand(SAMPLES, SIDE, SIDE, 3)
    for image, label in zip(x, labels):
        image[:, 5 * label : 5 * label + 5] += 0.5
    return x.astype(np.float32), np.eye(2, dtype=np.float32)[labels], (0.5 + draw.rand(SAMPLES)).astype(np.float32)


def network(tf):
    layers, draw = tf.keras.layers, draw_for("train/fit weights")
    steps = [
        layers.Input((SIDE, SIDE, 3)),
        layers.Conv2D(4, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
    ]
    model = tf.keras.Sequential(steps + [layers.Dense(2, activation="softmax")])
    model.set_weights([(0.3 * draw.randn(*w.shape)).astype(np.float32) for w in model.get_weights()])
    return model


def forward(weights, x, t):
    """Probabilities and the loss of each sample, in float64."""
    kernel, bias, dense, last = weights
    hidden = np.maximum(conv2d(x, kernel, Windows(x.shape, (3, 3))) + bias, 0)
    pooled, _ = max_pool(hidden, Windows(hidden.shape, (2, 2), (2, 2)))
    z = pooled.reshape(len(x), -1) @ dense + last
    return neural.softmax(z), neural.cross_entropy(z, t)[0]
