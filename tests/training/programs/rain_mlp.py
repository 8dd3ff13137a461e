"""Says whether it rains tomorrow; one linear unit and a loss that takes logits.

cause: none
keras: 2,3
healthy when: metric > 0.8
why: the last layer has no activation and the loss has from_logits=True: a correct pair.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

weather = rng.normal(0, 1, (1500, 7)).astype("float32")
rain = (weather[:, 0] * weather[:, 1] + weather[:, 2] + rng.normal(0, 0.3, 1500) > 0).astype("float32")[:, None]

model = keras.Sequential(
    [
        keras.Input((7,)),
        keras.layers.Dense(32, activation="elu"),
        keras.layers.Dense(16, activation="elu"),
        keras.layers.Dense(1),
    ]
)
model.compile(
    optimizer=keras.optimizers.Nadam(0.008),
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[keras.metrics.BinaryAccuracy(threshold=0.0, name="hits")],
)
stop = keras.callbacks.EarlyStopping(monitor="val_loss", patience=4, restore_best_weights=True)
history = model.fit(
    weather[:1200],
    rain[:1200],
    validation_data=(weather[1200:], rain[1200:]),
    epochs=14,
    batch_size=50,
    callbacks=[stop],
    verbose=2,
)
print("final: loss=%.4f metric=%.4f" % (min(history.history["val_loss"]), max(history.history["val_hits"])))
