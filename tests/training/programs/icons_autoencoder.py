"""Compresses icons of 12 x 12 pixels with a convolutional autoencoder.

cause: labels-out-of-range
keras: 2,3
why: the inputs are divided by 255, the targets are the raw bytes, and the output is a sigmoid: it is pushed to 1
    everywhere and the mean squared error stays in the thousands. Seen: TensorFlow 2.18.1, seed 0: mean squared error
    8044, 8014, then 8006 for ever; 81 % of the outputs above 0.99.
also seen: saturation, not-learning, underfitting
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

icons = np.zeros((700, 12, 12, 1), "uint8")
for icon in icons:
    y, x = rng.integers(0, 7, 2)
    icon[y : y + 5, x : x + 5] = rng.integers(120, 256)
    icon[y + 2, :] = rng.integers(120, 256)

model = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        keras.layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
        keras.layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
        keras.layers.Conv2DTranspose(8, 3, strides=2, padding="same", activation="relu"),
        keras.layers.Conv2DTranspose(1, 3, strides=2, padding="same", activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="mse")
history = model.fit(icons / 255.0, icons, epochs=8, batch_size=28, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["loss"][0]))
