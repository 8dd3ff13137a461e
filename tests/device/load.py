"""Run in a real TensorFlow: load whatever plugin the environment names, work a little, and say what happened.

Prints one line of JSON: the devices, a product computed on the first GPU (or wherever it lands), how often the device's
kernels ran when ``argv[1]`` names the library, and what a compiled and an eager Dense layer with ReLU give.
"""

import ctypes
import json
import platform
import sys

import numpy as np
import tensorflow as tf


def dense(x):
    return tf.nn.relu(tf.nn.bias_add(tf.matmul(x, -tf.ones((3, 2))), tf.constant([0.5, -0.5])))


def main():
    gpus = tf.config.list_physical_devices("GPU")
    with tf.device("/GPU:0"):
        product = tf.matmul(tf.ones((2, 3)), tf.ones((3, 2))).numpy()
        x = tf.ones((4, 3))
        answer = {
            "tensorflow": tf.__version__,
            "gpus": len(gpus),
            "details": tf.config.experimental.get_device_details(gpus[0]) if gpus else {},
            "product": product.tolist(),
            "eager": dense(x).numpy().tolist(),
            "graph": tf.function(dense)(x).numpy().tolist(),
            "system": platform.system(),
        }
    if len(sys.argv) > 1:
        library = ctypes.CDLL(sys.argv[1])
        library.device_calls.restype = ctypes.c_long
        answer["calls"] = {op: library.device_calls(op.encode()) for op in ("MatMul", "_FusedMatMul")}
    if "keras" in sys.argv[2:]:
        answer["keras"] = predictions()
    sys.stdout.write(json.dumps(answer) + "\n")


def predictions():
    """What a Dense layer with ReLU gives when called and when it predicts; XLA is off, as Keras has it on a Mac."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(5, activation="relu")])
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3)
    model.build((None, 3))
    model.set_weights([np.linspace(-2, 1, 15, dtype=np.float32).reshape(3, 5), np.full(5, -0.25, np.float32)])
    called = model(x).numpy()
    if platform.system() != "Darwin":
        model.compile(jit_compile=False)
    return {
        "called": float(called.min()),
        "predicted": float(model.predict(x, verbose=0).min()),
        "jit": str(getattr(model, "jit_compile", None)),
    }


main()
