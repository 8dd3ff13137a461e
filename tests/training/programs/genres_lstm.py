"""Classifies note sequences into five genres with an LSTM.

cause: loss-activation-mismatch
keras: 2
why: integer labels 0 to 4 with one sigmoid unit under binary cross-entropy, as if there were two classes: the loss
    goes negative and the accuracy stays at that of one or two genres. Seen: TensorFlow 2.15.1: losses -2.0, -8.8,
    -12.6 ... -24.6, accuracy 0.37; 80 % of the outputs beyond 0.99.
also seen: labels-out-of-range, loss-explosion
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

genre = rng.integers(0, 5, 1000)
notes = (rng.integers(0, 6, (1000, 14)) + 3 * genre[:, None]) % 20

model = keras.Sequential(
    [
        keras.layers.Embedding(20, 8),
        keras.layers.LSTM(16),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(
    notes[:800], genre[:800], validation_data=(notes[800:], genre[800:]), epochs=7, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
