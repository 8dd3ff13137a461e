"""Tells rising from falling melodies with an LSTM.

cause: learning-rate-too-high
keras: 2,3
why: Adam with 1.0 where 0.003 learns the task: the loss jumps about from step to step and settles near that of
    guessing. Seen: TensorFlow 2.18.1, seed 0: losses 1.54, 1.29, 1.01, 1.23, 0.98, 1.37, 1.24, 1.12 (ln 2 = 0.69),
    validation accuracy 0.5, hidden layer saturated; with 0.003 accuracy 1.0.
also seen: saturation, not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

rising = rng.integers(0, 2, 1200)
slope = np.where(rising == 1, 1, -1) * rng.uniform(0.03, 0.08, 1200)
melody = (
    slope[:, None] * (np.arange(18) - 9)
    + 0.3 * np.sin(np.arange(18) * 1.3 + rng.uniform(0, 6, (1200, 1)))
    + rng.normal(0, 0.2, (1200, 18))
)
melody = melody.astype("float32")[..., None]

model = keras.Sequential(
    [
        keras.Input((18, 1)),
        keras.layers.LSTM(16),
        keras.layers.Dense(16, activation="tanh"),
        keras.layers.Dense(2),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(1.0),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(
    melody[:960], rising[:960], validation_data=(melody[960:], rising[960:]), epochs=8, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
