"""Predicts the next value of a sum of two sines with an LSTM.

cause: none
keras: 2,3
healthy when: loss < 0.03
why: windows of a signal between -1 and 1, mean squared error, Adam 0.005; the noise floor is 0.0025.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


t = np.arange(1600)
signal = 0.6 * np.sin(t / 5.0 + rng.uniform(0, 6)) + 0.4 * np.sin(t / 13.0 + rng.uniform(0, 6))
signal = (signal + rng.normal(0, 0.05, t.shape)).astype("float32")
window = 20
x = np.stack([signal[i : i + window] for i in range(len(signal) - window)])[..., None]
y = signal[window:]
cut = 1300

model = keras.Sequential([keras.Input((window, 1)), keras.layers.LSTM(16), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="mse", metrics=["mae"])
model.fit(x[:cut], y[:cut], validation_data=(x[cut:], y[cut:]), epochs=8, batch_size=64, verbose=2)
loss, mae = model.evaluate(x[cut:], y[cut:], verbose=0)
print("final: loss=%.4f metric=%.4f" % (loss, mae))
