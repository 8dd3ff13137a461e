"""Learns to tell two textures apart with a self-written train_step in the manner of Keras 2.

cause: none
keras: 2
healthy when: metric > 0.9
why: compiled_loss, compiled_metrics and two images per example (the second mirrored, for consistency): healthy.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

labels = rng.integers(0, 2, 1000)
grid = np.arange(14)
images = np.empty((1000, 14, 14, 1), "float32")
for i, label in enumerate(labels):
    wave = np.sin(grid * rng.uniform(1.0, 1.6) + rng.uniform(0, 6))
    images[i, :, :, 0] = wave[:, None] if label else wave[None, :]
images += rng.normal(0, 0.4, images.shape)


class Consistent(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            prediction = self(x, training=True)
            mirrored = self(tf.image.flip_left_right(x), training=True)
            loss = self.compiled_loss(y, prediction) + 0.1 * tf.reduce_mean(tf.square(prediction - mirrored))
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        self.compiled_metrics.update_state(y, prediction)
        return {m.name: m.result() for m in self.metrics}


inputs = keras.Input((14, 14, 1))
x = keras.layers.Conv2D(8, 3, activation="relu")(inputs)
x = keras.layers.MaxPooling2D()(x)
x = keras.layers.Conv2D(8, 3, activation="relu")(x)
x = keras.layers.GlobalMaxPooling2D()(x)
model = Consistent(inputs, keras.layers.Dense(1, activation="sigmoid")(x))
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(
    images[:800], labels[:800], epochs=8, batch_size=32, verbose=2, validation_data=(images[800:], labels[800:])
)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
