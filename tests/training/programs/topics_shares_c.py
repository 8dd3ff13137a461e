"""Fits the share of four topics in texts with a self-written Kullback-Leibler loss.

cause: nan
keras: 2,3
why: the loss takes log(truth) and most truths contain an exact 0: 0 * log(0) is NaN at the very first step. It does
    not depend on the weights, so these stay finite and even learn: only the loss is NaN, inputs, gradients and
    learning rate are in order. Seen: TensorFlow 2.18.1, seed 0: loss NaN from the first batch on; mean absolute error
    0.083, then 0.004.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

words = rng.random((1200, 40)).astype("float32")
score = words @ rng.normal(0, 1, (40, 4))
share = np.exp(score - score.max(1, keepdims=True))
share[share < 0.2] = 0.0
share = (share / share.sum(1, keepdims=True)).astype("float32")


def divergence(truth, guess):
    return tf.reduce_sum(truth * (tf.math.log(truth) - tf.math.log(guess)), axis=-1)


model = keras.Sequential(
    [
        keras.Input((40,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss=divergence, metrics=["mae"])
history = model.fit(words, share, epochs=6, batch_size=32, validation_split=0.2, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["mae"][-1]))
