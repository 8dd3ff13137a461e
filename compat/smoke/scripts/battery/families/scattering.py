"""Placing by index: scatter and tensor updates. Where indices repeat, what meets adds up (or is compared); all exact."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.families.indexing import picked
from battery.families.moving import FEW, moved_fill
from battery.references.moves import Moves
from battery.values import draw_for, real_numbers, whole_numbers

UPDATES = {
    # name: (operation, code, NumPy, whether indices may repeat, level)
    "update": ("TensorScatterUpdate", "tf.tensor_scatter_nd_update(x, i, u)", None, False, "standard"),
    "add": ("TensorScatterAdd", "tf.tensor_scatter_nd_add(x, i, u)", np.add, True, "quick"),
    "sub": ("TensorScatterSub", "tf.tensor_scatter_nd_sub(x, i, u)", np.subtract, True, "standard"),
    "max": ("TensorScatterMax", "tf.tensor_scatter_nd_max(x, i, u)", np.maximum, True, "standard"),
    "min": ("TensorScatterMin", "tf.tensor_scatter_nd_min(x, i, u)", np.minimum, True, "standard"),
}


def cases():
    found = [scatter(), scatter_columns(), updated_elements()]
    return found + [updated(name, *row) for name, row in UPDATES.items()]


def scatter():
    """The transpose of a gather: rows with the same index add up, those without are 0."""

    def make():
        draw = draw_for("index/scatter")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        i, x, upstream = picked(draw, 17, (33, 1)), whole_numbers(draw, (33, 5), FEW), real_numbers(draw, (17, 5))
        gather = Moves([(17, 5)], lambda p: p[i[:, 0]])
        wants = {"y": bounds.exact("ScatterNd", gather.backward([x])[0])}
        wants["dx"] = bounds.exact("GatherNd", gather.forward([upstream])[0])
        return Fill("exact", (x, i), upstream, wants)

    code = "tf.scatter_nd(i, x, [17, 5])"
    return Case("index/scatter", "ScatterNd", "33x5 -> 17x5", code, "xi", 1, make, "quick", "standard")


def scatter_columns():
    """Into single elements, by two indices."""

    def make():
        draw = draw_for("index/scatter_elements")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        i, x = picked(draw, 7, (130, 2)), whole_numbers(draw, (130,), FEW)
        y = np.zeros((7, 7))
        np.add.at(y, (i[:, 0], i[:, 1]), x)
        return Fill("exact", (x, i), None, {"y": bounds.exact("ScatterNd", y)})

    code = "tf.scatter_nd(i, x, [7, 7])"
    return Case("index/scatter_elements", "ScatterNd", "130 -> 7x7", code, "xi", 0, make, "standard")


def updated(name, op, code, combine, repeat, level):
    """Rows of a matrix replaced, added to, taken from, or compared with."""
    identity, linear = "index/" + name, combine in (None, np.add)

    def make():
        draw = draw_for(identity)
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        i = picked(draw, 17, (33, 1)) if repeat else draw.permutation(17)[:9].astype(np.int32).reshape(9, 1)
        x, u = whole_numbers(draw, (17, 5), FEW), whole_numbers(draw, (len(i), 5), FEW)
        y = x.astype(np.float64)
        if combine is None:
            y[i[:, 0]] = u
        else:
            combine.at(y, i[:, 0], u)
        wants = {"y": bounds.exact(op, y)}
        upstream = real_numbers(draw, y.shape) if linear else None
        if linear:
            dx = upstream.copy()
            dx[i[:, 0]] *= combine is not None
            wants.update(dx=bounds.exact(op, dx), du=bounds.exact("GatherNd", upstream[i[:, 0]]))
        return Fill("exact", (x, u, i), upstream, wants)

    return Case(identity, op, "17x5", code, "xui", 2 if linear else 0, make, level, "standard")


def updated_elements():
    """Single elements of a square, by row and column."""

    def make():
        draw = draw_for("index/update_elements")
        return [fill(draw) for _ in range(2)]

    def fill(draw):
        places = draw.permutation(81)[:17]
        i = np.stack([places // 9, places % 9], axis=1).astype(np.int32)

        def move(p, q):
            p = p.copy()
            p.flat[places] = q
            return p

        moves = Moves([(9, 9), (17,)], move)
        return moved_fill(moves, ("TensorScatterUpdate", "TensorScatterUpdate"), draw, extra=(i,))

    code = "tf.tensor_scatter_nd_update(x, i, y)"
    return Case("index/update_elements", "TensorScatterUpdate", "9x9, 17", code, "xyi", 2, make, "standard")
