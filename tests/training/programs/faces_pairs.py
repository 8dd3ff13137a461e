"""Learns from pairs of face descriptors whether they show one person, by the distance of two encodings.

cause: nan
keras: 3
why: the distance is sqrt(sum of squares) without an epsilon; some pairs are the same record twice, distance 0, and
    the square root's gradient there is infinite: the forward pass stays finite, the gradient and then the weights are
    NaN. Seen: TensorFlow 2.18.1, seed 0: six good batches (0.29 to 0.32), then NaN for good.
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

people = rng.normal(0, 1, (60, 16))
first = rng.integers(0, 60, 1600)
same = rng.integers(0, 2, 1600)
second = np.where(same == 1, first, (first + rng.integers(1, 60, 1600)) % 60)
a = people[first] + rng.normal(0, 0.3, (1600, 16))
b = people[second] + rng.normal(0, 0.3, (1600, 16))
twice = rng.choice(np.flatnonzero(same), 3, replace=False)
b[twice] = a[twice]
a, b, same = a.astype("float32"), b.astype("float32"), same.astype("float32")[:, None]

encoder = keras.Sequential([keras.layers.Dense(24, activation="relu"), keras.layers.Dense(8)])
left, right = keras.Input((16,)), keras.Input((16,))
gap = keras.layers.Subtract()([encoder(left), encoder(right)])
distance = keras.layers.Lambda(lambda d: keras.ops.sqrt(keras.ops.sum(keras.ops.square(d), axis=-1, keepdims=True)))(
    gap
)
model = keras.Model([left, right], distance)


def contrastive(y, d):
    return keras.ops.mean(y * d + (1 - y) * keras.ops.square(keras.ops.maximum(1.0 - d, 0)))


model.compile(optimizer=keras.optimizers.Adam(0.002), loss=contrastive)
history = model.fit([a, b], same, epochs=8, batch_size=32, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["loss"][0]))
