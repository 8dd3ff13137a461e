"""Predicts answers of a survey in which every fifth answer was ticked at random.

cause: none
keras: 2,3
healthy when: metric > 0.72
why: 20 % of the labels are drawn anew from four classes, so the best accuracy is near 0.85 and the loss stays on a
    plateau near 0.75: the noise's floor, not a failure to learn.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n = 2400
x = rng.normal(0, 1, (n, 6)).astype("float32")
truth = (x[:, 0] > 0).astype(int) * 2 + (x[:, 1] + 0.4 * x[:, 2] > 0).astype(int)
random_tick = rng.random(n) < 0.2
y = np.where(random_tick, rng.integers(0, 4, n), truth)

model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(4)])
model.compile(
    optimizer=keras.optimizers.Adam(0.01),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(x[:1800], y[:1800], validation_data=(x[1800:], y[1800:]), epochs=16, batch_size=64, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
