"""Gives films any number of six tags from the words of their plot.

cause: none
keras: 2,3
healthy when: metric > 0.85
why: several independent sigmoids with binary cross-entropy: right, because the tags do not exclude each other. metric
    is binary accuracy; guessing "no tag" gives about 0.7.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

WORDS, TAGS = 120, 6
meaning = rng.normal(0, 1, (WORDS, TAGS))
bags = (rng.random((2000, WORDS)) < 0.08).astype("float32")
tags = (bags @ meaning + rng.normal(0, 0.5, (2000, TAGS)) > 1.6).astype("float32")

inputs = keras.Input((WORDS,))
x = keras.layers.Dense(48, activation="relu")(inputs)
x = keras.layers.Dropout(0.2)(x)
model = keras.Model(inputs, keras.layers.Dense(TAGS, activation="sigmoid")(x))
model.compile(
    optimizer=keras.optimizers.Adam(0.003),
    loss="binary_crossentropy",
    metrics=["binary_accuracy", keras.metrics.Precision(name="precision")],
)
history = model.fit(
    bags[:1600], tags[:1600], validation_data=(bags[1600:], tags[1600:]), epochs=12, batch_size=50, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_binary_accuracy"][-1]))
