"""Predicts how far a dough rises from five standardised conditions.

cause: learning-rate-too-low
keras: 2,3
why: SGD at 1e-5 with a target of unit scale; at 0.05 the same model reaches the noise. The weights hardly move. Seen:
    TensorFlow 2.18.1, seed 0: loss 0.868 in the first epoch, 0.857 in the tenth; with 0.05 it is 0.024.
also seen: underfitting
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (1500, 5)).astype("float32")
rise = (0.8 * x[:, 0] - 0.6 * x[:, 1] + np.sin(x[:, 2]) + rng.normal(0, 0.1, 1500)).astype("float32")
rise = (rise - rise.mean()) / rise.std()
data = tf.data.Dataset.from_tensor_slices((x, rise)).shuffle(1500, seed=seed).batch(32).prefetch(2)

inputs = keras.Input((5,))
h = keras.layers.Dense(32, activation="relu")(inputs)
h = keras.layers.Dense(16, activation="relu")(h)
model = keras.Model(inputs, keras.layers.Dense(1)(h))
model.compile(optimizer=keras.optimizers.SGD(1e-5), loss="mse", metrics=["mae"])
history = model.fit(data, epochs=10, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["mae"][-1]))
