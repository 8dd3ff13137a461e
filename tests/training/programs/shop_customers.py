"""Predicts from a customer's numbers and last purchases both the basket's value and whether he comes back.

cause: none
keras: 2,3
healthy when: metric > 0.8
why: two inputs, two outputs, two losses with weights: healthy, and the total loss is no plain cross-entropy.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


n = 2000
numbers = rng.normal(0, 1, (n, 5)).astype("float32")
items = rng.integers(0, 50, (n, 6))
appeal = rng.normal(0, 1, 50)
hidden = numbers[:, 0] - 0.5 * numbers[:, 1] + appeal[items].mean(1)
value = (np.tanh(hidden) + rng.normal(0, 0.1, n)).astype("float32")
returns = (hidden + rng.normal(0, 0.2, n) > 0).astype("float32")

number_input = keras.Input((5,), name="numbers")
item_input = keras.Input((6,), dtype="int32", name="items")
bought = keras.layers.Flatten()(keras.layers.Embedding(50, 4)(item_input))
merged = keras.layers.Concatenate()([number_input, bought])
merged = keras.layers.Dense(32, activation="relu")(merged)
basket = keras.layers.Dense(1, name="basket")(merged)
back = keras.layers.Dense(1, activation="sigmoid", name="back")(merged)
model = keras.Model({"numbers": number_input, "items": item_input}, {"basket": basket, "back": back})
model.compile(
    optimizer=keras.optimizers.Adam(0.005),
    loss={"basket": "mse", "back": "binary_crossentropy"},
    loss_weights={"basket": 1.0, "back": 0.5},
    metrics={"back": ["accuracy"]},
)
train = {"numbers": numbers[:1600], "items": items[:1600]}, {"basket": value[:1600], "back": returns[:1600]}
test = {"numbers": numbers[1600:], "items": items[1600:]}, {"basket": value[1600:], "back": returns[1600:]}
history = model.fit(*train, validation_data=test, epochs=10, batch_size=64, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_back_accuracy"][-1]))
