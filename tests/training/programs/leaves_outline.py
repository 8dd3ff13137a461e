"""Sorts leaves by twelve measures of their outline with a deep ReLU network.

cause: exploding-gradients
keras: 2,3
why: all kernels start from a normal distribution of deviation 0.6 (64 units wide, he_normal would be 0.18):
    activations and gradients grow about threefold per layer through ten layers. Seen: TensorFlow 2.18.1, seed 0:
    activations grow from 14 to 475 000 through the layers; first loss 78 000 (ln 4 = 1.39) with gradient norms of 4e4
    to 3e5 in each layer; after eight epochs still 590 and 5e3 to 2e4.
also seen: loss-explosion
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

centre = rng.normal(0, 1, (4, 12))
kind = rng.integers(0, 4, 1600)
x = (centre[kind] + rng.normal(0, 0.8, (1600, 12))).astype("float32")

model = keras.Sequential([keras.Input((12,))])
for _ in range(10):
    model.add(
        keras.layers.Dense(
            64, activation="relu", kernel_initializer=keras.initializers.RandomNormal(stddev=0.6, seed=seed)
        )
    )
model.add(keras.layers.Dense(4))
model.compile(
    optimizer=keras.optimizers.Adam(0.0005),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(x[:1280], kind[:1280], validation_data=(x[1280:], kind[1280:]), epochs=8, batch_size=32, verbose=2)
print("final: loss=%.4g metric=%.4g" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
