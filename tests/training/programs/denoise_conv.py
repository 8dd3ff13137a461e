"""Takes noise out of small pictures with a convolutional autoencoder.

cause: none
keras: 3
healthy when: metric < 0.02
why: targets are in 0-1 as the sigmoid of the last layer demands; binary cross-entropy levels off above zero because
    the targets are grey. metric is the mean squared error, 0.055 for an empty picture.
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

clean = np.zeros((500, 16, 16, 1), "float32")
for picture in clean:
    y, x = rng.integers(1, 9, 2)
    h, w = rng.integers(4, 7, 2)
    picture[y : y + h, x : x + w] = rng.uniform(0.5, 1)
noisy = np.clip(clean + rng.normal(0, 0.25, clean.shape), 0, 1).astype("float32")

model = keras.Sequential(
    [
        keras.Input((16, 16, 1)),
        keras.layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
        keras.layers.Conv2D(12, 3, padding="same", activation="relu"),
        keras.layers.UpSampling2D(),
        keras.layers.Conv2D(8, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(1, 3, padding="same", activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="binary_crossentropy", metrics=["mse"])
history = model.fit(
    noisy[:420], clean[:420], validation_data=(noisy[420:], clean[420:]), epochs=12, batch_size=20, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mse"][-1]))
