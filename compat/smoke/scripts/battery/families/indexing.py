"""Picking by index: gather, embeddings, masks, slices. Indices repeat, and gradients that meet must add up.

Exact, gradients too: those that are added up are integers. One table has more than 2^16 rows.
"""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.families.moving import FEW, moved_fill
from battery.references.moves import NOWHERE, Moves
from battery.values import draw_for, real_numbers, whole_numbers

ROWS = 2**16 + 77


def picked(draw, highest, shape, count=None):
    """Indices with duplicates, the last and the first one among them."""
    found = draw.randint(0, count or highest, shape).astype(np.int32)
    found.flat[0], found.flat[-1] = highest - 1, 0
    return found


PICKS = {
    # name: (operation, its gradient's, code, shape, (highest index, shape of the indices), NumPy, level, compiled)
    "gather": (
        "GatherV2",
        "UnsortedSegmentSum",
        "tf.gather(x, i)",
        (17, 5),
        (17, (64,)),
        lambda p, i: p[i],
        "standard",
        "standard",
    ),
    "gather_columns": (
        "GatherV2",
        "UnsortedSegmentSum",
        "tf.gather(x, i, axis=1)",
        (17, 17),
        (17, (33,)),
        lambda p, i: p[:, i],
        "quick",
        "standard",
    ),
    "gather_batch": (
        "GatherV2",
        "UnsortedSegmentSum",
        "tf.gather(x, i, batch_dims=1)",
        (5, 17, 3),
        (17, (5, 33)),
        lambda p, i: np.stack([rows[j] for rows, j in zip(p, i)]),
        "standard",
        "standard",
    ),
    "embedding": (
        "GatherV2",
        "UnsortedSegmentSum",
        "tf.nn.embedding_lookup(x, i)",
        (33, 7),
        (33, (5, 20)),
        lambda p, i: p[i],
        "quick",
        "standard",
    ),
    "embedding_long": (
        "GatherV2",
        "UnsortedSegmentSum",
        "tf.nn.embedding_lookup(x, i)",
        (ROWS, 1),
        (ROWS, (130,)),
        lambda p, i: p[i],
        "quick",
        "standard",
    ),
    "gather_nd": (
        "GatherNd",
        "ScatterNd",
        "tf.gather_nd(x, i)",
        (5, 5, 3),
        (5, (33, 2)),
        lambda p, i: p[i[:, 0], i[:, 1]],
        "quick",
        "standard",
    ),
}
SLICES = {
    # name: (operation, its gradient's, code, shape, NumPy, level, level compiled)
    "slice_back": (
        "StridedSlice",
        "StridedSliceGrad",
        "x[::-1, 8:1:-3]",
        (5, 9, 3),
        lambda p: p[::-1, 8:1:-3],
        "quick",
        "standard",
    ),
    "slice_ellipsis": (
        "StridedSlice",
        "StridedSliceGrad",
        "x[1:, ..., -1, tf.newaxis]",
        (5, 9, 3),
        lambda p: p[1:, ..., -1, None],
        "standard",
        "standard",
    ),
    "slice": (
        "Slice",
        "Pad",
        "tf.slice(x, [1, 0, 2], [3, -1, 1])",
        (5, 9, 4),
        lambda p: p[1:4, :, 2:3],
        "standard",
        "standard",
    ),
}


def cases():
    found = [pick(name, *row) for name, row in PICKS.items()] + [sliced(name, *row) for name, row in SLICES.items()]
    return found + [masked(), chosen(), chosen_constant(), partitioned(), stitched(), one_hot(), masks(), where_is()]


def pick(name, op, back, code, shape, indices, move, level, graph):
    identity = "index/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        i = picked(draw, indices[0], indices[1])
        if shape[0] == ROWS:
            i[1::2] = i[1::2] % 7 + 2**16  # half of them where a 16-bit index has wrapped, some more than once
        return moved_fill(Moves([shape], lambda p: move(p, i)), (op, back), draw, extra=(i,))

    return Case(identity, op, "x".join(map(str, shape)), code, "xi", 1, make, level, graph)


def sliced(name, op, back, code, shape, move, level, graph):
    identity = "index/" + name

    def make():
        draw = draw_for(identity)
        return [moved_fill(Moves([shape], move), (op, back), draw) for _ in range(2)]

    return Case(identity, op, "x".join(map(str, shape)), code, "x", 1, make, level, graph)


def masked():
    """Forward alone: its gradient, that of a gather, has a shape that XLA does not know."""

    def make():
        draw = draw_for("index/boolean_mask")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x, mask = real_numbers(draw, (13, 11, 3)), np.zeros((13, 11), bool)
        mask.flat[draw.permutation(143)[:90]] = True  # always as many, so that the output keeps its shape
        return Fill("exact", (x, mask), None, {"y": bounds.exact("GatherV2", x[mask])})

    return Case("index/boolean_mask", "GatherV2", "13x11x3", "tf.boolean_mask(x, m)", "xm", 0, make, "standard")


def chosen():
    """Three shapes that broadcast; each gradient stops where the other was chosen."""

    def make():
        draw = draw_for("index/where")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        mask = draw.randint(0, 2, (33, 1)).astype(bool)
        moves = Moves([(33, 33), (33,)], lambda p, q: np.where(mask, p, q))
        return moved_fill(moves, ("SelectV2", "SelectV2"), draw, extra=(mask,))

    return Case("index/where", "SelectV2", "33x33, 33", "tf.where(m, x, y)", "xym", 2, make, "quick", "standard")


def chosen_constant():
    """A condition of full size, and a number for what it leaves out."""

    def make():
        draw = draw_for("index/where_constant")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        mask = draw.randint(0, 2, (5, 70)).astype(bool)
        moves = Moves([(5, 70)], lambda p: np.where(mask, p, NOWHERE))
        return moved_fill(moves, ("SelectV2", "SelectV2"), draw, extra=(mask,), constant=0.5)

    return Case("index/where_constant", "SelectV2", "5x70", "tf.where(m, x, 0.5)", "xm", 1, make, "standard")


def where_is():
    def make():
        draw = draw_for("index/where_is")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        mask = np.zeros((33, 17), bool)
        mask.flat[draw.permutation(33 * 17)[:70]] = True
        return Fill("exact", (mask,), None, {"y": bounds.exact("Where", np.argwhere(mask))})

    return Case("index/where_is", "Where", "33x17", "tf.where(m)", "m", 0, make, "standard", dtype="bool")


def partitioned():
    def make():
        draw = draw_for("index/partition")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        part = draw.permutation(33).astype(np.int32) % 3
        moves = Moves([(33, 5)], lambda p: [p[part == k] for k in range(3)])
        return moved_fill(moves, ("DynamicPartition", "DynamicStitch"), draw, extra=(part,))

    code, outputs = "tf.dynamic_partition(x, i, 3)", ("y0", "y1", "y2")
    return Case("index/partition", "DynamicPartition", "33x5", code, "xi", 1, make, "standard", outputs=outputs)


def stitched():
    def make():
        draw = draw_for("index/stitch")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        places = draw.permutation(33).astype(np.int32)
        moves = Moves([(20, 5), (13, 5)], lambda p, q: np.concatenate([p, q])[np.argsort(places)])
        return moved_fill(moves, ("DynamicStitch", "GatherV2"), draw, extra=(places,))

    code = "tf.dynamic_stitch([i[:20], i[20:]], [x, y])"
    return Case("index/stitch", "DynamicStitch", "20x5, 13x5", code, "xyi", 2, make, "standard")


def one_hot():
    """Indices out of range give no hot value at all."""

    def make():
        draw = draw_for("index/one_hot")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        i = picked(draw, 33, (5, 33))
        i[2, 3], i[3, 3] = -1, 33
        hot = i[:, :, None] == np.arange(33)
        wants = {"y": bounds.exact("OneHot", hot)}
        wants["z"] = bounds.exact("OneHot", np.where(hot, 5.0, -0.5).transpose(0, 2, 1))
        return Fill("exact", (i,), None, wants)

    code = "(tf.one_hot(i, 33), tf.one_hot(i, 33, on_value=5.0, off_value=-0.5, axis=1))"
    return Case("index/one_hot", "OneHot", "5x33 -> 33", code, "i", 0, make, "quick", "standard", outputs="yz")


def masks():
    def make():
        draw = draw_for("index/sequence_mask")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        lengths = draw.permutation(33)[:9].astype(np.int32)
        return Fill("exact", (lengths,), None, {"y": bounds.exact("Less", np.arange(33) < lengths[:, None])})

    code = "tf.sequence_mask(i, 33)"
    return Case("index/sequence_mask", "Less", "9 -> 33", code, "i", 0, make, "standard", dtype="int32")
