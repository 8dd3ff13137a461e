"""Predicts whether a listener likes a song, both known by an identifier.

cause: optimizer-slow-or-broken
keras: 3
why: Adam makes the sparse gradients of a 400 000-row embedding dense and rewrites all rows and both moments at each
    step, of which a batch concerns 64; the same script with SGD takes a small part of the time. Seen: TensorFlow
    2.18.1, seed 0: 69 ms per step with Adam, 6.5 ms with SGD; loss 0.488 after its one epoch.
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

SONGS = 400000
song = rng.integers(0, 3000, 6400) * 131
mood = rng.normal(0, 1, (6400, 4)).astype("float32")
appeal = rng.normal(0, 1, SONGS)
likes = (appeal[song] + mood[:, 0] > 0).astype("float32")

song_in = keras.Input((1,), dtype="int32")
mood_in = keras.Input((4,))
x = keras.layers.Flatten()(keras.layers.Embedding(SONGS, 8)(song_in))
x = keras.layers.Concatenate()([x, mood_in])
x = keras.layers.Dense(16, activation="relu")(x)
model = keras.Model([song_in, mood_in], keras.layers.Dense(1, activation="sigmoid")(x))
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit([song[:, None], mood], likes, epochs=1, batch_size=64, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
