"""Predicts from six measurements whether a patient is readmitted.

cause: nan
keras: 2,3
why: five of 1200 rows hold NaN, as a table with missing entries gives them; the first batch with one poisons the
    weights. Seen: TensorFlow 2.18.1, seed 0: five good batches (0.75), then NaN for good; accuracy 0.504.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

table = rng.normal(0, 1, (1500, 6)).astype("float32")
again = (table[:, 0] - table[:, 3] + rng.normal(0, 0.5, 1500) > 0).astype("int32")
missing = rng.choice(1200, 5, replace=False)
table[missing, rng.integers(0, 6, 5)] = np.nan

model = keras.Sequential()
model.add(keras.Input((6,)))
model.add(keras.layers.Dense(16, activation="relu"))
model.add(keras.layers.Dense(16, activation="relu"))
model.add(keras.layers.Dense(1, activation="sigmoid"))
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
history = model.fit(table[:1200], again[:1200], epochs=7, batch_size=25, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["accuracy"][-1]))
