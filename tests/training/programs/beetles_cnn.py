"""Tells two kinds of beetle apart by the pattern on their back.

cause: learning-rate-too-low
keras: 2,3
why: Adam with 1e-6 (1e-3 has learnt it all after the first epoch): the loss goes down in the fourth digit, steadily,
    and gets nowhere. Seen: TensorFlow 2.18.1, seed 0: loss 0.6731 in the first epoch, 0.6656 in the tenth; kernels do
    not change in three digits. With 1e-3: 0.003 and accuracy 1.
also seen: underfitting, not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

backs = (rng.random((2, 12, 12)) < 0.35).astype("float32")
kind = rng.integers(0, 2, 900)
images = (backs[kind] + rng.normal(0, 0.3, (900, 12, 12)))[..., None].astype("float32")

model = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=1e-6), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
)
history = model.fit(
    images[:700], kind[:700], validation_data=(images[700:], kind[700:]), epochs=10, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
