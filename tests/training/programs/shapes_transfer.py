"""Transfer learning: a base trained on six shapes is frozen and a new head learns two other classes.

cause: none
keras: 2,3
healthy when: metric > 0.8
why: the base has trainable=False after its own training, so most weights have no gradient in the second fit, as
    meant.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

patterns = rng.random((8, 12, 12)) < 0.3


def pictures(kinds, count):
    kind = rng.integers(0, len(kinds), count)
    clean = patterns[np.array(kinds)[kind]].astype("float32")
    shifted = np.stack([np.roll(c, rng.integers(-1, 2, 2), axis=(0, 1)) for c in clean])
    return (shifted + rng.normal(0, 0.3, shifted.shape))[..., None].astype("float32"), kind


base = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        keras.layers.Conv2D(12, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(24, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(32, activation="relu"),
    ]
)
first = keras.Sequential([base, keras.layers.Dense(6, activation="softmax")])
first.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
x, y = pictures([0, 1, 2, 3, 4, 5], 1200)
first.fit(x, y, epochs=6, batch_size=32, verbose=2)

base.trainable = False
second = keras.Sequential([base, keras.layers.Dense(1, activation="sigmoid")])
second.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
x, y = pictures([6, 7], 500)
history = second.fit(x[:400], y[:400], validation_data=(x[400:], y[400:]), epochs=10, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
