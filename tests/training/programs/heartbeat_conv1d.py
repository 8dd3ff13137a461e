"""Tells four rhythms apart in one-dimensional recordings.

cause: none
keras: 2
healthy when: metric > 0.85
why: Conv1D, BatchNormalization and global pooling, optimizer and metrics given by name.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

t = np.arange(80)
rhythm = rng.integers(0, 4, 1200)
period = np.array([7.0, 11.0, 17.0, 26.0])[rhythm][:, None]
beats = np.exp(-((((t[None, :] + rng.uniform(0, 30, (1200, 1))) % period) - 2.0) ** 2))
beats = (beats + rng.normal(0, 0.2, beats.shape)).astype("float32")[..., None]

model = keras.Sequential(
    [
        keras.Input((80, 1)),
        keras.layers.Conv1D(12, 9, strides=2, activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.Conv1D(16, 9, strides=2, activation="relu"),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["acc"])
history = model.fit(
    beats[:1000], rhythm[:1000], validation_data=(beats[1000:], rhythm[1000:]), epochs=9, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], max(history.history["val_acc"][-3:])))
