"""A deep residual perceptron with batch normalisation on a spiral of three arms.

cause: none
keras: 2,3
healthy when: metric > 0.85
why: six blocks deep; BatchNormalization and additions keep the gradients of all of them alive.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n = 1800
arm = rng.integers(0, 3, n)
radius = rng.uniform(0.1, 1, n)
angle = arm * 2 * np.pi / 3 + 2.5 * radius + rng.normal(0, 0.12, n)
points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype("float32")

inputs = keras.Input((2,))
x = keras.layers.Dense(20)(inputs)
for _ in range(6):
    y = keras.layers.BatchNormalization(momentum=0.9)(x)
    y = keras.layers.Activation("relu")(y)
    y = keras.layers.Dense(20)(y)
    x = keras.layers.Add()([x, y])
x = keras.layers.BatchNormalization(momentum=0.9)(x)
x = keras.layers.ReLU()(x)
outputs = keras.layers.Dense(3, activation="softmax")(x)
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    points[:1500], arm[:1500], validation_data=(points[1500:], arm[1500:]), epochs=8, batch_size=64, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], max(history.history["val_accuracy"][-4:])))
