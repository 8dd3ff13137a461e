"""Predicts where a pendulum will be from its last eight positions, from a Python generator.

cause: none
keras: 2,3
healthy when: loss < 0.02
why: an endless generator with steps_per_epoch; each batch is new, so there is nothing to overfit.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


def pendulums(batch):
    while True:
        length = rng.uniform(0.6, 1.6, (batch, 1))
        start = rng.uniform(-1, 1, (batch, 1))
        phase = rng.uniform(0, 6.28, (batch, 1))
        t = np.arange(11) * 0.35
        path = start * np.cos(t / np.sqrt(length) + phase)
        path = (path + rng.normal(0, 0.01, path.shape)).astype("float32")
        yield path[:, :8], path[:, 10:]


model = keras.Sequential(
    [
        keras.Input((8,)),
        keras.layers.Dense(48, activation="swish"),
        keras.layers.Dense(24, activation="swish"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="mse", metrics=["mae"])
history = model.fit(
    pendulums(64), steps_per_epoch=50, epochs=8, validation_data=pendulums(64), validation_steps=5, verbose=2
)
print("final: loss=%.5f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mae"][-1]))
