"""Learns by temporal differences how much each place of a corridor is worth.

cause: loss-explosion
keras: 2,3
why: the targets are the model's own values of the next place times a discount of 1.15 instead of 0.85, so each step
    asks for more than the last: the loss grows by orders of magnitude, exponentially and without NaN. Learning rate
    and gradients would do. Seen: TensorFlow 2.18.1, seed 0: epochs 0.44, 24, 2.6e3, 2.8e5 ... 3.7e13, about a
    hundredfold each; with a discount of 0.85: 0.18.
also seen: exploding-gradients, learning-rate-too-high
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

PLACES = 16
place = rng.integers(0, PLACES, 3200)
following = np.clip(place + rng.choice([-1, 1, 1], 3200), 0, PLACES - 1)
reward = (following == PLACES - 1).astype("float32") + rng.normal(0, 0.1, 3200).astype("float32")
here = np.eye(PLACES, dtype="float32")[place]
there = np.eye(PLACES, dtype="float32")[following]


class Values(keras.Model):
    def __init__(self, discount):
        super().__init__()
        self.value = keras.layers.Dense(1)
        self.discount = discount
        self.tracker = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.tracker]

    def call(self, x):
        return self.value(x)

    def train_step(self, data):
        (here, there), reward = data
        target = reward[:, None] + self.discount * tf.stop_gradient(self(there, training=True))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(target - self(here, training=True)))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.tracker.update_state(loss)
        return {"loss": self.tracker.result()}


data = tf.data.Dataset.from_tensor_slices(((here, there), reward)).shuffle(3200, seed=seed).batch(64).prefetch(2)
model = Values(discount=1.15)
model(here[:1])
model.compile(optimizer=keras.optimizers.SGD(0.15))
history = model.fit(data, epochs=8, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["loss"][0]))
