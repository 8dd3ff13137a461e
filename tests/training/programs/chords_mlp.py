"""Recognises eight chords from the strengths of 24 tones.

cause: saturation
keras: 2,3
why: the sigmoid layers start from VarianceScaling(scale=900), thirty times too wide: nearly all units are at 0 or 1
    for every example, hardly any gradient passes, and steps of 0.003 cannot bring weights of 6 back. Inputs are of
    unit scale. Seen: TensorFlow 2.18.1, seed 0: 78 to 83 % of the sigmoids beyond 0.01/0.99 at the start and at the
    end, kernels of norm 167 unmoved, accuracy 0.56 after nine epochs against 0.88 from Glorot's start.
also seen: vanishing-gradients, underfitting, not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

chords = rng.random((8, 24)) < 0.2
kind = rng.integers(0, 8, 1500)
tones = (chords[kind] + rng.normal(0, 0.4, (1500, 24))).astype("float32")

inputs = keras.Input((24,))
x = inputs
for k in range(3):
    start = keras.initializers.VarianceScaling(scale=900.0, seed=seed + k)
    x = keras.layers.Dense(32, activation="sigmoid", kernel_initializer=start)(x)
model = keras.Model(inputs, keras.layers.Dense(8, activation="softmax")(x))
model.compile(optimizer=keras.optimizers.Adam(0.003), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    tones[:1200], kind[:1200], validation_data=(tones[1200:], kind[1200:]), epochs=9, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
