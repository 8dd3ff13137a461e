"""A small CNN that tells discs from squares in colour photographs of 24 x 24 pixels.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: images 0-255 divided by 255, Conv2D/MaxPool2D, Dropout, softmax over two classes, categorical_crossentropy and
    Adam 0.001: the setting that is known to train.
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
x = images.astype("float32") / 255.0

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
model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.Adam(0.001), metrics=["accuracy"])
history = model.fit(x[:700], labels[:700], validation_data=(x[700:], labels[700:]), batch_size=32, epochs=9, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
