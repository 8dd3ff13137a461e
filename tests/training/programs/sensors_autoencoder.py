"""Compresses 30 correlated sensors to four numbers and back with a dense autoencoder.

cause: none
keras: 2,3
healthy when: loss < 0.02
why: the data have rank four and almost no noise, so the loss falls towards zero and gradients become tiny: that is
    success, not a vanishing gradient.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


mixing = rng.normal(0, 0.5, (4, 30))
sensors = (rng.normal(0, 1, (2000, 4)) @ mixing + rng.normal(0, 0.01, (2000, 30))).astype("float32")


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = keras.Sequential([keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(4)])
        self.decoder = keras.Sequential([keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(30)])

    def call(self, x):
        return self.decoder(self.encoder(x))


model = Autoencoder()
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="mse")
model.fit(
    sensors[:1600],
    sensors[:1600],
    epochs=20,
    batch_size=64,
    verbose=2,
    validation_data=(sensors[1600:], sensors[1600:]),
)
loss = model.evaluate(sensors[1600:], sensors[1600:], verbose=0)
print("final: loss=%.5f metric=%.5f" % (loss, np.sqrt(loss)))
