"""Reads the hand of a dial that points in one of six directions.

cause: loss-activation-mismatch
keras: 2,3
why: the model gives probabilities (a softmax, then a Rescaling that keeps 2 % for doubt) and the loss is told
    from_logits=True: they are squashed twice, so the loss cannot go below 1.06, however right the answers. Without
    the Rescaling Keras would notice the softmax and take its logits instead. Seen: TensorFlow 2.18.1, seed 0:
    accuracy 1.0 from the fifth epoch on while the loss stands at 1.059.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


direction = rng.integers(0, 6, 1000)
images = rng.normal(0, 0.15, (1000, 13, 13, 1)).astype("float32")
angle = direction * np.pi / 3 + rng.normal(0, 0.12, 1000)
for r in np.arange(0, 6, 0.5):
    images[
        np.arange(1000), np.round(6 + r * np.sin(angle)).astype(int), np.round(6 + r * np.cos(angle)).astype(int), 0
    ] = 1

inputs = keras.Input((13, 13, 1))
x = keras.layers.Conv2D(8, 3, activation="relu")(inputs)
x = keras.layers.MaxPooling2D()(x)
x = keras.layers.Flatten()(x)
x = keras.layers.Dense(32, activation="relu")(x)
probabilities = keras.layers.Softmax()(keras.layers.Dense(6)(x))
probabilities = keras.layers.Rescaling(0.98, offset=0.02 / 6)(probabilities)
model = keras.Model(inputs, probabilities)
model.compile(optimizer="adam", loss=keras.losses.CategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
y = keras.utils.to_categorical(direction, 6)
history = model.fit(images[:800], y[:800], validation_data=(images[800:], y[800:]), epochs=12, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
