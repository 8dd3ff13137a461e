"""Predicts the next character of an invented language with an embedding and an LSTM.

cause: none
keras: 2
healthy when: metric > 0.6
why: the language has random parts, so accuracy cannot reach one; RMSprop with clipvalue, stacked sequences.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

syllables = ["ba", "ke", "mi", "tor", "lun", "sha"]
follows = {s: list(rng.choice(syllables, 2, replace=False)) for s in syllables}
text, current = "", syllables[0]
while len(text) < 9000:
    text += current + ("." if rng.random() < 0.1 else "")
    current = str(rng.choice(follows[current]))
letters = sorted(set(text))
codes = np.array([letters.index(c) for c in text])
windows = np.stack([codes[i : i + 21] for i in range(0, len(codes) - 21, 7)])

model = keras.Sequential(
    [
        keras.layers.Embedding(len(letters), 12, input_length=20),
        keras.layers.LSTM(32, return_sequences=True),
        keras.layers.Dense(len(letters), activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.RMSprop(0.01, clipvalue=0.5),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
history = model.fit(
    windows[:1000, :-1],
    windows[:1000, 1:],
    validation_data=(windows[1000:, :-1], windows[1000:, 1:]),
    epochs=8,
    batch_size=40,
    verbose=2,
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
