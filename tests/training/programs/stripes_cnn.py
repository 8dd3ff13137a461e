"""Classifies striped 8-bit images; the model itself begins with a Rescaling layer.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: fit receives bytes 0-255, and Rescaling(1/255) inside the model brings them to 0-1.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

kind = rng.integers(0, 3, 900)
images = np.empty((900, 16, 16, 1), "uint8")
line = np.arange(16)
for i, k in enumerate(kind):
    pattern = [line[:, None] + 0 * line, line[None, :] + 0 * line[:, None], line[:, None] + line[None, :]][k]
    wave = 127 + 90 * np.sin(pattern * rng.uniform(0.9, 1.3) + rng.uniform(0, 6)) + rng.normal(0, 20, (16, 16))
    images[i, :, :, 0] = np.clip(wave, 0, 255)

model = keras.Sequential(
    [
        keras.Input((16, 16, 1)),
        keras.layers.Rescaling(1.0 / 255),
        keras.layers.Conv2D(12, 5, activation="relu"),
        keras.layers.MaxPooling2D(2),
        keras.layers.Conv2D(12, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(3, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    images[:700], kind[:700], validation_data=(images[700:], kind[700:]), epochs=12, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
