"""Adds up marked numbers of a sequence with a simple recurrent network.

cause: exploding-gradients
keras: 2,3
why: the recurrent matrix starts with gain 2 under a ReLU (no squashing) over 40 steps: activations and gradients
    through time grow by a factor of some 10^5, and no clipping stops them. Seen: TensorFlow 2.18.1, seed 0: first
    loss 9e8 (variance of the target 0.3), gradient norm 6e10 in the recurrent kernel; after eight epochs 1.4e5 and
    8e6.
also seen: loss-explosion, nan
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

numbers = rng.uniform(0, 1, (1200, 40)).astype("float32")
marked = (rng.random((1200, 40)) < 0.1).astype("float32")
total = (numbers * marked).sum(1)
x = np.stack([numbers, marked], axis=-1)

model = keras.Sequential(
    [
        keras.Input((40, 2)),
        keras.layers.SimpleRNN(24, activation="relu", recurrent_initializer=keras.initializers.Orthogonal(gain=2.0)),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.001), loss="mse", metrics=["mae"])
history = model.fit(x, total, validation_split=0.2, epochs=8, batch_size=32, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["mae"][-1]))
