"""Forecasts the demand for rental bikes, lowering the learning rate from round to round.

cause: retracing
keras: 2,3
why: each round calls compile() again to set the new rate, so Keras builds and traces its training function anew for
    every round of eight steps; tracing takes most of the time. The loss falls. Seen: TensorFlow 2.18.1, seed 0: six
    rounds of eight steps: the first step of each traces for a second or more, the other seven take 5 ms each; loss
    0.28 to 0.017.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

hour = rng.uniform(0, 24, 800)
warm = rng.normal(0, 1, 800)
demand = (np.sin((hour - 9) / 24 * 2 * np.pi) + 0.4 * warm + rng.normal(0, 0.1, 800)).astype("float32")
x = np.stack([np.sin(hour / 24 * 2 * np.pi), np.cos(hour / 24 * 2 * np.pi), warm], axis=1).astype("float32")

model = keras.Sequential(
    [
        keras.Input((3,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(1),
    ]
)
rate = 0.01
for cycle in range(6):
    model.compile(optimizer=keras.optimizers.Adam(rate), loss="mse", metrics=["mae"])
    history = model.fit(x, demand, batch_size=100, epochs=1, verbose=2)
    rate *= 0.9
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["mae"][-1]))
