"""Fits a linear model of heat loss to 12 correlated features with plain SGD: it starts high and comes down slowly.

cause: none
keras: 2,3
healthy when: loss < 3
why: the target has mean 20, so the loss begins near 400 and falls through all epochs; slow, steady and right.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

mix = rng.normal(0, 1, (12, 12)) * 0.35 + np.eye(12)
x = (rng.normal(0, 1, (1600, 12)) @ mix).astype("float32")
y = 20 + x @ rng.normal(0, 1, 12) + rng.normal(0, 0.5, 1600)

model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(0.005), loss="mean_squared_error", metrics=["mean_absolute_error"])
history = model.fit(x[:1280], y[:1280], validation_data=(x[1280:], y[1280:]), epochs=24, batch_size=64, verbose=2)
print(
    "final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mean_absolute_error"][-1])
)
