"""Scaled dot-product attention with a causal mask, written with public operations: what larger models are made of."""

import numpy as np

from battery.case import Case, Fill
from battery.families.fused import STRUCTURE
from battery.references.attending import Attention
from battery.values import draw_for, real_numbers, whole_numbers
from battery.wants import U, Want

CODE = "tf.matmul(tf.nn.softmax(0.25 * tf.matmul(q, k, transpose_b=True) + mask), v)"
EINSUM = "tf.einsum('bhqk,bhkd->bhqd', tf.nn.softmax(0.25 * tf.einsum('bhqd,bhkd->bhqk', q, k) + mask), v)"
MASKED = -1e9
"""The value in use for what may not be seen; its probability is exactly 0."""
AXES = ("sample", "head", "position", "feature")
GRADIENT_OPS = {"dq": "BatchMatMulV2", "dk": "BatchMatMulV2", "dv": "BatchMatMulV2"}


def cases():
    return [
        attention("causal", CODE, (2, 3, 9, 16), 9, "quick"),
        attention("einsum", EINSUM, (2, 3, 9, 16), 9, "standard"),
        attention("cross", CODE, (3, 2, 7, 18), 33, "standard", causal=False),
        attention("long", CODE, (1, 2, 130, 16), 130, "standard"),
    ]


def attention(name, code, shape, keys, level, causal=True):
    """`shape` is that of the queries: sample, head, position, feature."""
    identity = "dotproduct/" + name
    shapes = (shape, shape[:2] + (keys, shape[3]), shape[:2] + (keys, shape[3]))

    def make():
        draw = draw_for(identity)
        mask = np.zeros((shape[2], keys), np.float32)
        if causal:
            mask[np.triu_indices(shape[2], 1)] = MASKED
        return [fill(label, shapes, mask, draw) for label in ("int", "real")]

    text = "x".join(str(n) for n in shape) + ", %d keys%s" % (keys, ", causal" if causal else "")
    return Case(
        identity,
        "Attention",
        text,
        code,
        ("q", "k", "v", "mask"),
        3,
        make,
        level,
        "standard" if level == "quick" else "full",
    )


def fill(label, shapes, mask, draw):
    """ "int": exact scores, and what follows judged by its structure; "real": the derived limits."""
    if label == "int":
        q, k, v = (whole_numbers(draw, shape, high) for shape, high in zip(shapes, (2, 1, 3)))
        upstream = whole_numbers(draw, shapes[0], 3)
    else:
        q, k, v = (real_numbers(draw, shape) for shape in shapes)
        upstream = real_numbers(draw, shapes[0])
    found = Attention(q, k, v, mask, 0.25, exact=label == "int")
    parts = dict(found.backward(upstream), y=(found.y, found.y_limit, found.y_size, shapes[1][2]))
    wants = {name: want(label, name, *part) for name, part in parts.items()}
    return Fill(label, (q, k, v, mask), upstream, wants)


def want(label, name, value, limit, size, count):
    op = GRADIENT_OPS.get(name, "BatchMatMulV2+Softmax")
    if label == "int":
        return Want(op, value, limit + STRUCTURE * size, AXES)
    return Want(op, value, limit, AXES, scale=np.maximum(U * size, limit / 512) + 1e-30, products=count)
