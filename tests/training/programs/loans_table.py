"""Predicts whether a loan is paid back from income, debt, age and the time of the application.

cause: inputs-unscaled
keras: 2,3
why: income and debt in cents and a Unix time stamp go in as they are (1e6 to 1.7e9) beside an age of 20 to 80: the
    first loss is enormous and training sees little but the largest column; standardised, the same model passes 0.85.
    Seen: TensorFlow 2.18.1, seed 0: inputs up to 1.7e9, first loss 1.3e8, between 6e5 and 4e6 later, validation
    accuracy 0.47 to 0.60; standardised: 0.20 and 0.92.
also seen: loss-explosion, not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n = 1600
income = rng.lognormal(15.0, 0.4, n)
debt = rng.lognormal(14.5, 0.6, n)
age = rng.uniform(20, 80, n)
applied = rng.uniform(1.60e9, 1.70e9, n)
score = (np.log(income) - 15.0) / 0.4 - (np.log(debt) - 14.5) / 0.6 + (age - 50) / 30
paid = (score + rng.normal(0, 0.4, n) > 0).astype("float32")
x = np.stack([income, debt, age, applied], axis=1).astype("float32")

model = keras.Sequential(
    [
        keras.Input((4,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(x[:1280], paid[:1280], validation_data=(x[1280:], paid[1280:]), epochs=10, batch_size=32, verbose=2)
print("final: loss=%.4g metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
