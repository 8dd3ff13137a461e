"""Run in a real TensorFlow with the test device: how does a process end in which one fault is planted?

``python ends.py LIBRARY NAME... --hang NAME...`` prints one line of JSON, ``{name: end}``. TensorFlow is imported once;
each fault then has a forked process of its own, which costs milliseconds instead of an import. (TensorFlow starts its
threads with the first operation, after the fork.) An end is ``"signal 6"``, ``"exit 3"``, ``"hangs"``, ``"finishes"`` or
what Python raised. Those named after ``--hang`` run side by side, and for ten times as long as healthy work took.
"""

import ctypes
import json
import os
import signal
import sys
import time

import numpy as np
import tensorflow as tf

LIMIT = 60.0
"""Seconds after which what should end counts as hanging."""

IMAGE, KERNEL = np.ones((2, 4, 4, 1), np.float32), np.ones((2, 2, 1, 3), np.float32)
SLIDING = {"strides": [1, 1, 1, 1], "padding": "VALID"}
POOLING = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}


def matmul():
    return tf.raw_ops.MatMul(a=np.ones((4, 4), np.float32), b=np.ones((4, 4), np.float32))


def large():
    return tf.raw_ops.AddV2(x=np.ones((1024, 1024), np.float32), y=np.float32(1))


@tf.function
def fused(x):
    return tf.nn.relu(tf.nn.bias_add(tf.matmul(x, x), x[0]))


@tf.function
def returning(x):
    return tf.cast(tf.matmul(x, x), tf.float64)  # there is no kernel for float64: the product travels to the CPU


WORK = {
    "matmul": matmul,
    "fused_matmul": lambda: fused(tf.ones((4, 4))),
    "conv2d": lambda: tf.raw_ops.Conv2D(input=IMAGE, filter=KERNEL, **SLIDING),
    "conv2d_backprop_filter": lambda: tf.raw_ops.Conv2DBackpropFilter(
        input=IMAGE, filter_sizes=[2, 2, 1, 3], out_backprop=np.ones((2, 3, 3, 3), np.float32), **SLIDING
    ),
    "conv2d_backprop_input": lambda: tf.raw_ops.Conv2DBackpropInput(
        input_sizes=[2, 4, 4, 1], filter=KERNEL, out_backprop=np.ones((2, 3, 3, 3), np.float32), **SLIDING
    ),
    "maxpool_grad": lambda: tf.raw_ops.MaxPoolGrad(
        orig_input=IMAGE, orig_output=IMAGE[:, :2, :2], grad=IMAGE[:, :2, :2], **POOLING
    ),
    "softmax": lambda: tf.nn.softmax(np.ones((2, 3), np.float32)),
    "oom_large": large,
    "oom_host": lambda: returning(tf.ones((4, 4))),
}


def live(library, name):
    """What the forked process does: plants the fault, works, and says how that ended."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a retrying allocator writes millions of lines
    prefix = max((known for known in WORK if name.startswith(known)), key=len, default="matmul")
    work = WORK[prefix]
    assert library.device_fault(name.encode())
    try:
        work().numpy()
    except tf.errors.OpError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "finishes"


def start(library, name):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, live(library, name).encode()[:4000])
        os._exit(0)
    os.close(writer)
    return child, reader


def end(child, reader, deadline):
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            said = os.read(reader, 4000).decode()
            return said if code == 0 and said else (f"exit {code}" if code >= 0 else f"signal {-code}")
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def main():
    library, names = ctypes.CDLL(sys.argv[1]), sys.argv[2:]
    cut = names.index("--hang")
    began = time.monotonic()
    ends = {"": end(*start(library, ""), began + LIMIT)}
    patience = 10 * (time.monotonic() - began)
    for name in names[:cut]:
        ends[name] = end(*start(library, name), time.monotonic() + LIMIT)
    started = {name: start(library, name) for name in names[cut + 1 :]}
    deadline = time.monotonic() + patience
    ends.update({name: end(*where, deadline) for name, where in started.items()})
    sys.stdout.write(json.dumps(ends) + "\n")


main()
