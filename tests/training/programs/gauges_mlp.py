"""Calibrates six gauges against a reference with a tanh network.

cause: saturation
keras: 2,3
why: hidden kernels start from RandomNormal(stddev=8): the sums are tens wide, almost every tanh sits at -1 or 1,
    where it has no slope; the hidden layers stay as they were drawn and the loss stops high (kernels of 0.3 and 0.2
    reach 0.15). Seen: TensorFlow 2.18.1, seed 0: 88 and 95 % of the tanh units beyond 0.99 from start to end, kernels
    unmoved, loss 2.45 to 0.59; with kernels of 0.3 and 0.2: 0.15.
also seen: vanishing-gradients, underfitting
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

gauges = rng.normal(0, 1, (1400, 6)).astype("float32")
reference = (
    np.sin(1.5 * gauges[:, 0]) + 0.5 * gauges[:, 1] - 0.5 * gauges[:, 2] * gauges[:, 3] + rng.normal(0, 0.05, 1400)
)

start = keras.initializers.RandomNormal(stddev=8.0, seed=seed)
start2 = keras.initializers.RandomNormal(stddev=8.0, seed=seed + 100)
model = keras.Sequential(
    [
        keras.Input((6,)),
        keras.layers.Dense(32, activation="tanh", kernel_initializer=start),
        keras.layers.Dense(32, activation="tanh", kernel_initializer=start2),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.002), loss="mse", metrics=["mae"])
history = model.fit(
    gauges[:1120],
    reference[:1120],
    validation_data=(gauges[1120:], reference[1120:]),
    epochs=10,
    batch_size=32,
    verbose=2,
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_loss"][-1]))
