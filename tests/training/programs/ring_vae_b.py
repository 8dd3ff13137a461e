"""A variational autoencoder of points on a noisy ring in ten dimensions.

cause: none
keras: 3
healthy when: loss < 0.15
why: the Kullback-Leibler term makes the total loss stay well above zero; it starts at about 1.1 and levels off at its
    own floor.
"""

import os

import keras
import numpy as np
from keras import ops

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


angle = rng.uniform(0, 2 * np.pi, 2000)
turn = rng.normal(0, 1, (2, 10)) / np.sqrt(2)
data = (1.6 * np.stack([np.cos(angle), np.sin(angle)], 1) @ turn + rng.normal(0, 0.05, (2000, 10))).astype("float32")


class Sampling(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.draw = keras.random.SeedGenerator(seed)

    def call(self, inputs):
        mean, log_variance = inputs
        self.add_loss(-0.02 * ops.mean(1 + log_variance - ops.square(mean) - ops.exp(log_variance)))
        return mean + ops.exp(0.5 * log_variance) * keras.random.normal(ops.shape(mean), seed=self.draw)


inputs = keras.Input((10,))
hidden = keras.layers.Dense(32, activation="relu")(inputs)
code = Sampling()([keras.layers.Dense(2)(hidden), keras.layers.Dense(2)(hidden)])
hidden = keras.layers.Dense(32, activation="relu")(code)
outputs = keras.layers.Dense(10)(hidden)
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.Adam(0.004), loss="mse")
history = model.fit(data, data, validation_split=0.2, epochs=14, batch_size=64, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["loss"][-1]))
