"""Forecasts account balances with an LSTM on their logarithm.

cause: nan
keras: 2,3
why: a few accounts are overdrawn; the pipeline's map takes tf.math.log of negative numbers, so bad values reach the
    model though the stored data are finite. Seen: TensorFlow 2.18.1, seed 0: the first twelve batches are good, then
    NaN for good.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

steps = rng.normal(0.0, 0.05, (1000, 16)).cumsum(1)
balance = 1500 * np.exp(steps + rng.normal(0, 0.4, (1000, 1)))
overdrawn = rng.choice(np.arange(300, 1000), 6, replace=False)
balance[overdrawn, rng.integers(2, 14, 6)] *= -0.1


def prepare(row):
    level = tf.math.log(row) - 7.3
    return level[:15, None], level[15:]


data = tf.data.Dataset.from_tensor_slices(balance.astype("float32")).map(prepare).batch(25).prefetch(2)
model = keras.Sequential([keras.Input((15, 1)), keras.layers.LSTM(12), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="mse", metrics=["mae"])
history = model.fit(data, epochs=6, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["mae"][-1]))
