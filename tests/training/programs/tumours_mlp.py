"""Says whether a lump is benign or malign from nine measures, coded as the register codes them.

cause: labels-out-of-range
keras: 2,3
why: the labels are 2 and 4 (the register's codes) and the output a sigmoid under binary cross-entropy: the loss
    becomes negative and falls without end, the accuracy is 0. Seen: TensorFlow 2.18.1, seed 0: epochs -0.5, -2.4,
    -5.4 ... -169; accuracy 0 throughout.
also seen: loss-explosion, saturation
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

malign = rng.integers(0, 2, 1200)
x = (rng.normal(0, 1, (1200, 9)) + 0.9 * malign[:, None]).astype("float32")
code = np.where(malign == 1, 4.0, 2.0)

model = keras.Sequential(
    [
        keras.Input((9,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(x[:960], code[:960], validation_data=(x[960:], code[960:]), epochs=10, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
