"""Estimates the copper in ore from a spectrum of twenty channels.

cause: dead-relus
keras: 2,3
why: both hidden layers start with a bias of -6: for nearly all inputs their sums are negative, the units are silent
    and get no gradient; only the last bias moves, so the loss rests at the target's variance. Seen: TensorFlow
    2.18.1, seed 0: every unit of both layers is 0 for every example, loss 0.957 to 0.956, gradients of the kernels
    exactly 0.
also seen: not-learning, vanishing-gradients, underfitting
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

copper = rng.normal(0, 1, 1500)
peak = np.exp(-(((np.arange(20) - 8) / 2.5) ** 2))
spectra = (copper[:, None] * peak + rng.normal(0, 0.4, (1500, 20))).astype("float32")

bias = keras.initializers.Constant(-6.0)
model = keras.Sequential(
    [
        keras.Input((20,)),
        keras.layers.Dense(48, activation="relu", bias_initializer=bias),
        keras.layers.Dense(24, activation="relu", bias_initializer=bias),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.001), loss="mse", metrics=["mae"])
history = model.fit(
    spectra[:1200], copper[:1200], validation_data=(spectra[1200:], copper[1200:]), epochs=9, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_mae"][-1]))
