"""Forecasts a shop's sales a week ahead from their own past, logarithm taken first.

cause: none
keras: 2,3
healthy when: metric < 0.3
why: sales run from hundreds to tens of thousands; their logarithm minus its mean is what the network sees and
    predicts.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

day = np.arange(900)
sales = np.exp(
    7.5
    + 0.0008 * day
    + 0.5 * np.sin(day * 2 * np.pi / 7)
    + 0.6 * np.sin(day * 2 * np.pi / 91)
    + rng.normal(0, 0.05, 900)
)
level = np.log(sales) - np.log(sales[:700]).mean()
x = np.stack([level[i : i + 28] for i in range(900 - 35)]).astype("float32")
y = level[35:].astype("float32")

dataset = (
    tf.data.Dataset.from_tensor_slices((x[:650], y[:650]))
    .cache()
    .shuffle(650, seed=seed)
    .repeat()
    .batch(32)
    .prefetch(1)
)
model = keras.Sequential(
    [
        keras.Input((28,)),
        keras.layers.Reshape((28, 1)),
        keras.layers.Conv1D(12, 7, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
history = model.fit(dataset, steps_per_epoch=25, epochs=10, validation_data=(x[700:], y[700:]), verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mae"][-1]))
