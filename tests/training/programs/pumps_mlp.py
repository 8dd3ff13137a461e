"""Detects leaking pumps from six pressures.

cause: batch-size-off
keras: 2,3
why: batch_size=1: each update follows one single noisy example and the machine spends its time on the overhead of
    steps; the batch loss jumps between 0 and several. With 32 the same epochs take a thirtieth of the steps. Seen:
    TensorFlow 2.18.1, seed 0: 600 updates of 2 ms for two epochs of 300 examples; epochs 0.485 and 0.403, single
    batches from 0.003 to 3.2.
also seen: learning-rate-too-high
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

leak = rng.integers(0, 2, 300)
pressure = (rng.normal(0, 1, (300, 6)) + 0.7 * leak[:, None]).astype("float32")

model = keras.Sequential(
    [
        keras.Input((6,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(pressure, leak, batch_size=1, epochs=2, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
