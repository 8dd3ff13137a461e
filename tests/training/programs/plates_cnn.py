"""Reads which of three marks is printed on a plate with a deep stack of convolutions.

cause: vanishing-gradients
keras: 2,3
why: nine sigmoid convolutions in a row, SGD with momentum: hardly any gradient reaches the first of them. Seen:
    TensorFlow 2.18.1, seed 0: gradient norm 2e-6 in the first kernel, 7 in the last, 6 decades apart; loss 1.32 to
    1.11 (ln 3 = 1.10), accuracy 0.33.
also seen: not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

marks = (rng.random((3, 10, 10)) < 0.4).astype("float32")
kind = rng.integers(0, 3, 640)
plates = (marks[kind] + rng.normal(0, 0.2, (640, 10, 10)))[..., None].astype("float32")

inputs = keras.Input((10, 10, 1))
x = inputs
for _ in range(9):
    x = keras.layers.Conv2D(8, 3, padding="same", activation="sigmoid")(x)
x = keras.layers.Flatten()(x)
model = keras.Model(inputs, keras.layers.Dense(3, activation="softmax")(x))
model.compile(
    optimizer=keras.optimizers.SGD(0.01, momentum=0.9), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
)
history = model.fit(
    plates[:512], kind[:512], validation_data=(plates[512:], kind[512:]), epochs=9, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
