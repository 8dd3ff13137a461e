"""Poisson regression of the number of calls per hour.

cause: none
keras: 2,3
healthy when: metric > 0.6
why: an exponential output and the Poisson loss, which may well be negative. metric is the share of variance
    explained.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

hour = rng.uniform(0, 24, 2000)
weekday = rng.integers(0, 7, 2000)
rate = np.exp(1.6 + 0.9 * np.sin((hour - 8) / 24 * 2 * np.pi) - 0.7 * (weekday >= 5))
calls = rng.poisson(rate).astype("float32")
x = np.stack([np.sin(hour / 24 * 2 * np.pi), np.cos(hour / 24 * 2 * np.pi), (weekday >= 5) * 1.0], 1).astype("float32")

model = keras.Sequential(
    [keras.Input((3,)), keras.layers.Dense(12, activation="tanh"), keras.layers.Dense(1, activation="exponential")]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="poisson", metrics=["mse"])
history = model.fit(
    x[:1600], calls[:1600], validation_data=(x[1600:], calls[1600:]), epochs=14, batch_size=64, verbose=2
)
explained = 1 - history.history["val_mse"][-1] / calls[1600:].var()
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], explained))
