"""Learns a sparse code of mixed tones, with an L1 penalty on its ReLU activities.

cause: none
keras: 2,3
healthy when: metric < 0.3
why: metric is the share of variance left. Most units are silent for any one example because the penalty asks for it;
    each speaks for some.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

dictionary = rng.normal(0, 1, (24, 32))
dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
active = (rng.random((2400, 24)) < 0.1) * rng.uniform(1, 2, (2400, 24))
tones = (active @ dictionary + rng.normal(0, 0.02, (2400, 32))).astype("float32")

model = keras.Sequential(
    [
        keras.Input((32,)),
        keras.layers.Dense(48, activation="relu", activity_regularizer=keras.regularizers.l1(1e-4)),
        keras.layers.Dense(32),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.004), loss="mse", metrics=["mse"])
history = model.fit(
    tones[:2000], tones[:2000], validation_data=(tones[2000:], tones[2000:]), epochs=12, batch_size=64, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_mse"][-1] / tones.var()))
