"""A small CNN that tells discs from squares in colour photographs of 24 x 24 pixels.

cause: learning-rate-too-high
keras: 2,3
why: images of 0 to 255 and Adam with 0.1. The rate is the cause: with 0.001 to 0.01 and the same raw images the
    network reaches 0.97 to 1, divided by 255 and with 0.1 it stays at guessing too. Seen: TensorFlow 2.18.1, seed 0:
    first batch 34, then thousands, first epoch 445, 0.694 from the second on with 98 to 100 % of the ReLUs dead;
    accuracy 0.52 (seed 1: 0.53). With 0.001: 0.97 and 1.0.
also seen: inputs-unscaled, not-learning, dead-relus, loss-explosion
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


def photographs(count, size=24):
    rows, columns = np.mgrid[0:size, 0:size]
    images = np.empty((count, size, size, 3))
    labels = rng.integers(0, 2, count)
    for i in range(count):
        cy, cx = rng.uniform(8, size - 8, 2)
        r = rng.uniform(5, 8)
        disc = (rows - cy) ** 2 + (columns - cx) ** 2 < r * r
        square = (abs(rows - cy) < 0.9 * r) & (abs(columns - cx) < 0.9 * r)
        images[i] = rng.uniform(0, 90, 3)
        images[i][disc if labels[i] else square] = rng.uniform(150, 255, 3)
    images += rng.normal(0, 8, images.shape)
    return np.clip(images, 0, 255).astype("uint8"), keras.utils.to_categorical(labels, 2)


images, labels = photographs(900)
x = images.astype("float32")

model = keras.Sequential(
    [
        keras.Input((24, 24, 3)),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.MaxPool2D(),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.MaxPool2D(),
        keras.layers.Dropout(0.25),
        keras.layers.Flatten(),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dropout(0.25),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.Adam(0.1), metrics=["accuracy"])
history = model.fit(x[:700], labels[:700], validation_data=(x[700:], labels[700:]), batch_size=32, epochs=9, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
