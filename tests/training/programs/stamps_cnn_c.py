"""Dates stamps to one of two presses from a small collection.

cause: overfitting
keras: 2,3
why: 60 pictures, no augmentation, a third of the labels wrong as collectors' notes are: the CNN learns them by heart,
    training accuracy reaches 1 while validation loss rises by factors. Seen: TensorFlow 2.18.1, seed 0: training loss
    0.0004, validation loss 0.63 in the first epoch and 1.63 in the last, validation accuracy 0.60.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

press = rng.integers(0, 2, 260)
design = rng.random((2, 12, 12)) < 0.4
stamps = 0.5 * design[press] + rng.normal(0, 0.6, (260, 12, 12))
stamps = stamps[..., None].astype("float32")
noted = np.where(rng.random(260) < 0.3, 1 - press, press)

model = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        keras.layers.Conv2D(24, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.002), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    stamps[:60], noted[:60], validation_data=(stamps[60:], noted[60:]), epochs=40, batch_size=12, verbose=2
)
print(
    "final: loss=%.4f metric=%.4f val_loss=%.4f"
    % (history.history["loss"][-1], history.history["val_accuracy"][-1], history.history["val_loss"][-1])
)
