"""Predicts mean and spread of a sensor's error by minimising the Gaussian negative log-likelihood.

cause: none
keras: 2,3
healthy when: loss < -0.5
why: the loss becomes negative, as a density's logarithm may; it is bounded below by the noise.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.uniform(-1, 1, (2000, 2)).astype("float32")
spread = 0.05 + 0.25 * (x[:, 1] + 1) / 2
y = (0.6 * np.sin(3 * x[:, 0]) + rng.normal(0, 1, 2000) * spread).astype("float32")[:, None]


def likelihood(truth, guess):
    mean, log_spread = guess[:, :1], guess[:, 1:]
    return log_spread + 0.5 * tf.square((truth - mean) / tf.exp(log_spread))


model = keras.Sequential(
    [
        keras.Input((2,)),
        keras.layers.Dense(32, activation="tanh"),
        keras.layers.Dense(32, activation="tanh"),
        keras.layers.Dense(2),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005, clipnorm=5.0), loss=likelihood)
history = model.fit(x[:1600], y[:1600], validation_data=(x[1600:], y[1600:]), epochs=15, batch_size=64, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["loss"][-1]))
