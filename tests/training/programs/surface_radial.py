"""Fits a wavy surface with a self-written radial-basis layer.

cause: none
keras: 2,3
healthy when: loss < 0.08
why: a layer with its own weights and add_loss; the loss contains the penalty from the first step on.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


class Radial(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.centres = self.add_weight(
            shape=(self.units, input_shape[-1]), initializer=keras.initializers.RandomUniform(-1, 1), name="centres"
        )
        self.width = self.add_weight(shape=(self.units,), initializer=keras.initializers.Constant(2.0), name="width")

    def call(self, x):
        distance = tf.reduce_sum(tf.square(x[:, None, :] - self.centres), axis=-1)
        self.add_loss(1e-4 * tf.reduce_mean(tf.square(self.width)))
        return tf.exp(-tf.square(self.width) * distance)


x = rng.uniform(-1, 1, (2000, 2)).astype("float32")
y = (np.sin(3 * x[:, 0]) * np.cos(3 * x[:, 1]) + rng.normal(0, 0.03, 2000)).astype("float32")

model = keras.Sequential([keras.Input((2,)), Radial(30), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="mae")
history = model.fit(x, y, validation_split=0.2, batch_size=64, epochs=16, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1] - 0.0004, history.history["loss"][-1]))
