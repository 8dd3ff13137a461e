"""The layers that multiply, look up, move or count."""

import numpy as np

from battery.programs.layers.layer import Layer


def dense(x, weights, dy):
    w, b = (weight.astype(np.float64) for weight in weights)
    return x @ w + b, [dy @ w.T, x.T @ dy, dy.sum(axis=0)]


def embedding(ids, weights, dy):
    gradient = np.zeros(weights[0].shape)
    np.add.at(gradient, ids, dy)
    return weights[0][ids], [gradient]


def few_ids(draw, shape):
    return draw.randint(0, 5, shape).astype(np.int32)  # few, so that most come more than once


def upsampling(x, weights, dy):
    n, h, w, c = x.shape
    return x.repeat(2, axis=1).repeat(3, axis=2), [dy.reshape(n, h, 2, w, 3, c).sum(axis=(2, 4))]


def zero_padding(x, weights, dy):
    return np.pad(x, ((0, 0), (1, 2), (0, 3), (0, 0))), [dy[:, 1:-2, :-3]]


def global_average(x, weights, dy):
    pixels = x.shape[1] * x.shape[2]
    return x.mean(axis=(1, 2), dtype=np.float64), [np.broadcast_to(dy[:, None, None] / pixels, x.shape)]


def reshaped(shape):
    return lambda x, weights, dy: (x.reshape(shape), [dy.reshape(x.shape)])


def permuted(x, weights, dy):
    return x.transpose(0, 3, 1, 2), [dy.transpose(0, 2, 3, 1)]


def concatenated(x, weights, dy):
    return np.concatenate([x, 2 * x], axis=2), [dy[:, :, :5] + 2 * dy[:, :, 5:]]


BACK = ["BiasAddGrad"]
LAYERS = [
    Layer(
        "dense", ["MatMul"] * 3 + BACK, lambda tf: tf.keras.layers.Dense(9), (5, 13), (5, 9), [(13, 9), (9,)], dense,
    ),
    Layer(
        "embedding", ["GatherV2", "UnsortedSegmentSum"], lambda tf: tf.keras.layers.Embedding(9, 6), (4, 7), (4, 7, 6),
        [(9, 6)], embedding, draw=few_ids,
    ),
    Layer(
        "upsampling2d", ["ResizeNearestNeighbor", "ResizeNearestNeighborGrad"],
        lambda tf: tf.keras.layers.UpSampling2D((2, 3)), (2, 4, 3, 5), (2, 8, 9, 5), [], upsampling,
    ),
    Layer(
        "zeropadding2d", ["Pad", "Slice"], lambda tf: tf.keras.layers.ZeroPadding2D(((1, 2), (0, 3))), (2, 4, 3, 5),
        (2, 7, 6, 5), [], zero_padding,
    ),
    Layer(
        "globalaveragepooling2d", ["Mean", "Mean"], lambda tf: tf.keras.layers.GlobalAveragePooling2D(), (2, 4, 8, 5),
        (2, 5), [], global_average, unit=32,
    ),
    Layer("flatten", ["Reshape"] * 2, lambda tf: tf.keras.layers.Flatten(), (2, 3, 4, 5), (2, 60), [], reshaped((2, 60))),
    Layer(
        "reshape", ["Reshape"] * 2, lambda tf: tf.keras.layers.Reshape((4, 15)), (2, 3, 4, 5), (2, 4, 15), [],
        reshaped((2, 4, 15)),
    ),
    Layer(
        "permute", ["Transpose"] * 2, lambda tf: tf.keras.layers.Permute((3, 1, 2)), (2, 3, 4, 5), (2, 5, 3, 4), [], permuted,
    ),
    Layer(
        "concatenate", ["ConcatV2", "Slice"], lambda tf: tf.keras.layers.Concatenate(axis=2), (2, 3, 5), (2, 3, 10), [],
        concatenated, call=lambda layer, x: layer([x, 2 * x]),
    ),
]  # fmt: skip
