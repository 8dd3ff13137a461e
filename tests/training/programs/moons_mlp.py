"""Two half-moons with a learning rate that warms up and then follows a cosine.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: the first steps hardly move anything because the rate starts near zero: a warm-up, not a rate that is too low.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n = 2000
moon = rng.integers(0, 2, n)
phi = rng.uniform(0, np.pi, n)
x = np.where(
    moon[:, None] == 0, np.stack([np.cos(phi), np.sin(phi)], 1), np.stack([1 - np.cos(phi), 0.5 - np.sin(phi)], 1)
)
x = (x + rng.normal(0, 0.15, x.shape)).astype("float32")


class WarmCosine(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak, warm, total):
        self.peak, self.warm, self.total = peak, warm, total

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        rising = self.peak * step / self.warm
        falling = 0.5 * self.peak * (1 + tf.cos(np.pi * (step - self.warm) / (self.total - self.warm)))
        return tf.where(step < self.warm, rising, falling)

    def get_config(self):
        return {"peak": self.peak, "warm": self.warm, "total": self.total}


epochs, batch = 12, 50
steps = epochs * 1600 // batch
model = keras.Sequential(
    [
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(WarmCosine(0.01, 100, steps)),
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)],
)
history = model.fit(x, moon, validation_split=0.2, epochs=epochs, batch_size=batch, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_binary_accuracy"][-1]))
