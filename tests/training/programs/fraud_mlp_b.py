"""Finds the four in a hundred fraudulent payments, with class weights and AUC.

cause: none
keras: 2,3
healthy when: metric > 0.8
why: imbalanced on purpose; class_weight is right and accuracy alone would say little. metric is the validation AUC.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n = 4000
fraud = (rng.random(n) < 0.04).astype("float32")
payments = rng.normal(0, 1, (n, 10)).astype("float32")
payments[:, 0] += 1.4 * fraud
payments[:, 3] *= 1 + 1.5 * fraud
payments[:, 7] -= 1.2 * fraud

model = keras.Sequential(
    [
        keras.Input((10,)),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(12, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(0.003),
    loss="binary_crossentropy",
    metrics=[keras.metrics.AUC(name="auc"), keras.metrics.Recall(name="recall")],
)
history = model.fit(
    payments[:3000],
    fraud[:3000],
    validation_data=(payments[3000:], fraud[3000:]),
    epochs=7,
    batch_size=64,
    class_weight={0: 0.52, 1: 12.5},
    verbose=2,
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_auc"][-1]))
