"""Predicts the traffic on a road from the last twelve counts, batches made by a Sequence.

cause: inputs-constant
keras: 2,3
why: __getitem__ fills a buffer made anew each time but returns the one made in __init__, which nobody fills: every
    input of every batch is 0, targets are right. The loss stays at the target's variance, 1. Seen: TensorFlow 2.18.1,
    seed 0: all inputs 0, loss 1.001 in all eight epochs, gradients of the kernels exactly 0.
also seen: not-learning, underfitting
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

hour = np.arange(2400)
count = np.sin(hour * 2 * np.pi / 24) + 0.5 * np.sin(hour * 2 * np.pi / 168) + rng.normal(0, 0.1, 2400)
count = ((count - count.mean()) / count.std()).astype("float32")


class Windows(keras.utils.Sequence):
    def __init__(self, batch=32, length=12):
        super().__init__()
        self.batch, self.length = batch, length
        self.inputs = np.zeros((batch, length), "float32")
        self.starts = rng.permutation(len(count) - length)

    def __len__(self):
        return 50

    def __getitem__(self, index):
        starts = self.starts[index * self.batch : (index + 1) * self.batch]
        inputs = np.zeros_like(self.inputs)
        for row, start in enumerate(starts):
            inputs[row] = count[start : start + self.length]
        return self.inputs, count[starts + self.length]


model = keras.Sequential(
    [
        keras.Input((12,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="mse", metrics=["mae"])
history = model.fit(Windows(), epochs=8, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["mae"][-1]))
