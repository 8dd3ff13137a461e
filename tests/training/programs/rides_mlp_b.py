"""Estimates the length of taxi rides when one record in fifty is absurd.

cause: none
keras: 2,3
healthy when: metric < 0.4
why: wild records make single batch losses jump by a factor of ten and more; Huber and clipping keep training steady.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (1800, 5)).astype("float32")
clean = x[:, 0] + 0.7 * np.abs(x[:, 1]) - 0.3 * x[:, 2]
ride = clean + rng.normal(0, 0.1, 1800)
absurd = rng.random(1800) < 0.02
ride[absurd] += rng.choice([-1, 1], absurd.sum()) * rng.uniform(20, 60, absurd.sum())

model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.01, clipnorm=1.0), loss=keras.losses.Huber(delta=0.5))
model.fit(x[:1400], ride[:1400], validation_split=0.15, epochs=12, batch_size=32, verbose=2)
guess = model.predict(x[1400:], verbose=0)[:, 0]
error = np.abs(guess - clean[1400:]).mean()
print("final: loss=%.4f metric=%.4f" % (model.evaluate(x[1400:], ride[1400:], verbose=0), error))
