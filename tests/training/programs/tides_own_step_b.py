"""Predicts tides from harmonics, with weight decay written into the training step.

cause: loss-explosion
keras: 3
why: the decay has the wrong sign, weights are multiplied by 1.02 after each step instead of 0.98: they grow whatever
    the gradient says, and the loss, after a few good epochs, climbs by orders of magnitude. The learning rate alone
    would be right. Seen: TensorFlow 2.18.1, seed 0: epochs 1.8, 40, 6.4e3, 1.9e6 ... 4.9e21, then NaN; with the right
    sign 0.012.
also seen: exploding-gradients, learning-rate-too-high
"""

import os

import keras
import numpy as np
import tensorflow as tf

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


hours = rng.uniform(0, 2000, 1600)
periods = np.array([12.42, 12.0, 25.82, 23.93])
angles = 2 * np.pi * hours[:, None] / periods
x = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype("float32")
height = (x @ rng.normal(0, 1, 8) + rng.normal(0, 0.1, 1600)).astype("float32")[:, None]


class Tides(keras.Model):
    def __init__(self, decay):
        super().__init__()
        self.first = keras.layers.Dense(32, activation="relu")
        self.second = keras.layers.Dense(32, activation="relu")
        self.out = keras.layers.Dense(1)
        self.decay = decay

    def call(self, x):
        return self.out(self.second(self.first(x)))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        for layer in (self.first, self.second, self.out):
            layer.kernel.assign(layer.kernel * (1 - self.decay))
        self._loss_tracker.update_state(loss)
        return {"loss": self._loss_tracker.result()}


model = Tides(decay=-0.02)
model(x[:1])
model.compile(optimizer=keras.optimizers.Adam(0.002), loss="mse")
history = model.fit(x, height, epochs=11, batch_size=32, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["loss"][0]))
