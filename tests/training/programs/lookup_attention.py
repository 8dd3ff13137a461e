"""Finds the value that belongs to the asked key in a short list, with multi-head attention.

cause: none
keras: 2,3
healthy when: metric > 0.85
why: embedding, an attention block with layer normalisation, label = the token that follows the key.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

KEYS, VALUES = 6, 5
n = 2400
key = np.stack([rng.permutation(KEYS)[:3] for _ in range(n)])
value = rng.integers(0, VALUES, (n, 3))
asked = rng.integers(0, 3, n)
tokens = np.concatenate([key * VALUES + value, 30 + key[np.arange(n), asked][:, None]], axis=1)
answer = value[np.arange(n), asked]

L = keras.layers
inputs = keras.Input((4,), dtype="int32")
x = L.Embedding(30 + KEYS, 24)(inputs)
for _ in range(1):
    attended = L.MultiHeadAttention(num_heads=2, key_dim=12)(x, x)
    x = L.LayerNormalization()(L.Add()([x, attended]))
    x = L.LayerNormalization()(L.Add()([x, L.Dense(24)(L.Dense(48, activation="gelu")(x))]))
outputs = L.Dense(VALUES, activation="softmax")(L.Flatten()(x))
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.Adam(0.004), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    tokens[:2000], answer[:2000], validation_data=(tokens[2000:], answer[2000:]), epochs=8, batch_size=64, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
