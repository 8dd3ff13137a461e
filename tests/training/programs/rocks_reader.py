"""Regresses the age of rocks from profiles kept in compressed files, one per rock.

cause: input-pipeline-slow
keras: 2,3
why: the generator opens and unpacks one .npz file for every sample of every epoch in the training thread; nothing is
    kept. Seen: TensorFlow 2.18.1, seed 0: the loss falls from 0.48 to 0.012, so nothing is wrong but the time: of 5.6
    s of fit 4.5 s went into the generator, 57 ms a step.
"""

import os
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras
seed = int(os.environ.get("TFCOMPAT_SEED", "0"))
keras.utils.set_random_seed(seed)
rng = np.random.default_rng(seed)


with tempfile.TemporaryDirectory() as folder:
    age = rng.normal(0, 1, 240).astype("float32")
    depth = np.linspace(0, 1, 24)
    for i in range(240):
        profile = age[i] * np.sin(3 * depth) + rng.normal(0, 0.2, 24)
        picture = rng.normal(0, 1, (200, 200))
        np.savez_compressed(os.path.join(folder, "%04d.npz" % i), profile=profile, picture=picture)

    def rocks(batch=24):
        while True:
            order = rng.permutation(240)
            for start in range(0, 240, batch):
                rows = []
                for i in order[start : start + batch]:
                    with np.load(os.path.join(folder, "%04d.npz" % i)) as archive:
                        everything = {name: archive[name] for name in archive.files}
                    rows.append(everything["profile"])
                yield np.stack(rows).astype("float32"), age[order[start : start + batch]]

    model = keras.Sequential([keras.Input((24,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
    history = model.fit(rocks(), steps_per_epoch=10, epochs=8, verbose=2)
print("final: loss=%.4f metric=%.4f" % (history.history["loss"][-1], history.history["loss"][0]))
