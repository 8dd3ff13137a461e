"""Finds knots in pieces of wood, two classes, with a CNN.

cause: dead-relus
keras: 2,3
why: the kernels of the second convolution start all negative (RandomUniform(-0.3, -0.05)) and its inputs are never
    negative, being outputs of a ReLU: the whole layer is silent, everything after it sees zeros. Seen: TensorFlow
    2.18.1, seed 0: the second convolution gives 0 everywhere, all gradients of kernels exactly 0, loss 0.693 to
    0.690.
also seen: not-learning, vanishing-gradients
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

knot = rng.integers(0, 2, 800)
rows, columns = np.mgrid[0:14, 0:14]
wood = 0.5 + 0.15 * np.sin(rows[None] * 0.9 + rng.uniform(0, 6, (800, 1, 1))) + rng.normal(0, 0.05, (800, 14, 14))
for picture, has_knot in zip(wood, knot):
    if has_knot:
        y, x = rng.uniform(4, 10, 2)
        picture[(rows - y) ** 2 + (columns - x) ** 2 < 6] -= 0.35
wood = wood[..., None].astype("float32")

model = keras.Sequential(
    [
        keras.Input((14, 14, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(12, 3, activation="relu", kernel_initializer=keras.initializers.RandomUniform(-0.3, -0.05)),
        keras.layers.Flatten(),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.001), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    wood[:640], knot[:640], validation_data=(wood[640:], knot[640:]), epochs=9, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
