"""Multi-head self-attention with a causal mask, forward and backward, in float64 with a bound on float32's error."""

import math

import numpy as np

from battery.references.bounded import bounded, choose, softmax


def self_attention(x, weights, dy):
    """The output and the gradients of the input and of Keras's eight weights.

    These are kernel (features, heads, width) and bias (heads, width) of query, key and value, then those of the output
    (heads, width, features) and (features).
    """
    x, dy = bounded(x), bounded(dy)
    heads, samples, steps = weights[0].shape[1], x.shape[0], x.shape[1]
    kernels = [bounded(w).reshape(w.shape[0], -1) for w in weights[0:6:2]]
    q, k, v = (split(x @ w + b.reshape(-1), heads) for w, b in zip(kernels, weights[1:6:2]))
    scale = 1 / math.sqrt(q.shape[-1])
    allowed = np.tril(np.ones((steps, steps), bool))
    scores = q @ k.T * scale
    p = choose(allowed, softmax(choose(allowed, scores, -1e9)), 0.0)
    mixed = merged(p @ v)
    last = bounded(weights[6]).reshape(-1, weights[6].shape[-1])
    y = mixed @ last + weights[7]

    rows = dy.reshape(samples * steps, -1)
    dmixed = split(dy @ last.T, heads)
    dp = dmixed @ v.T
    dscores = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * scale
    upstream = [merged(d) for d in (dscores @ k, dscores.T @ q, p.T @ dmixed)]
    dx, found = 0.0, []
    for w, kernel, d in zip(weights[0:6:2], kernels, upstream):
        dx = d @ kernel.T + dx
        flat = d.reshape(samples * steps, -1)
        found += [(x.reshape(samples * steps, -1).T @ flat).reshape(*w.shape), flat.sum(axis=0).reshape(*w.shape[1:])]
    found += [(mixed.reshape(samples * steps, -1).T @ rows).reshape(*weights[6].shape), rows.sum(axis=0)]
    return y, [dx] + found


def split(x, heads):
    """(samples, steps, heads * width) to (samples, heads, steps, width)."""
    return x.reshape(x.shape[0], x.shape[1], heads, -1).swapped(1, 2)


def merged(x):
    x = x.swapped(1, 2)
    return x.reshape(x.shape[0], x.shape[1], -1)
