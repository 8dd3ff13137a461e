"""Predicts a plant's growth from climate readings one of which never changed.

cause: none
keras: 2,3
healthy when: loss < 0.2
why: one of nine columns is constant (a dead sensor, zero after standardising); the rest is enough.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

climate = rng.normal(0, 1, (1500, 9)).astype("float32")
climate[:, 4] = 0.0
growth = (
    np.maximum(climate[:, 0], 0) + 0.6 * climate[:, 1] - 0.4 * climate[:, 2] * climate[:, 3] + rng.normal(0, 0.2, 1500)
)

inputs = keras.Input((9,))
x = keras.layers.Dense(32, activation="selu", kernel_initializer="lecun_normal")(inputs)
x = keras.layers.Dense(32, activation="selu", kernel_initializer="lecun_normal")(x)
outputs = keras.layers.Dense(1)(x)
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.Adamax(0.01), loss="mse", metrics=["mae", "mape"])
history = model.fit(
    climate[:1200], growth[:1200], validation_data=(climate[1200:], growth[1200:]), epochs=14, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mae"][-1]))
