"""Predicts a valve's flow from four settings, with batches of four as the authors of the paper had them.

cause: none
keras: 2,3
healthy when: loss < 0.07
why: 500 examples and batches of four: steps are noisy and the batch loss jumps, yet the epochs improve steadily.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

settings = rng.uniform(-1, 1, (500, 4)).astype("float32")
flow = settings[:, 0] * settings[:, 1] + 0.5 * settings[:, 2] ** 2 - 0.3 * settings[:, 3] + rng.normal(0, 0.05, 500)

model = keras.Sequential(
    [
        keras.Input((4,)),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(12, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.SGD(0.03, momentum=0.8), loss="mse")
history = model.fit(
    settings[:400], flow[:400], validation_data=(settings[400:], flow[400:]), batch_size=4, epochs=6, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["loss"][-1]))
