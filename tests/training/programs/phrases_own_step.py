"""Classifies short phrases with a train_step that wraps its forward pass in a function of its own.

cause: retracing
keras: 3
why: train_step (run_eagerly=True, left from debugging) makes a new tf.function in every call, so every step is traced
    and none is reused. Seen: TensorFlow 2.18.1, seed 0: a new function and so a new trace in each of 60 steps, 0.26 s
    a step, TensorFlow's warning after the fifth; accuracy 0.99.
"""

import os

import keras
import numpy as np
import tensorflow as tf

seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


kind = rng.integers(0, 3, 640)
phrases = np.where(
    rng.random((640, 8)) < 0.3, kind[:, None] * 10 + rng.integers(0, 10, (640, 8)), rng.integers(30, 100, (640, 8))
)


class Phrases(keras.Model):
    def __init__(self):
        super().__init__()
        self.words = keras.layers.Embedding(100, 8)
        self.pool = keras.layers.GlobalAveragePooling1D()
        self.hidden = keras.layers.Dense(16, activation="relu")
        self.out = keras.layers.Dense(3, activation="softmax")

    def call(self, x):
        return self.out(self.hidden(self.pool(self.words(x))))

    def train_step(self, data):
        x, y = data

        @tf.function
        def forward(x, y):
            with tf.GradientTape() as tape:
                prediction = self(x, training=True)
                loss = self.compute_loss(x=x, y=y, y_pred=prediction)
            return prediction, loss, tape.gradient(loss, self.trainable_variables)

        prediction, loss, gradients = forward(x, y)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, prediction)
        return {m.name: m.result() for m in self.metrics}


model = Phrases()
model.compile(
    optimizer=keras.optimizers.Adam(0.02),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
    run_eagerly=True,
)
history = model.fit(phrases, kind, epochs=3, batch_size=32, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
