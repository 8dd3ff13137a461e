"""Assigns soil samples to four classes by ten measured elements.

cause: loss-activation-mismatch
keras: 2,3
why: the last layer has no activation but the loss expects probabilities (from_logits is left False): negative outputs
    are clipped to 1e-7 and have no gradient; the loss starts far above ln 4, jumps up again and again and is no
    measure of the accuracy. Seen: TensorFlow 2.18.1, seed 0: first loss 7.2 (ln 4 = 1.39), epochs 1.96, 0.83, 0.70,
    0.63, 0.60, 0.71, 1.26, 0.90, 0.99 while validation accuracy goes from 0.92 back to 0.80.
also seen: not-learning, learning-rate-too-high
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

typical = rng.normal(0, 1, (4, 10))
soil = rng.integers(0, 4, 1500)
x = (typical[soil] + rng.normal(0, 0.9, (1500, 10))).astype("float32")

model = keras.Sequential(
    [
        keras.Input((10,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(4),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x[:1200], soil[:1200], validation_data=(x[1200:], soil[1200:]), epochs=9, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
