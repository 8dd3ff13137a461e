"""A small CNN that tells discs from squares in colour photographs of 24 x 24 pixels.

cause: learning-rate-too-high
keras: 3
why: scaled images and Adam with 0.3 where 0.001 learns: the first steps throw the weights so far that the network
    answers the same for every image. Seen: TensorFlow 2.18.1, seed 0: batch losses 0.66, then 8e3, 0.69 from the
    second epoch on, 94 to 100 % of the ReLUs dead; accuracy 0.52, 0.53 and 0.54 for seeds 0 to 2.
also seen: not-learning, dead-relus
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


def photographs(count, size=24):
    rows, columns = np.mgrid[0:size, 0:size]
    images = np.empty((count, size, size, 3))
    labels = rng.integers(0, 2, count)
    for i in range(count):
        cy, cx = rng.uniform(8, size - 8, 2)
        r = rng.uniform(5, 8)
        disc = (rows - cy) ** 2 + (columns - cx) ** 2 < r * r
        square = (abs(rows - cy) < 0.9 * r) & (abs(columns - cx) < 0.9 * r)
        images[i] = rng.uniform(0, 90, 3)
        images[i][disc if labels[i] else square] = rng.uniform(150, 255, 3)
    images += rng.normal(0, 8, images.shape)
    return np.clip(images, 0, 255).astype("uint8"), keras.utils.to_categorical(labels, 2)


images, labels = photographs(900)
datagen = keras.preprocessing.image.ImageDataGenerator(rescale=1.0 / 255)
train = datagen.flow(images[:700], labels[:700], batch_size=32, seed=seed)
valid = datagen.flow(images[700:], labels[700:], batch_size=100, shuffle=False)

model = keras.Sequential(
    [
        keras.Input((24, 24, 3)),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.MaxPool2D(),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.MaxPool2D(),
        keras.layers.Dropout(0.25),
        keras.layers.Flatten(),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dropout(0.25),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.Adam(0.3), metrics=["accuracy"])
history = model.fit(train, validation_data=valid, epochs=9, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
