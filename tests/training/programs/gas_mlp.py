"""Trains a classifier of gas mixtures and keeps an eye on its weights.

cause: memory-growth
keras: 2,3
why: a callback appends a copy of all weights (1.2 MB) to a list after every batch and never lets one go: memory grows
    in proportion to the steps, by some 350 MB here. The training itself is sound. Seen: TensorFlow 2.18.1, seed 0:
    resident memory 228 MB before fit and 610 MB after its 300 steps; accuracy 1.0.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

gas = rng.integers(0, 4, 1920)
profile = rng.normal(0, 1, (4, 64))
x = (profile[gas] + rng.normal(0, 1.5, (1920, 64))).astype("float32")


class Keep(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.kept = []

    def on_train_batch_end(self, batch, logs=None):
        self.kept.append(self.model.get_weights())


model = keras.Sequential(
    [
        keras.Input((64,)),
        keras.layers.Dense(512, activation="relu"),
        keras.layers.Dense(512, activation="relu"),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.0005), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
keep = Keep()
history = model.fit(x, gas, epochs=5, batch_size=32, callbacks=[keep], verbose=2)
print(
    "final: loss=%.4f metric=%.4f kept=%d"
    % (history.history["loss"][-1], history.history["accuracy"][-1], len(keep.kept))
)
