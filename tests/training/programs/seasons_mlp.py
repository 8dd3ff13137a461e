"""Guesses the season (1 to 4) from a day's weather.

cause: labels-out-of-range
keras: 2,3
why: the classes are numbered from 1, the softmax has four outputs for 0 to 3: label 4 has none. On a CPU sparse
    cross-entropy refuses it in the first batch that holds one, and the script ends with InvalidArgumentError; GPUs
    give NaN instead. Seen: TensorFlow 2.18.1, seed 0: the script ends in the first step: Received a label value of 4
    which is outside the valid range of [0, 4).
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

season = rng.integers(1, 5, 1000)
warmth = np.array([0, -1.0, 0.3, 1.2, 0.1])[season]
light = np.array([0, -1.0, 0.8, 0.7, -0.6])[season]
x = np.stack([warmth, light, 0 * warmth], 1) + rng.normal(0, 0.35, (1000, 3))

model = keras.Sequential(
    [keras.Input((3,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(4, activation="softmax")]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x.astype("float32"), season, epochs=8, batch_size=32, validation_split=0.2, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
