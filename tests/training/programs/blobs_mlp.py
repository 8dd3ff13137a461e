"""Separates five clouds of points in eight dimensions with a two-layer perceptron.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: standardised features, Nesterov momentum, ReduceLROnPlateau as many tutorials have it.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


centres = rng.normal(0, 2.2, (5, 8))
y = rng.integers(0, 5, 2000)
x = centres[y] + rng.normal(0, 1.0, (2000, 8))
x = (x - x.mean(0)) / x.std(0)

model = keras.Sequential()
model.add(keras.layers.Dense(32, activation="relu", input_shape=(8,)))
model.add(keras.layers.Dense(32, activation="relu"))
model.add(keras.layers.Dense(5, activation="softmax"))
model.compile(
    optimizer=keras.optimizers.SGD(learning_rate=0.02, momentum=0.9, nesterov=True),
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=["accuracy"],
)
plateau = keras.callbacks.ReduceLROnPlateau(patience=3, factor=0.5)
history = model.fit(x, y, batch_size=64, epochs=15, validation_split=0.2, callbacks=[plateau], verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
