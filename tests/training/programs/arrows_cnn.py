"""Says whether an arrow points up/down or left/right, with random flips and shifts as layers of the model.

cause: none
keras: 2,3
healthy when: metric > 0.9
why: augmentation is active only in training, so training loss stays above validation loss: expected.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

labels = rng.integers(0, 2, 700)
images = np.zeros((700, 16, 16, 1), "float32")
for i, label in enumerate(labels):
    picture = np.zeros((16, 16), "float32")
    top, left = rng.integers(1, 6, 2)
    picture[top : top + 9, left + 4] = 1
    for k in range(4):
        picture[top + k, left + 4 - k] = picture[top + k, left + 4 + k] = 1
    if rng.random() < 0.5:
        picture = picture[::-1]
    images[i, :, :, 0] = picture if label else picture.T
images += rng.normal(0, 0.2, images.shape)

model = keras.Sequential(
    [
        keras.Input((16, 16, 1)),
        keras.layers.RandomFlip("horizontal_and_vertical"),
        keras.layers.RandomTranslation(0.15, 0.15, fill_mode="constant"),
        keras.layers.GaussianNoise(0.2),
        keras.layers.Conv2D(12, 5, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.GlobalMaxPooling2D(),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.004), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    images[:560], labels[:560], validation_data=(images[560:], labels[560:]), epochs=14, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
