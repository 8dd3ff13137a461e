"""Two dozen flowers, three kinds, three measures: a tiny data set with a tiny model.

cause: none
keras: 2,3
healthy when: metric > 0.85
why: 24 examples only, but the model is as small as they are (15 weights) and is checked on flowers it has not seen.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

centres = np.array([[1.0, 0.2, -1.0], [-1.0, 1.0, 0.3], [0.3, -1.2, 0.9]])
kind = np.arange(24) % 3
flowers = centres[kind] + rng.normal(0, 0.35, (24, 3))
new_kind = np.arange(60) % 3
new = centres[new_kind] + rng.normal(0, 0.35, (60, 3))

model = keras.Sequential(
    [
        keras.Input((3,)),
        keras.layers.Dense(3, activation="softmax", kernel_regularizer=keras.regularizers.l2(1e-3)),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.1), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(flowers, kind, validation_data=(new, new_kind), epochs=30, batch_size=8, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
