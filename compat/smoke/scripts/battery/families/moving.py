"""Operations that move values: exact to the last bit, forward; backward what was copied is added up, in integers.

Sizes are odd (rows padded to 16 bytes, blocks of 4 and 32), one has more than 2^16 elements. Axes that could be mistaken
for each other are equally long: otherwise such a fault would give another shape, and not go unseen.
"""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.references.moves import Moves
from battery.values import draw_for, real_numbers, whole_numbers

FEW = 2000
"""Height of the integers that are added up: past 11 bits, where float16 and TF32 round, and 2^13 of them stay exact."""


MOVES = {
    # name: (operation, its gradient's, code, shapes, the same in NumPy, number of outputs, level, level compiled)
    "transpose_nchw": (
        "Transpose",
        "Transpose",
        "tf.transpose(x, [0, 3, 1, 2])",
        [(3, 7, 7, 5)],
        lambda p: p.transpose(0, 3, 1, 2),
        1,
        "quick",
        "standard",
    ),
    "transpose_5d": (
        "Transpose",
        "Transpose",
        "tf.transpose(x, [3, 0, 4, 2, 1])",
        [(3, 2, 3, 3, 2)],
        lambda p: p.transpose(3, 0, 4, 2, 1),
        1,
        "standard",
        "standard",
    ),
    "transpose_twice": (
        "Transpose",
        "Transpose",
        "tf.transpose(tf.transpose(x, [0, 2, 1, 3]), [0, 3, 1, 2])",
        [(3, 5, 5, 5)],
        lambda p: p.transpose(0, 3, 2, 1),
        1,
        "standard",
        "standard",
    ),
    "transpose_long": (
        "Transpose",
        "Transpose",
        "tf.transpose(x)",
        [(257, 257)],
        lambda p: p.T,
        1,
        "standard",
        "standard",
    ),
    "transpose_nhwc": (
        "Transpose",
        "Transpose",
        "tf.transpose(x, [0, 2, 3, 1])",
        [(2, 33, 5, 17)],
        lambda p: p.transpose(0, 2, 3, 1),
        1,
        "standard",
        "standard",
    ),
    "transpose_heads": (
        "Transpose",
        "Transpose",
        "tf.transpose(x, [0, 2, 1, 3])",
        [(2, 5, 5, 4)],
        lambda p: p.transpose(0, 2, 1, 3),
        1,
        "standard",
        "standard",
    ),
    "matrix_transpose": (
        "Transpose",
        "Transpose",
        "tf.linalg.matrix_transpose(x)",
        [(3, 17, 17)],
        lambda p: p.transpose(0, 2, 1),
        1,
        "standard",
        "standard",
    ),
    "concat_last": (
        "ConcatV2",
        "Slice",
        "tf.concat([x, y, z], axis=-1)",
        [(3, 5, 7), (3, 5, 1), (3, 5, 33)],
        lambda *p: np.concatenate(p, axis=-1),
        1,
        "quick",
        "standard",
    ),
    "concat_first": (
        "ConcatV2",
        "Slice",
        "tf.concat([x, y], axis=0)",
        [(3, 7), (130, 7)],
        lambda *p: np.concatenate(p, axis=0),
        1,
        "standard",
        "standard",
    ),
    "split": (
        "Split",
        "ConcatV2",
        "tf.split(x, 3, axis=1)",
        [(5, 21, 3)],
        lambda p: np.split(p, 3, axis=1),
        3,
        "quick",
        "standard",
    ),
    "split_sizes": (
        "SplitV",
        "ConcatV2",
        "tf.split(x, [5, 1, 11], axis=-1)",
        [(5, 17)],
        lambda p: np.split(p, [5, 6], axis=-1),
        3,
        "standard",
        "standard",
    ),
    "stack": (
        "Pack",
        "Unpack",
        "tf.stack([x, y], axis=1)",
        [(2, 7)] * 2,
        lambda *p: np.stack(p, axis=1),
        1,
        "standard",
        "standard",
    ),
    "unstack": (
        "Unpack",
        "Pack",
        "tf.unstack(x, axis=1)",
        [(3, 3, 7)],
        lambda p: [p[:, k] for k in range(3)],
        3,
        "standard",
        "standard",
    ),
    "roll": (
        "Roll",
        "Roll",
        "tf.roll(x, [3, -2], [0, 1])",
        [(7, 9)],
        lambda p: np.roll(p, (3, -2), (0, 1)),
        1,
        "standard",
        "standard",
    ),
    "reverse": (
        "ReverseV2",
        "ReverseV2",
        "tf.reverse(x, [0, 2])",
        [(5, 3, 17)],
        lambda p: p[::-1, :, ::-1],
        1,
        "standard",
        "standard",
    ),
    "reshape": (
        "Reshape",
        "Reshape",
        "tf.reshape(x, [-1, 9])",
        [(3, 5, 21)],
        lambda p: p.reshape(-1, 9),
        1,
        "standard",
        "standard",
    ),
}


def cases():
    return moved_cases(MOVES)


def moved_cases(rows):
    """The cases of a table like MOVES."""
    return [moving("move/" + name, *row) for name, row in rows.items()]


def moving(identity, op, back, code, shapes, move, outputs, level, graph):
    names = "xyz"[: len(shapes)]

    def make():
        draw = draw_for(identity)
        moves = Moves(shapes, move)
        return [moved_fill(moves, (op, back), draw) for _ in range(2)]

    text = ", ".join("x".join(map(str, shape)) for shape in shapes)
    given = ("y",) if outputs == 1 else tuple("y%d" % k for k in range(outputs))
    return Case(identity, op, text, code, names, len(shapes), make, level, graph, given)


def moved_fill(moves, ops, draw, inputs=None, extra=(), constant=0.0):
    """Values with a full mantissa, where none are given; gradients that are added up are integers."""
    inputs = tuple(real_numbers(draw, shape) for shape in moves.shapes) if inputs is None else inputs
    adds = moves.repeats()
    upstream = [
        whole_numbers(draw, source.shape or (1,), FEW) if adds else real_numbers(draw, source.shape or (1,))
        for source in moves.sources
    ]
    upstream = [dy.reshape(source.shape) for dy, source in zip(upstream, moves.sources)]
    names = ["y%d" % k for k in range(len(upstream))] if moves.several else ["y"]
    wants = {name: bounds.exact(ops[0], y) for name, y in zip(names, moves.forward(inputs, constant))}
    for name, dx in zip("xyz", moves.backward(upstream)):
        wants["d" + name] = bounds.exact(ops[1], dx)
    return Fill("exact", tuple(inputs) + extra, upstream if moves.several else upstream[0], wants)
