"""Recognises three vowels from short sounds, with a spectrum computed in the input pipeline.

cause: input-pipeline-slow
keras: 2,3
why: tf.data maps a numpy_function that computes a discrete Fourier transform with loops, sample by sample, without
    num_parallel_calls, cache or prefetch, again in each epoch; the model itself needs a millisecond or two. Seen:
    TensorFlow 2.18.1, seed 0: accuracy 1.0 after two epochs; 0.18 s per step, of which 0.16 s is the pipeline.
"""

import os

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)

FORMANTS = np.array([[5, 9], [3, 14], [4, 6]])
vowel = rng.integers(0, 3, 640)
t = np.arange(48)
sound = sum(np.sin(2 * np.pi * FORMANTS[vowel][:, k : k + 1] * t / 48 + rng.uniform(0, 6, (640, 1))) for k in range(2))
sound = (sound + rng.normal(0, 0.8, sound.shape)).astype("float32")


def spectrum(wave):
    powers = []
    for f in range(20):
        real = sum(float(w) * np.cos(2 * np.pi * f * i / len(wave)) for i, w in enumerate(wave))
        imaginary = sum(float(w) * np.sin(2 * np.pi * f * i / len(wave)) for i, w in enumerate(wave))
        powers.append(np.hypot(real, imaginary) / len(wave))
    return np.array(powers, "float32")


def load(wave, label):
    powers = tf.numpy_function(spectrum, [wave], tf.float32)
    powers.set_shape((20,))
    return powers, label


data = tf.data.Dataset.from_tensor_slices((sound, vowel)).shuffle(640, seed=seed).map(load).batch(32)
model = keras.Sequential(
    [keras.Input((20,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(3, activation="softmax")]
)
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(data, epochs=3, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["accuracy"][-1]))
