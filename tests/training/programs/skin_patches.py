"""Classifies small patches of texture, each brought to its own mean and spread in a layer of the model.

cause: nan
keras: 2,3
why: the layer divides by the standard deviation of the patch; about one patch in 200 is perfectly flat, 0/0, and the
    first batch that holds one makes all weights NaN. Until then the loss falls normally. Seen: TensorFlow 2.18.1,
    seed 0: first epoch 0.690, NaN in the second (step 14) and for good.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


class OwnScale(keras.layers.Layer):
    def call(self, x):
        mean = tf.reduce_mean(x, axis=[1, 2], keepdims=True)
        spread = tf.sqrt(tf.reduce_mean(tf.square(x - mean), axis=[1, 2], keepdims=True))
        return (x - mean) / spread


kind = rng.integers(0, 2, 900)
patches = rng.normal(0, 1, (900, 12, 12, 1))
smooth = (patches + np.roll(patches, 1, 1) + np.roll(patches, 1, 2)) / 1.7
patches = np.where(kind[:, None, None, None] == 1, smooth, patches).astype("float32") * 0.2 + 0.5
flat = rng.choice(np.arange(400, 900), 4, replace=False)
patches[flat] = 0.5

model = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        OwnScale(),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
data = tf.data.Dataset.from_tensor_slices((patches, kind)).batch(30).repeat()
history = model.fit(data, steps_per_epoch=10, epochs=9, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["accuracy"][-1]))
