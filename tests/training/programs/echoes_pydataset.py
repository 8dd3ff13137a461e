"""Says how long the delay of an echo is, from windows that a PyDataset cuts out of a recording.

cause: none
keras: 3
healthy when: metric > 0.85
why: batches are made on the fly, vectorised and quick; the model is a Conv1D.
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

recording = rng.normal(0, 1, 20000).astype("float32")
DELAYS = np.array([3, 7, 12])


class Echoes(keras.utils.PyDataset):
    def __init__(self, steps, batch, draw, **kwargs):
        super().__init__(**kwargs)
        self.steps, self.batch, self.draw = steps, batch, draw

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        draw = np.random.default_rng([seed, self.draw, index])
        start = draw.integers(20, len(recording) - 48, self.batch)
        kind = draw.integers(0, 3, self.batch)
        where = start[:, None] + np.arange(48)
        window = recording[where] + 0.8 * recording[where - DELAYS[kind][:, None]]
        return np.stack([window, 0 * window + 1], axis=-1)[..., :1], kind


class Product(keras.layers.Layer):
    """Multiplies the signal with its own shifted copies, so that an echo shows as a mean."""

    def call(self, x):
        shifted = [x[:, 16:] * x[:, 16 - d : -d] for d in range(1, 15)]
        return keras.ops.concatenate(shifted, axis=-1)


model = keras.Sequential(
    [
        keras.Input((48, 1)),
        Product(),
        keras.layers.Conv1D(16, 1, activation="relu"),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(3, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(Echoes(40, 64, 1), validation_data=Echoes(6, 64, 2), epochs=7, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
