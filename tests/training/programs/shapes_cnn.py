"""Classifies four drawn shapes with a CNN fed by tf.data.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: scaled inputs, shuffled and prefetched batches, sparse labels with a softmax; nothing is planted.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
SEED = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)


def draw(kind, size=16):
    canvas = np.zeros((size, size), "float32")
    y, x = rng.integers(2, 6, 2)
    length = rng.integers(7, 10)
    if kind == 0:
        canvas[y : y + length, x : x + 2] = 1
    elif kind == 1:
        canvas[y : y + 2, x : x + length] = 1
    elif kind == 2:
        for k in range(length):
            canvas[y + k, x + k] = 1
    else:
        canvas[y : y + length, x + length // 2] = 1
        canvas[y + length // 2, x : x + length] = 1
    return canvas


labels = rng.integers(0, 4, 1200).astype("int32")
images = np.stack([draw(k) for k in labels])[..., None]
images += rng.normal(0, 0.15, images.shape).astype("float32")

train = tf.data.Dataset.from_tensor_slices((images[:1000], labels[:1000]))
train = train.shuffle(1000, seed=SEED).batch(32).prefetch(tf.data.AUTOTUNE)
test = tf.data.Dataset.from_tensor_slices((images[1000:], labels[1000:])).batch(100)

inputs = keras.Input((16, 16, 1))
x = keras.layers.Conv2D(12, 3, activation="relu", padding="same")(inputs)
x = keras.layers.MaxPooling2D()(x)
x = keras.layers.Conv2D(16, 3, activation="relu", padding="same")(x)
x = keras.layers.MaxPooling2D()(x)
x = keras.layers.Flatten()(x)
x = keras.layers.Dense(32, activation="relu")(x)
outputs = keras.layers.Dense(4, activation="softmax")(x)
model = keras.Model(inputs, outputs)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(train, validation_data=test, epochs=8, verbose=2)
print(f"final: loss={history.history['val_loss'][-1]:.4f} metric={history.history['val_accuracy'][-1]:.4f}")
