"""Learns whether two strokes are by the same writer, with one shared encoder and a contrastive loss.

cause: none
keras: 3
healthy when: metric > 0.85
why: distances are squared, no root is taken without an epsilon; the loss is self-written and safe.
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

writers = rng.normal(0, 1, (40, 12))
first = rng.integers(0, 40, 2200)
same = rng.integers(0, 2, 2200)
second = np.where(same == 1, first, (first + rng.integers(1, 40, 2200)) % 40)
a = (writers[first] + rng.normal(0, 0.4, (2200, 12))).astype("float32")
b = (writers[second] + rng.normal(0, 0.4, (2200, 12))).astype("float32")
same = same.astype("float32")[:, None]

encoder = keras.Sequential([keras.layers.Dense(32, activation="relu"), keras.layers.Dense(8)])
left, right = keras.Input((12,)), keras.Input((12,))
gap = keras.layers.Subtract()([encoder(left), encoder(right)])
distance = keras.layers.Lambda(lambda d: keras.ops.sqrt(keras.ops.sum(d * d, axis=-1, keepdims=True) + 1e-6))(gap)
model = keras.Model([left, right], distance)


def contrastive(y, d):
    return keras.ops.mean(y * keras.ops.square(d) + (1 - y) * keras.ops.square(keras.ops.maximum(1.0 - d, 0)))


model.compile(optimizer=keras.optimizers.Adam(0.003), loss=contrastive)
history = model.fit(
    [a[:1800], b[:1800]],
    same[:1800],
    validation_data=([a[1800:], b[1800:]], same[1800:]),
    epochs=12,
    batch_size=64,
    verbose=2,
)
guess = model.predict([a[1800:], b[1800:]], verbose=0) < 0.5
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], (guess == (same[1800:] > 0.5)).mean()))
