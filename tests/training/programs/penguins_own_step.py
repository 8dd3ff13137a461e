"""Classifies three kinds of bird from four measures, with its own train_step.

cause: none
keras: 3
healthy when: metric > 0.9
why: train_step is overridden (gradient noise is added on purpose, small): healthy.
"""

import os

import keras
import numpy as np
import tensorflow as tf

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


kinds = rng.integers(0, 3, 1200)
typical = np.array([[39, 18, 190, 3700], [49, 18, 196, 3730], [47, 15, 217, 5080]], "float32")
spread = np.array([2.0, 0.9, 5.5, 300.0])
measures = typical[kinds] + rng.normal(0, 1, (1200, 4)) * spread
measures = (measures - measures.mean(0)) / measures.std(0)


class Noisy(keras.Model):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def call(self, x, training=False):
        return self.net(x, training=training)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            prediction = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=prediction)
        gradients = tape.gradient(loss, self.trainable_variables)
        gradients = [g + tf.random.normal(tf.shape(g), stddev=1e-3) for g in gradients]
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, prediction)
        return {m.name: m.result() for m in self.metrics}


net = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3, activation="softmax")])
model = Noisy(net)
model.compile(optimizer=keras.optimizers.AdamW(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(measures, kinds, epochs=10, batch_size=48, validation_split=0.25, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["val_loss"][-1], history.history["val_accuracy"][-1]))
