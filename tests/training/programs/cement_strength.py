"""Predicts the strength of cement from eight ingredients with a regularised network.

cause: underfitting
keras: 2,3
why: L2 with a factor of 0.3 on every kernel leaves the network no room: training and validation error are equal and
    both stay near the target's variance (1), where the same network without penalty reaches 0.1. Seen: TensorFlow
    2.18.1, seed 0: mean squared error 0.92 falls to 0.81, then rises to 1.03 (validation 0.87) as all kernels shrink
    below 0.05; without penalty 0.044 and 0.071.
also seen: not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (1500, 8)).astype("float32")
strength = x[:, 0] + np.abs(x[:, 1]) - 0.8 * x[:, 2] * x[:, 3] + rng.normal(0, 0.2, 1500)
strength = (strength - strength.mean()) / strength.std()

penalty = keras.regularizers.l2(0.3)
model = keras.Sequential(
    [
        keras.Input((8,)),
        keras.layers.Dense(32, activation="relu", kernel_regularizer=penalty),
        keras.layers.Dense(16, activation="relu", kernel_regularizer=penalty),
        keras.layers.Dense(1, kernel_regularizer=penalty),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="mse", metrics=["mse"])
history = model.fit(
    x[:1200], strength[:1200], validation_data=(x[1200:], strength[1200:]), epochs=12, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_mse"][-1]))
