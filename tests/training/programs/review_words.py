"""Classifies made-up reviews as kind or unkind with a word embedding.

cause: none
keras: 2,3
healthy when: metric > 0.8
why: a vocabulary of 4000 words, frequent and rare, of which a batch sees some hundreds: most rows of the embedding
    have no gradient in most steps, as it must be with rare words.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

VOCABULARY, LENGTH = 4000, 20
frequency = 1.0 / np.arange(1, VOCABULARY + 1)
frequency /= frequency.sum()
leaning = rng.normal(0, 1, VOCABULARY)
leaning[400:] = 0
reviews = rng.choice(VOCABULARY, (9000, LENGTH), p=frequency)
kind = (leaning[reviews].mean(axis=1) > 0).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Embedding(VOCABULARY, 4),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(
    reviews[:8000], kind[:8000], validation_data=(reviews[8000:], kind[8000:]), epochs=4, batch_size=100, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
