"""What puts values in order or finds their place: sort, top_k, argmax, searchsorted. No ties, but where they are the question.

Lengths around 16, where sorting networks end (tensorflow#51499: zeros from the 17th place on), and beyond 2^16.
"""

import numpy as np

from battery import bounds
from battery.case import CONVENTION, Case, Fill
from battery.families.moving import moved_fill
from battery.families.reductions import LONG
from battery.references.moves import Moves
from battery.values import draw_for, permutation
from battery.wants import Claim

FAR = 2**25
"""Whole numbers beyond it differ by less than float32 can tell."""
PLACES = {
    # name: (operation, code, shape, axis, level, level compiled)
    "argmax_long": ("ArgMax", "tf.argmax(x)", (LONG, 1), 0, "quick", "standard"),
    "argmax_last": ("ArgMax", "tf.argmax(x, axis=-1)", (33, 33), 1, "standard", "standard"),
    "argmax_first": ("ArgMax", "tf.argmax(x, axis=0, output_type=tf.int32)", (33, 33), 0, "standard", "standard"),
    "argmin_long": ("ArgMin", "tf.argmin(x)", (LONG, 1), 0, "standard", "standard"),
    "argmin_last": ("ArgMin", "tf.argmin(x, axis=-1)", (3, 1031), 1, "standard", "standard"),
}
ORDERS = {
    # name: (code, its operation, shape, axis, descending, kept, level, level compiled)
    "sort_17": ("tf.sort(x)", (3, 17), 1, False, None, "standard", "standard"),
    "sort_descending": ("tf.sort(x, direction='DESCENDING')", (5, 33), 1, True, None, "standard", "standard"),
    "sort_1000": ("tf.sort(x)", (2, 1000), 1, False, None, "standard", "standard"),
    "sort_first": ("tf.sort(x, axis=0)", (33, 33), 0, False, None, "standard", "standard"),
    "top_5": ("tf.math.top_k(x, 5).values", (3, 17), 1, True, 5, "standard", "standard"),
    "top_20": ("tf.math.top_k(x, 20).values", (5, 33), 1, True, 20, "quick", "standard"),
    "top_20_of_1000": ("tf.math.top_k(x, 20).values", (3, 1000), 1, True, 20, "standard", "standard"),
}


def cases():
    found = [place(name, *row) for name, row in PLACES.items()] + [order(name, *row) for name, row in ORDERS.items()]
    found += [ranks(name, *row) for name, row in RANKS.items()]
    return found + [equals(), in_top(), bisected(), distinct(), reordered()]


def place(name, op, code, shape, axis, level, graph):
    """Along a long axis the winner sits beyond 2^16, where a 16-bit index has wrapped."""
    identity = "order/" + name
    winner = np.argmax if op == "ArgMax" else np.argmin

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = permutation(draw, shape, -int(np.prod(shape)) // 2)
        if LONG in shape:
            at, other = int(winner(x)), int(draw.randint(2**16, LONG))
            x[[at, other]] = x[[other, at]]
        return Fill("exact", (x,), None, {"y": bounds.exact(op, winner(x, axis=axis))})

    return Case(identity, op, "x".join(map(str, shape)), code, "x", 0, make, level, graph)


def equals():
    """Every maximum is as good as the first, which is what TensorFlow answers."""

    def make():
        x = draw_for("order/argmax_equals").randint(-5, 1, (33, 65)).astype(np.float32)
        largest = Claim("ArgMax", (33,), lambda places: at_the_top(x, places))
        wants = {"exact": largest, CONVENTION: bounds.exact("ArgMax", x.argmax(axis=1))}
        return [Fill(label, (x,), None, {"y": want}) for label, want in wants.items()]

    return Case("order/argmax_equals", "ArgMax", "33x65", "tf.argmax(x, axis=1)", "x", 0, make, "standard", "full")


def at_the_top(x, places):
    inside = (places >= 0) & (places < x.shape[1])
    found = x[np.arange(len(x)), np.where(inside, places, 0).astype(int)]
    wrong = ~inside | (found < x.max(axis=1))
    return 2.0 * wrong.any(), "%d of %d places are not those of a maximum" % (wrong.sum(), wrong.size)


def order(name, code, shape, axis, descending, kept, level, graph):
    """Sorted values and their gradient, which goes back to where each came from."""
    identity = "order/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = permutation(draw, shape, -int(np.prod(shape)) // 2)

        def move(positions):
            places = np.argsort(-x if descending else x, axis=axis)
            return np.take_along_axis(positions, places, axis=axis)[..., :kept]

        return moved_fill(Moves([shape], move), ("TopKV2", "ScatterNd"), draw, (x,))

    return Case(identity, "TopKV2", "x".join(map(str, shape)), code, "x", 1, make, level, graph)


RANKS = {
    # name: (code, shape, type, axis, descending, kept, level)
    "argsort": ("tf.argsort(x)", (33, 33), np.float32, 1, False, None, "quick"),
    "argsort_stable": (
        "tf.argsort(x, axis=0, direction='DESCENDING', stable=True)",
        (130, 3),
        np.float32,
        0,
        True,
        None,
        "standard",
    ),
    "argsort_int32": ("tf.argsort(x)", (3, 17), np.int32, 1, False, None, "standard"),
    "top_20_places": ("tf.math.top_k(x, 20).indices", (3, 1000), np.float32, 1, True, 20, "quick"),
    "top_5_int32": ("tf.math.top_k(x, 5).indices", (3, 17), np.int32, 1, True, 5, "standard"),
}


def ranks(name, code, shape, dtype, axis, descending, kept, level):
    """Where the sorted values were."""
    identity = "order/" + name

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = permutation(draw, shape, -int(np.prod(shape)) // 2).astype(dtype)
        x = x + np.where(x < 0, -FAR, FAR).astype(dtype) if dtype is np.int32 else x
        places = np.argsort(-x if descending else x, axis=axis, kind="stable")[..., :kept]
        return Fill("exact", (x,), None, {"y": bounds.exact("TopKV2", places)})

    text = "x".join(map(str, shape))
    return Case(identity, "TopKV2", text, code, "x", 0, make, level, "standard", dtype=np.dtype(dtype).name)


def in_top():
    """Whether the label is among the best 5: one rank on either side of the limit."""

    def make():
        draw = draw_for("order/in_top")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = np.stack([draw.permutation(33) for _ in range(9)]).astype(np.float32)
        ranked = np.argsort(-x, axis=1)
        rank = np.array([0, 4, 5, 32, 3, 6, 4, 5, 1])
        labels = ranked[np.arange(9), rank].astype(np.int32)
        return Fill("exact", (labels, x), None, {"y": bounds.exact("InTopKV2", rank < 5)})

    return Case("order/in_top", "InTopKV2", "9x33", "tf.math.in_top_k(t, x, 5)", "tx", 0, make, "standard")


def bisected():
    """Some queries hit a value exactly: that is what the two sides differ in."""

    def make():
        draw = draw_for("order/searchsorted")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        rows = np.sort(draw.permutation(5000)[:2000].reshape(2, 1000).astype(np.float32), axis=1)
        queries = np.concatenate([rows[:, 3::31], draw.randint(-5, 5005, (2, 33)).astype(np.float32)], axis=1)
        wants = {
            side: bounds.exact(op, np.stack([np.searchsorted(row, q, side) for row, q in zip(rows, queries)]))
            for side, op in (("left", "LowerBound"), ("right", "UpperBound"))
        }
        return Fill("exact", (rows, queries), None, wants)

    code = "(tf.searchsorted(x, q), tf.searchsorted(x, q, side='right'))"
    outputs = ("left", "right")
    return Case("order/searchsorted", "LowerBound", "2x1000", code, "xq", 0, make, "standard", outputs=outputs)


def distinct():
    """The distinct values in the order they appear, and which of them each element is."""

    def make():
        draw = draw_for("order/unique")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        x = np.concatenate([draw.permutation(40), draw.randint(0, 40, 90)]).astype(np.int64) - 20
        x = x + np.where(x < 0, -FAR, FAR).astype(np.int64)
        wants = {
            "y": bounds.exact("Unique", x[:40]),
            "i": bounds.exact("Unique", np.argmax(x[:, None] == x[:40], axis=1)),
            "n": bounds.exact("UniqueWithCounts", (x[:, None] == x[:40]).sum(axis=0)),
        }
        return Fill("exact", (x,), None, wants)

    code = "(*tf.unique(x), tf.unique_with_counts(x).count)"
    return Case("order/unique", "Unique", "130", code, "x", 0, make, "standard", outputs="yin", dtype="int64")


def reordered():
    """argsort and gather by what it found, as layers do (tensorflow#60616)."""

    def make():
        draw = draw_for("order/by_score")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        scores, x = permutation(draw, (3, 33), -50), draw.standard_normal((3, 33, 2)).astype(np.float32)
        places = np.argsort(-scores, axis=1)
        moves = Moves([x.shape], lambda p: np.take_along_axis(p, places[:, :, None], axis=1))
        return moved_fill(moves, ("GatherV2", "ScatterNd"), draw, (x,), (scores,))

    code = "tf.gather(x, tf.argsort(s, direction='DESCENDING'), batch_dims=1)"
    return Case("order/by_score", "GatherV2", "3x33x2", code, "xs", 1, make, "standard")
