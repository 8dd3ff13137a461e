"""Adds up scores of games of different length, padded with zeros and masked.

cause: none
keras: 2
healthy when: loss < 0.1
why: half of all inputs are padding; Masking and a SimpleRNN deal with it.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

lengths = rng.integers(3, 15, 1600)
scores = rng.choice([-1.0, -0.5, 0.5, 1.0], (1600, 14)).astype("float32")
scores[np.arange(14)[None, :] >= lengths[:, None]] = 0
total = scores.sum(1) / 3

model = keras.Sequential(
    [
        keras.Input((14, 1)),
        keras.layers.Masking(mask_value=0.0),
        keras.layers.SimpleRNN(16),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss=keras.losses.Huber(), metrics=["mae"])
history = model.fit(
    scores[:1300, :, None],
    total[:1300],
    validation_data=(scores[1300:, :, None], total[1300:]),
    epochs=12,
    batch_size=50,
    verbose=2,
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mae"][-1]))
