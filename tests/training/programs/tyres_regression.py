"""Predicts the wear of tyres from seven conditions of the journey.

cause: optimizer-slow-or-broken
keras: 3
why: Adam with use_ema, momentum 0.9999 and ema_overwrite_frequency=1: after each step the weights are set to their
    running mean, which hardly moves, so the step is undone. Learning rate, data and gradients are in order. Seen:
    TensorFlow 2.18.1, seed 0: loss 1.354 to 1.344 in ten epochs, kernels unmoved in three digits, gradient norms near
    1.
also seen: learning-rate-too-low, underfitting
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (1280, 7)).astype("float32")
wear = x[:, 0] - 0.6 * x[:, 1] + np.maximum(x[:, 2], 0) + rng.normal(0, 0.1, 1280)

model = keras.Sequential(
    [
        keras.Input((7,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
optimizer = keras.optimizers.Adam(0.005, use_ema=True, ema_momentum=0.9999, ema_overwrite_frequency=1)
model.compile(optimizer=optimizer, loss="mse", metrics=["mae"])
history = model.fit(x[:1024], wear[:1024], validation_data=(x[1024:], wear[1024:]), epochs=10, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_mae"][-1]))
