"""Regresses house prices in euros on six features, with the target brought to unit scale first.

cause: none
keras: 2,3
healthy when: metric < 40000
why: prices run from 65 000 to 800 000 and are standardised before training and put back after it; the mean absolute
    error of predicting the mean would be about 136 000.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


n = 1500
area = rng.uniform(30, 220, n)
rooms = np.round(area / 28 + rng.normal(0, 0.7, n)).clip(1)
age = rng.uniform(0, 90, n)
distance = rng.exponential(8, n)
floor = rng.integers(0, 9, n)
garden = rng.integers(0, 2, n)
price = 60000 + 3300 * area * np.exp(-distance / 30) - 700 * age + 25000 * garden + 4000 * floor
price = price + rng.normal(0, 15000, n)

features = np.stack([area, rooms, age, distance, floor, garden], axis=1)
features = (features - features.mean(axis=0)) / features.std(axis=0)
mean, scale = price.mean(), price.std()
target = (price - mean) / scale

model = keras.Sequential(
    [
        keras.Input((6,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.RMSprop(0.003), loss="mse", metrics=["mae"])
history = model.fit(
    features[:1200],
    target[:1200],
    epochs=14,
    batch_size=32,
    verbose=2,
    validation_data=(features[1200:], target[1200:]),
)
predicted = model.predict(features[1200:], verbose=0)[:, 0] * scale + mean
print("final: loss=%.4f metric=%.1f" % (history.history["val_loss"][-1], np.abs(predicted - price[1200:]).mean()))
