"""Tells bright from dark tissue in scans, each batch cropped at a random place.

cause: retracing
keras: 2,3
why: the cropping function is a tf.function that takes its offsets as Python integers: every new pair of offsets is a
    new trace, about one per step; TensorFlow warns of it ("triggered tf.function retracing"). It does learn. Seen:
    TensorFlow 2.18.1, seed 0: 101 traces in 120 steps, three quarters of the time of fit went into them, TensorFlow's
    warning after the fifth; loss 0.697 to 0.595.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

tissue = rng.integers(0, 2, 640)
scans = (
    rng.normal(0, 1, (640, 32, 32, 1)) + 0.35 * tissue[:, None, None, None] * np.sin(np.arange(32))[None, None, :, None]
)
scans = scans.astype("float32")


@tf.function
def crop(images, top, left):
    part = images[:, top : top + 16, left : left + 16]
    part = (part - tf.reduce_mean(part, axis=[1, 2, 3], keepdims=True)) / (
        tf.math.reduce_std(part, axis=[1, 2, 3], keepdims=True) + 1e-3
    )
    return tf.clip_by_value(part + tf.random.normal(tf.shape(part), stddev=0.05), -3.0, 3.0)


def batches():
    while True:
        pick = rng.integers(0, 640, 32)
        top, left = rng.integers(0, 17, 2)
        yield crop(scans[pick], int(top), int(left)).numpy(), tissue[pick]


model = keras.Sequential(
    [
        keras.Input((16, 16, 1)),
        keras.layers.Conv2D(8, 5, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(batches(), steps_per_epoch=20, epochs=6, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
