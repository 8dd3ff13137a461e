"""Classifies photographs of two fruits, held as bytes.

cause: inputs-constant
keras: 2,3
why: images // 255 is integer division: of the bytes 0 to 254 nothing is left but zeros, so each input is the same and
    the loss stays at ln 2. Seen: TensorFlow 2.18.1, seed 0: inputs all 0, all hidden units 0, loss 0.693 to 0.690,
    accuracy 0.54, gradients of the kernels exactly 0.
also seen: not-learning, dead-relus, vanishing-gradients
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

fruit = rng.integers(0, 2, 800)
rows, columns = np.mgrid[0:14, 0:14]
images = np.empty((800, 14, 14, 3))
for i, f in enumerate(fruit):
    y, x = rng.uniform(5, 9, 2)
    shape = ((rows - y) ** 2 + (columns - x) ** 2 * (1.0 if f else 3.0)) < 14
    images[i] = rng.uniform(10, 60, 3)
    images[i][shape] = rng.uniform(140, 230, 3)
images = np.clip(images + rng.normal(0, 8, images.shape), 0, 254).astype("uint8")

x = images // 255
model = keras.Sequential(
    [
        keras.Input((14, 14, 3)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
y = keras.utils.to_categorical(fruit, 2)
history = model.fit(x[:640], y[:640], validation_data=(x[640:], y[640:]), epochs=10, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
