"""Says whether the number of opening tokens exceeds that of closing ones, with a bidirectional GRU.

cause: none
keras: 3
healthy when: metric > 0.85
why: token sequences with a counting rule, embedding, GRU, gradient clipping; nothing is planted.
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


tokens = rng.integers(0, 6, (1600, 12))
label = ((tokens == 1).sum(1) > (tokens == 2).sum(1)).astype("int32")

inputs = keras.Input((12,), dtype="int32")
x = keras.layers.Embedding(6, 8)(inputs)
x = keras.layers.Bidirectional(keras.layers.GRU(12))(x)
x = keras.layers.Dense(16, activation="tanh")(x)
outputs = keras.layers.Dense(2)(x)
model = keras.Model(inputs, outputs)
model.compile(
    optimizer=keras.optimizers.Adam(0.01, clipnorm=1.0),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(tokens, label, validation_split=0.2, epochs=4, batch_size=64, verbose=2)
print(f"final: loss={history.history['val_loss'][-1]:.4f} metric={history.history['val_accuracy'][-1]:.4f}")
