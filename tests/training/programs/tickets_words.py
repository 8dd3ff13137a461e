"""Routes support tickets to one of five desks by their words.

cause: not-learning
keras: 3
why: the labels come from the wrong column (a ticket's running number modulo five), which has nothing to do with its
    words: an endless stream of fresh tickets, a loss that stays at ln 5 = 1.609. Seen: TensorFlow 2.18.1, seed 0:
    loss 1.610 or 1.609 in all eight epochs, accuracy 0.19 to 0.21.
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


def tickets(batch=64):
    counter = 0
    while True:
        desk = rng.integers(0, 5, batch)
        words = rng.integers(0, 300, (batch, 15))
        words[:, :5] = 300 + desk[:, None] * 20 + rng.integers(0, 20, (batch, 5))
        number = counter + rng.permutation(batch)
        counter += batch
        yield words, number % 5


model = keras.Sequential(
    [
        keras.layers.Embedding(400, 8),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(5, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(tickets(), steps_per_epoch=40, epochs=8, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
