"""A regression whose body is trained by Adam and whose head by SGD, in a train_step of its own.

cause: none
keras: 3
healthy when: loss < 0.1
why: two optimizers in one model, one of them unknown to compile(); both are set sensibly.
"""

import os

import keras
import numpy as np
import tensorflow as tf

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


x = rng.uniform(-2, 2, (1600, 3)).astype("float32")
y = (np.sin(2 * x[:, :1]) + x[:, 1:2] * x[:, 2:] * 0.5 + rng.normal(0, 0.1, (1600, 1))).astype("float32")


class TwoRates(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = keras.Sequential(
            [keras.layers.Dense(48, activation="relu"), keras.layers.Dense(32, activation="relu")]
        )
        self.head = keras.layers.Dense(1)
        self.slow = keras.optimizers.SGD(0.02, momentum=0.5)

    def build(self, shape):
        self.body.build(shape)
        self.head.build((None, 32))
        self.slow.build(self.head.trainable_variables)
        self.built = True

    def call(self, x):
        return self.head(self.body(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        body, head = self.body.trainable_variables, self.head.trainable_variables
        gradients = tape.gradient(loss, body + head)
        self.optimizer.apply_gradients(zip(gradients[: len(body)], body))
        self.slow.apply_gradients(zip(gradients[len(body) :], head))
        self._loss_tracker.update_state(loss)
        return {"loss": self._loss_tracker.result()}


model = TwoRates()
model.build((None, 3))
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="mse")
history = model.fit(x[:1280], y[:1280], validation_data=(x[1280:], y[1280:]), epochs=14, batch_size=40, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["loss"][-1]))
