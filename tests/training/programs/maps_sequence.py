"""Classifies map tiles as land or water, tiles smoothed while they are loaded.

cause: input-pipeline-slow
keras: 2,3
why: __getitem__ smooths each picture twice, pixel by pixel in Python; a step of the small model takes a few
    milliseconds, the batch before it a multiple of that, one at a time. It does learn. Seen: TensorFlow 2.18.1, seed
    0: loss to 0.46 and accuracy 0.89; of 14.4 s of fit 8.4 s went into __getitem__, 109 ms a step, for 80 batches of
    24 small pictures.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

water = rng.integers(0, 2, 480)
tiles = rng.normal(0, 1, (480, 14, 14)) + 0.5 * np.where(
    water[:, None, None] == 1, np.sin(np.arange(14) * 1.1), np.cos(np.arange(14)[:, None] * 1.1)
)


def smooth(tile):
    result = np.zeros_like(tile)
    for y in range(tile.shape[0]):
        for x in range(tile.shape[1]):
            total, count = 0.0, 0
            for j in range(max(0, y - 1), min(tile.shape[0], y + 2)):
                for i in range(max(0, x - 1), min(tile.shape[1], x + 2)):
                    total += tile[j, i]
                    count += 1
            result[y, x] = total / count
    return result


class Tiles(keras.utils.Sequence):
    def __init__(self, batch=24):
        super().__init__()
        self.batch = batch

    def __len__(self):
        return len(tiles) // self.batch

    def __getitem__(self, index):
        part = slice(index * self.batch, (index + 1) * self.batch)
        return np.stack([smooth(smooth(t)) for t in tiles[part]])[..., None].astype("float32"), water[part]


model = keras.Sequential(
    [
        keras.Input((14, 14, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.GlobalMaxPooling2D(),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(Tiles(), epochs=4, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
