"""Recognises unwanted messages by the words in them.

cause: loss-activation-mismatch
keras: 2,3
why: a softmax over one single unit is the constant 1, so every message is called spam for ever, whatever is learnt.
    Keras takes the loss from the logits behind the softmax where it can, so the loss may well fall while the accuracy
    stays where it began. Seen: TensorFlow 2.18.1, seed 0: accuracy 0.5267 in all eight epochs although the loss falls
    from 0.66 to 0.007; every output is 1.
also seen: not-learning
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

spam = rng.integers(0, 2, 1500)
words = rng.integers(0, 400, (1500, 18))
suspicious = rng.random((1500, 18)) < 0.2
words = np.where((spam[:, None] == 1) & suspicious, 400 + words % 40, words)

model = keras.Sequential(
    [
        keras.layers.Embedding(440, 8),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(
    words[:1200], spam[:1200], validation_data=(words[1200:], spam[1200:]), epochs=8, batch_size=32, verbose=2
)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["val_accuracy"][-1]))
