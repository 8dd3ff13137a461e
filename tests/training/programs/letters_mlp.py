"""Recognises noisy 5 x 5 letters in batches of 256 with a layer-wise warm start.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: a large batch, with a learning rate to match it: few steps, all useful.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

alphabet = (rng.random((12, 25)) < 0.45).astype("float32")
labels = rng.integers(0, 12, 5120)
letters = alphabet[labels] + rng.normal(0, 0.4, (5120, 25)).astype("float32")

model = keras.Sequential(
    [
        keras.Input((25,)),
        keras.layers.Dense(96, activation="relu", kernel_initializer="he_normal"),
        keras.layers.BatchNormalization(),
        keras.layers.Dense(12, activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(0.01),
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=["accuracy", keras.metrics.SparseTopKCategoricalAccuracy(k=3, name="top3")],
)
history = model.fit(
    letters[:4096], labels[:4096], validation_data=(letters[4096:], labels[4096:]), batch_size=256, epochs=10, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
