"""Recognises seven-segment digits drawn with noise, with very strong dropout.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: Dropout(0.6) twice makes the training loss far worse than that of validation: expected, not underfitting.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

SEGMENTS = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]
PLACES = {
    "a": (0, slice(0, 5)),
    "g": (4, slice(0, 5)),
    "d": (8, slice(0, 5)),
    "f": (slice(0, 5), 0),
    "b": (slice(0, 5), 4),
    "e": (slice(4, 9), 0),
    "c": (slice(4, 9), 4),
}
glyphs = np.zeros((10, 9, 5), "float32")
for digit, segments in enumerate(SEGMENTS):
    for s in segments:
        glyphs[digit][PLACES[s]] = 1

labels = rng.integers(0, 10, 2500)
images = glyphs[labels] + rng.normal(0, 0.35, (2500, 9, 5)).astype("float32")

model = keras.Sequential(
    [
        keras.Input((9, 5)),
        keras.layers.Flatten(),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dropout(0.6),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dropout(0.6),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    images[:2000], labels[:2000], validation_data=(images[2000:], labels[2000:]), epochs=9, batch_size=64, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
