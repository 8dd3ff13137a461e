"""Recognises four bird calls by their spectrum with a base model and a new head.

cause: not-learning
keras: 2,3
why: trainable=False is set on the whole model instead of on the base, so not a single weight is trained; the loss
    repeats the same number each epoch, near ln 4 = 1.386. Seen: TensorFlow 2.18.1, seed 0: 1.292 in all ten epochs,
    no trainable weight, accuracy 0.29 in each.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

calls = rng.random((4, 32)) * (rng.random((4, 32)) < 0.3)
kind = rng.integers(0, 4, 1200)
spectra = (calls[kind] + np.abs(rng.normal(0, 0.1, (1200, 32)))).astype("float32")

base = keras.Sequential(
    [keras.Input((32,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(16, activation="relu")]
)
model = keras.Sequential([base, keras.layers.Dense(4, activation="softmax")])
model.trainable = False
model.compile(optimizer=keras.optimizers.Adam(0.002), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    spectra[:1000], kind[:1000], validation_data=(spectra[1000:], kind[1000:]), epochs=10, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
