"""Faults planted below TensorFlow's public interface, through a `sitecustomize` that waits for its import.

Each is one that was really reported of a GPU plugin; the battery must not know that any of this exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HOOK = """
import builtins, inspect
kept, depth = builtins.__import__, [0]

def waiting(name, *given, **named):
    if name != "tensorflow":
        return kept(name, *given, **named)
    depth[0] += 1
    try:
        module = kept(name, *given, **named)
    finally:
        depth[0] -= 1
    if depth[0] == 0:
        builtins.__import__ = kept
        plant(module)
    return module

builtins.__import__ = waiting

def wrap(owner, name, around):
    inside = getattr(owner, name)
    def outer(*given, **named):  # callers differ in what they pass by name
        bound = inspect.signature(inside).bind(*given, **named)
        bound.apply_defaults()
        return around(inside, *bound.arguments.values())
    setattr(owner, name, outer)

def plant(tf):
    from tensorflow.python.ops import gen_nn_ops, nn_ops, nn_grad
"""

PLANTS = {
    "filter gradient loses the last output row": """
    def around(inside, x, sizes, dy, *a, **k):
        return inside(x, sizes, tf.concat([dy[:, :-1], tf.zeros_like(dy[:, -1:])], 1), *a, **k)
    wrap(gen_nn_ops, "conv2d_backprop_filter", around)
""",
    "filter gradient has its input channels shuffled": """
    wrap(gen_nn_ops, "conv2d_backprop_filter", lambda inside, *a, **k: tf.reverse(inside(*a, **k), [2]))
""",
    "input gradient is one column off": """
    wrap(gen_nn_ops, "conv2d_backprop_input", lambda inside, *a, **k: tf.roll(inside(*a, **k), 1, 2))
""",
    "pooling gradient is one column off": """
    wrap(gen_nn_ops, "max_pool_grad", lambda inside, *a, **k: tf.roll(inside(*a, **k), 1, 2))
""",
    "bias gradient misses the last sample": """
    def around(inside, dy, *a, **k):
        return inside(tf.concat([dy[:-1], tf.zeros_like(dy[-1:])], 0), *a, **k)
    wrap(gen_nn_ops, "bias_add_grad", around)
""",
    "compiled dense layers skip the ReLU": """
    def around(inside, x, *a, **k):
        compiled = not tf.executing_eagerly() and x.shape.rank == 2
        return tf.identity(x) if compiled else inside(x, *a, **k)
    for owner in (tf.nn, tf.compat.v2.nn, gen_nn_ops):
        wrap(owner, "relu", around)
""",
    "Adam has epsilon 1e-8": """
    start = tf.keras.optimizers.Adam.__init__
    def init(self, *a, **k):
        k.setdefault("epsilon", 1e-8)
        start(self, *a, **k)
    tf.keras.optimizers.Adam.__init__ = init
""",
    "convolution rounds its inputs to bfloat16": """
    def rounded(x):
        return tf.cast(tf.cast(x, tf.bfloat16), tf.float32)
    wrap(gen_nn_ops, "conv2d", lambda inside, x, w, *a, **k: inside(rounded(x), rounded(w), *a, **k))
""",
    "convolution returns its previous result of this shape": """
    before = {}
    def around(inside, x, w, *a, **k):
        y = inside(x, w, *a, **k)
        if not tf.executing_eagerly():
            return y
        stale = before.get(tuple(y.shape), y)
        before[tuple(y.shape)] = y
        return stale
    wrap(gen_nn_ops, "conv2d", around)
""",
    "softmax does not take off the maximum": """
    def softmax(z, *a, **k):
        e = tf.exp(z)
        return e / tf.reduce_sum(e, -1, keepdims=True)
    tf.nn.softmax = softmax
""",
    "import aborts": """
    import os, sys
    sys.stderr.write("2024-05-02 F tensorflow/c/c_api_experimental.cc:739] Non-OK-status: status\\n")
    sys.stderr.flush()
    os.abort()
""",
    "the first compiled convolution never ends": """
    import time
    def around(inside, *a, **k):
        if not tf.executing_eagerly():
            time.sleep(600)
        return inside(*a, **k)
    wrap(gen_nn_ops, "conv2d", around)
""",
}


def planted(name: str, folder: Path) -> str:
    """A folder for PYTHONPATH in which the fault lies."""
    (folder / "sitecustomize.py").write_text(HOOK + PLANTS[name])
    return str(folder)
