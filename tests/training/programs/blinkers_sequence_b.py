"""Counts blinking lights (none to three) in small frames delivered by a keras.utils.Sequence.

cause: none
keras: 2
healthy when: metric > 0.9
why: a Sequence with on_epoch_end shuffling; nothing is planted.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


class Frames(keras.utils.Sequence):
    def __init__(self, count, batch):
        self.number = rng.integers(0, 4, count)
        self.frames = rng.normal(0, 0.1, (count, 12, 12, 1)).astype("float32")
        for frame, number in zip(self.frames, self.number):
            spots = rng.choice(9, number, replace=False)
            for y, x in zip(spots // 3, spots % 3):
                frame[4 * y + 1 : 4 * y + 3, 4 * x + 1 : 4 * x + 3, 0] = 1
        self.batch = batch
        self.order = np.arange(count)

    def __len__(self):
        return len(self.order) // self.batch

    def __getitem__(self, index):
        part = self.order[index * self.batch : (index + 1) * self.batch]
        return self.frames[part], keras.utils.to_categorical(self.number[part], 4)

    def on_epoch_end(self):
        rng.shuffle(self.order)


model = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        keras.layers.Conv2D(8, 3, activation="relu", padding="same"),
        keras.layers.AveragePooling2D(4),
        keras.layers.Flatten(),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="categorical_crossentropy", metrics=["categorical_accuracy"])
history = model.fit(Frames(1024, 32), validation_data=Frames(256, 64), epochs=7, verbose=2)
print(
    "final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_categorical_accuracy"][-1])
)
