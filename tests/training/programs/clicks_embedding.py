"""One single epoch over a stream of clicks, as advertisers train.

cause: none
keras: 2,3
healthy when: metric > 0.7
why: epochs=1 with 300 steps from a tf.data pipeline: there is no second epoch to compare with. metric is the AUC.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

n = 19200
user = rng.integers(0, 300, n)
advert = rng.integers(0, 40, n)
taste = rng.normal(0, 1, (300, 3))
theme = rng.normal(0, 1, (40, 3))
chance = 1 / (1 + np.exp(-(1.2 * (taste[user] * theme[advert]).sum(1) + 0.8 * theme[advert, 0] - 0.3)))
clicked = (rng.random(n) < chance).astype("float32")

stream = tf.data.Dataset.from_tensor_slices(({"user": user, "advert": advert}, clicked)).batch(64).prefetch(2)
train, test = stream.take(270), stream.skip(270)

user_in = keras.Input((), dtype="int64", name="user")
advert_in = keras.Input((), dtype="int64", name="advert")
u = keras.layers.Embedding(300, 8, embeddings_initializer=keras.initializers.RandomNormal(stddev=0.3))(user_in)
a = keras.layers.Embedding(40, 8, embeddings_initializer=keras.initializers.RandomNormal(stddev=0.3))(advert_in)
dot = keras.layers.Dot(axes=1)([u, a])
out = keras.layers.Dense(1, activation="sigmoid")(keras.layers.Concatenate()([dot, a]))
model = keras.Model({"user": user_in, "advert": advert_in}, out)
model.compile(
    optimizer=keras.optimizers.Adam(0.02), loss="binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")]
)
model.fit(train, epochs=1, verbose=2)
loss, auc = model.evaluate(test, verbose=0)
print("final: loss=%.4f metric=%.4f" % (loss, auc))
