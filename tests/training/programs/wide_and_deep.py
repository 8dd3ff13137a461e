"""A wide linear part trained by Ftrl beside a deep part trained by Adam.

cause: none
keras: 2
healthy when: loss < 0.12
why: WideDeepModel is compiled with a list of two optimizers, as its documentation says.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

wide = (rng.random((1600, 20)) < 0.2).astype("float32")
deep = rng.normal(0, 1, (1600, 6)).astype("float32")
target = wide @ rng.normal(0, 0.5, 20) + np.sin(deep[:, 0]) + 0.5 * np.abs(deep[:, 1]) + rng.normal(0, 0.1, 1600)

linear = keras.experimental.LinearModel()
network = keras.Sequential(
    [keras.layers.Dense(48, activation="relu"), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(1)]
)
model = keras.experimental.WideDeepModel(linear, network)
model.compile(optimizer=[keras.optimizers.Ftrl(0.2), keras.optimizers.Adam(0.006)], loss="mse", metrics=["mse"])
history = model.fit(
    [wide[:1300], deep[:1300]],
    target[:1300],
    validation_data=([wide[1300:], deep[1300:]], target[1300:]),
    epochs=14,
    batch_size=32,
    verbose=2,
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["loss"][-1]))
