"""Sorts pictures of crystals into three kinds.

cause: batch-size-off
keras: 2,3
why: all 1500 pictures form one batch, so an epoch is one single update and ten epochs are ten: the loss creeps down
    while a hundred steps of 32 would have learnt the data. Seen: TensorFlow 2.18.1, seed 0: ten updates in ten
    epochs, loss 1.24 to 0.86, accuracy 0.76; three epochs of batches of 32: 0.063 and 1.0.
also seen: underfitting, learning-rate-too-low
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

facets = (rng.random((3, 10, 10)) < 0.4).astype("float32")
kind = rng.integers(0, 3, 1500)
pictures = (facets[kind] + rng.normal(0, 0.3, (1500, 10, 10)))[..., None].astype("float32")

model = keras.Sequential(
    [
        keras.Input((10, 10, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(3, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.001), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(pictures, kind, batch_size=len(pictures), epochs=10, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
