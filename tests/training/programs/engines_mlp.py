"""Predicts engine failure from raw readings (rpm, pascal, kelvin) behind a Normalization layer.

cause: none
keras: 2,3
healthy when: metric > 0.8
why: the arrays given to fit reach 100 000 and more, but the first layer of the model, adapted beforehand,
    standardises them.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n = 1800
rpm = rng.normal(2400, 500, n)
pressure = rng.normal(101300, 4000, n)
temperature = rng.normal(360, 12, n)
hours = rng.exponential(3000, n)
risk = (rpm - 2400) / 500 + (temperature - 360) / 12 + (hours - 3000) / 3000 - (pressure - 101300) / 4000
fails = (risk + rng.normal(0, 0.5, n) > 0).astype("float32")
readings = np.stack([rpm, pressure, temperature, hours], axis=1).astype("float32")

normalise = keras.layers.Normalization()
normalise.adapt(readings[:1400])
model = keras.Sequential(
    [
        keras.Input((4,)),
        normalise,
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(
    readings[:1400], fails[:1400], validation_data=(readings[1400:], fails[1400:]), epochs=9, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
