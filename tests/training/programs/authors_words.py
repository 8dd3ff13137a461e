"""Guesses which of three authors wrote a short letter, from its words.

cause: overfitting
keras: 2,3
why: 150 letters, an embedding of 2000 rare words and 32 numbers each: it recognises letters, not authors. Training
    loss near zero, validation loss rising from its lowest point on. Seen: TensorFlow 2.18.1, seed 0: training loss
    2e-5, validation loss 0.86 at its lowest (fourth epoch) and 0.98 at the end, accuracy 1.0 against 0.68.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

author = rng.integers(0, 3, 450)
letters = rng.integers(0, 2000, (450, 25))
typical = rng.random((450, 25)) < 0.09
letters = np.where(typical, author[:, None] * 30 + letters % 30, letters)

model = keras.Sequential(
    [
        keras.layers.Embedding(2000, 32),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(3, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    letters[:150], author[:150], validation_data=(letters[150:], author[150:]), epochs=30, batch_size=16, verbose=2
)
print(
    "final: loss=%.4f metric=%.4f val_loss=%.4f"
    % (history.history["loss"][-1], history.history["val_accuracy"][-1], history.history["val_loss"][-1])
)
