"""Predicts a balloon's next rise in hectometres from its last altitudes in metres.

cause: inputs-unscaled
keras: 2,3
why: altitudes near 8 000 metres drive every gate of the GRU into its flat part; the target is of unit scale, and the
    same model fed standardised altitudes gets far below this loss. Seen: TensorFlow 2.18.1, seed 0: loss 0.564, then
    0.498 in all epochs, validation 0.423; gradients of the GRU's kernels 1e-7 and below, half of its outputs at -1 or
    1; standardised: 0.025.
also seen: saturation, not-learning, underfitting
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

speed = 1.0 * np.sin(np.arange(14)[None, :] * rng.uniform(0.3, 0.6, (1200, 1)) + rng.uniform(0, 6, (1200, 1)))
height = rng.uniform(7900, 8100, (1200, 1)) + 100 * speed.cumsum(1)
x = height[:, :13, None].astype("float32")
y = speed[:, 13].astype("float32")

model = keras.Sequential(
    [
        keras.Input((13, 1)),
        keras.layers.GRU(12),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="mse", metrics=["mae"])
history = model.fit(x[:960], y[:960], validation_data=(x[960:], y[960:]), epochs=8, batch_size=40, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mae"][-1]))
