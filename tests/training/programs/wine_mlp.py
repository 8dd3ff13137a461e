"""Grades wine from eleven measurements with a deep perceptron.

cause: vanishing-gradients
keras: 2,3
why: twelve sigmoid layers without normalisation: the first layers' gradients are smaller than the last ones' by many
    orders of magnitude, the loss stays at that of guessing. Seen: TensorFlow 2.18.1, seed 0: gradient norm 2e-8 in
    the first kernel, 8e-2 in the last; loss 1.0986 = ln 3, accuracy 0.34.
also seen: not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (1500, 11)).astype("float32")
grade = np.digitize(x[:, 0] + 0.5 * x[:, 1] * x[:, 2] - x[:, 5], [-0.6, 0.6])

model = keras.Sequential([keras.Input((11,))])
for _ in range(12):
    model.add(keras.layers.Dense(24, activation="sigmoid"))
model.add(keras.layers.Dense(3, activation="softmax"))
model.compile(optimizer=keras.optimizers.Adam(0.001), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, grade, validation_split=0.2, epochs=9, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
