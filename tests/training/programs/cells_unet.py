"""Marks round cells in noisy pictures, pixel by pixel, with a tiny U-Net.

cause: none
keras: 3
healthy when: metric > 0.6
why: skip connections, transposed convolution, pixel-wise binary cross-entropy. metric is the overlap (IoU).
"""

import os

import keras
import numpy as np

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n, size = 360, 16
rows, columns = np.mgrid[0:size, 0:size]
masks = np.zeros((n, size, size), "float32")
for mask in masks:
    for _ in range(rng.integers(1, 4)):
        y, x, r = rng.uniform(2, size - 2), rng.uniform(2, size - 2), rng.uniform(1.8, 3.2)
        mask[(rows - y) ** 2 + (columns - x) ** 2 < r * r] = 1
pictures = (0.6 * masks + rng.normal(0, 0.25, masks.shape))[..., None].astype("float32")
masks = masks[..., None]

L = keras.layers
inputs = keras.Input((size, size, 1))
a = L.Conv2D(8, 3, padding="same", activation="relu")(inputs)
b = L.MaxPooling2D()(a)
b = L.Conv2D(12, 3, padding="same", activation="relu")(b)
up = L.Conv2DTranspose(8, 2, strides=2, activation="relu")(b)
c = L.Concatenate()([a, up])
c = L.Conv2D(8, 3, padding="same", activation="relu")(c)
outputs = L.Conv2D(1, 1, activation="sigmoid")(c)
model = keras.Model(inputs, outputs)
model.compile(
    optimizer=keras.optimizers.Adam(0.008),
    loss="binary_crossentropy",
    metrics=[keras.metrics.BinaryIoU(target_class_ids=[1], name="iou")],
)
history = model.fit(
    pictures[:300], masks[:300], validation_data=(pictures[300:], masks[300:]), epochs=9, batch_size=16, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_iou"][-1]))
