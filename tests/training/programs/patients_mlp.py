"""Predicts a rare disease from forty blood values of eighty patients.

cause: overfitting
keras: 2,3
why: 64 patients for training, forty values of which two matter, a network of 70 000 weights and no regularisation:
    training loss goes to zero while the validation loss turns and climbs. Seen: TensorFlow 2.18.1, seed 0: training
    loss 0.0009, validation loss 0.644 at its lowest (fourth epoch) and 1.26 at the end, validation accuracy 0.65.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

x = rng.normal(0, 1, (264, 40)).astype("float32")
ill = (x[:, 0] + x[:, 1] + rng.normal(0, 1.2, 264) > 0).astype("float32")

model = keras.Sequential(
    [
        keras.Input((40,)),
        keras.layers.Dense(256, activation="relu"),
        keras.layers.Dense(224, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.001), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(x[:64], ill[:64], validation_data=(x[64:], ill[64:]), epochs=50, batch_size=16, verbose=2)
print(
    "final: loss=%.4f metric=%.4f val_loss=%.4f"
    % (history.history["loss"][-1], history.history["val_accuracy"][-1], history.history["val_loss"][-1])
)
