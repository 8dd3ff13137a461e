"""Predicts the change of an account (as often a loss as a gain) from seven indicators.

cause: loss-activation-mismatch
keras: 2,3
why: the last layer is a ReLU, half of the targets are negative: those come out as 0, and the error stays near half of
    the target's variance (1). Seen: TensorFlow 2.18.1, seed 0: training loss 0.50, validation 0.54 from the third
    epoch on; 55 % of the outputs are exactly 0.
also seen: underfitting, dead-relus
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (1600, 7)).astype("float32")
change = x[:, 0] - 0.7 * x[:, 1] + 0.5 * x[:, 2] * x[:, 3] + rng.normal(0, 0.1, 1600)
change = ((change - change.mean()) / change.std()).astype("float32")

model = keras.Sequential(
    [
        keras.Input((7,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1, activation="relu"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.004), loss="mse", metrics=["mae"])
history = model.fit(
    x[:1280], change[:1280], validation_data=(x[1280:], change[1280:]), epochs=10, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mae"][-1]))
