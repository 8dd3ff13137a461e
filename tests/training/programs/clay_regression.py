"""Predicts the strength of clay from eight standardised ingredients.

cause: learning-rate-too-high
keras: 2,3
why: RMSprop with a learning rate of 0.1, a hundred times its default: every step overshoots, losses go up and down by
    factors and never get low, without becoming NaN. With 0.003 the same model comes near the noise. Seen: TensorFlow
    2.18.1, seed 0: losses 3.0, 0.71, 0.88, 0.69, 0.74, 0.61, 0.56, 0.68, 0.59, 0.57, validation between 0.42 and 2.2;
    with 0.003: 0.065.
also seen: saturation, underfitting
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (1200, 8)).astype("float32")
strength = np.tanh(x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + 0.3 * x[:, 3] + rng.normal(0, 0.1, 1200)

model = keras.Sequential(
    [
        keras.Input((8,)),
        keras.layers.Dense(32, activation="tanh"),
        keras.layers.Dense(32, activation="tanh"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.RMSprop(0.1), loss="mse", metrics=["mae"])
history = model.fit(
    x[:960], strength[:960], validation_data=(x[960:], strength[960:]), epochs=10, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_mae"][-1]))
