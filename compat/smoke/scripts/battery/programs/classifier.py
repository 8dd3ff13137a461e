"""The report's own model, small: 30 training steps on the device against the same steps in NumPy float64.

Two blocks of Conv2D and MaxPool2D, Dropout with a mask that is given to it, Dense, a softmax of two classes,
categorical_crossentropy, Adam(0.001). Stand-alone: NumPy and the TensorFlow module it is given, CPython 3.8 syntax.
"""

import math

import numpy as np

from battery.references import neural
from battery.references import optimizers
from battery.references.windows import Windows, conv2d, conv2d_dw, conv2d_dx, max_pool, max_pool_dx

SIDE, CLASSES, SAMPLES, BATCH, STEPS = 18, 2, 56, 16, 30
RATE = 1e-3
SEED = 3385
"""Chosen among 4500 so that no ReLU or pooling decision of the first steps is a near tie; tests hold that."""
NAMES = tuple(layer + "/" + part for layer in ("conv1", "conv2", "dense1", "dense2") for part in ("kernel", "bias"))
OPS = ("Conv2DBackpropFilter", "BiasAddGrad") * 2 + ("MatMul", "BiasAddGrad") * 2
GRADIENT_LIMIT = 4096 * 2.0**-24
"""Of the largest value of each gradient tensor, after the first step."""
STEADY, GROWTH, LOOSEST = 6, 1.545, 5e-2
"""Loss tolerance: 2e-5 up to this step, then a factor per step, since rounding differences grow, up to the loosest."""


class Plan:
    """Everything a training run is given: data, first weights, and the batch and dropout mask of each step."""

    def __init__(self, seed=SEED):
        draw = np.random.RandomState(seed)
        self.labels = np.eye(CLASSES, dtype=np.float32)[np.arange(SAMPLES) % CLASSES]
        self.images = pictures(draw, self.labels)
        self.weights = first_weights(draw)
        width = self.weights[4].shape[0]
        self.batches, self.masks = [], []
        while len(self.batches) < STEPS:
            order = draw.permutation(SAMPLES)
            self.batches += [order[i : i + BATCH] for i in range(0, SAMPLES, BATCH)]  # the last one is partial
        del self.batches[STEPS:]
        for batch in self.batches:
            self.masks.append(2.0 * draw.randint(0, 2, (len(batch), width)).astype(np.float32))

    def steps(self):
        for batch, mask in zip(self.batches, self.masks):
            yield self.images[batch], self.labels[batch], mask


def pictures(draw, labels):
    """Noise in [0, 1], with a brighter square whose place tells the class."""
    images = 0.6 * draw.rand(len(labels), SIDE, SIDE, 3)
    for image, label in zip(images, labels.argmax(axis=1)):
        image[3 + 8 * label : 8 + 8 * label, 4:12] += 0.3
    return images.astype(np.float32)


def first_weights(draw):
    shapes = [(3, 3, 3, 8), (3, 3, 8, 16), (144, 32), (32, CLASSES)]
    weights = []
    for shape in shapes:
        fan_in, fan_out = np.prod(shape[:-1]), np.prod(shape[:-2]) * shape[-1]
        limit = math.sqrt(6.0 / (fan_in + fan_out))  # Keras's default, Glorot uniform
        weights += [draw.uniform(-limit, limit, shape), 0.1 * draw.randn(shape[-1])]
    return [w.astype(np.float32) for w in weights]


def trajectory(plan, steps=STEPS, margins=None):
    """Losses of the float64 run, and the gradients of its first step.

    `margins`, a list, collects how close the ReLUs and poolings of each step came to deciding otherwise.
    """
    weights = [w.astype(np.float64) for w in plan.weights]
    adam, losses, first = optimizers.Adam(RATE), [], None
    for _, (x, t, mask) in zip(range(steps), plan.steps()):
        loss, gradients = loss_and_gradients(weights, x, t, mask, margins)
        losses.append(float(loss))
        first = first or gradients
        weights = adam.apply(weights, gradients)
    return losses, first


def loss_and_gradients(weights, x, t, mask, margins=None):
    """One forward and backward pass by hand."""
    k1, b1, k2, b2, d1, c1, d2, c2 = weights
    a1, back1 = block(x, k1, b1, margins)
    a2, back2 = block(a1, k2, b2, margins)
    flat = a2.reshape(len(x), -1) * mask
    h = flat @ d1 + c1
    hidden = np.maximum(h, 0)
    losses, dz = neural.cross_entropy(hidden @ d2 + c2, t)
    dz = dz / len(x)
    dh = (dz @ d2.T) * (h > 0)
    da2 = ((dh @ d1.T) * mask).reshape(a2.shape)
    da1, dk2, db2 = back2(da2)
    _, dk1, db1 = back1(da1)
    gradients = [dk1, db1, dk2, db2, flat.T @ dh, dh.sum(0), hidden.T @ dz, dz.sum(0)]
    if margins is not None:
        margins.append(np.abs(h).min())
    return losses.mean(), gradients


def block(x, kernel, bias, margins=None):
    """Conv2D(relu) and MaxPool2D: output, and the function that takes a gradient back."""
    windows = Windows(x.shape, kernel.shape[:2])
    before = conv2d(x, kernel, windows) + bias
    active = np.maximum(before, 0)
    pooling = Windows(active.shape, (2, 2), (2, 2))
    y, winners = max_pool(active, pooling)

    def back(dy):
        dbefore = max_pool_dx(dy, winners, pooling) * (before > 0)
        dx = conv2d_dx(dbefore, kernel, windows)
        return dx, conv2d_dw(x, dbefore, windows), dbefore.sum(axis=(0, 1, 2))

    if margins is not None:
        four = np.sort(np.stack([active[place] for _, _, place in pooling]), axis=0)
        gaps = (four[-1] - four[-2])[four[-1] > 0]  # a tie of zeros is harmless: ReLU stops its gradient
        margins += [np.abs(before).min(), gaps.min()]
    return y, back


def build(tf, weights, device):
    """The Keras model; it takes the dropout mask as a second input."""
    layers = tf.keras.layers
    with tf.device("/" + device):
        image = layers.Input((SIDE, SIDE, 3))
        x = image
        for filters in (8, 16):
            x = layers.MaxPooling2D()(layers.Conv2D(filters, 3, activation="relu")(x))
        x = layers.Flatten()(x)
        mask = layers.Input((144,))
        x = layers.Multiply()([x, mask])
        x = layers.Dense(32, activation="relu")(x)
        x = layers.Dense(CLASSES, activation="softmax")(x)
        model = tf.keras.Model([image, mask], x)
        model.set_weights(weights)
    return model


def train(tf, plan, device):
    """Losses of each step and the gradients of the first, by an own compiled step: `fit` averages its losses."""
    model = build(tf, plan.weights, device)
    with tf.device("/" + device):
        adam = tf.keras.optimizers.Adam(learning_rate=RATE)
        some = [tf.TensorSpec((None,) + shape, tf.float32) for shape in ((SIDE, SIDE, 3), (CLASSES,), (144,))]

        @tf.function(input_signature=some, autograph=False)
        def step(x, t, mask):
            with tf.GradientTape() as tape:
                p = model([x, mask], training=True)
                loss = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(t, p))
            gradients = tape.gradient(loss, model.trainable_variables)
            adam.apply_gradients(zip(gradients, model.trainable_variables))
            return loss, gradients

        if hasattr(adam, "build"):
            adam.build(model.trainable_variables)  # variables may not be made while the step is traced
        answers = [step(*(tf.constant(a) for a in given)) for given in plan.steps()]
    losses = [float(loss.numpy()) for loss, _ in answers]
    return losses, [g.numpy() for g in answers[0][1]]


def tolerance(step):
    """Of the loss, at a step counted from 1."""
    return min(LOOSEST, 2e-5 * GROWTH ** max(0, step - STEADY))
