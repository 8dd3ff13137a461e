"""Products of matrices and stacks of them, transposed, broadcast, or written as an Einstein sum."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.sums import Sums, linear_fill
from battery.values import draw_for, whole_numbers

PRODUCTS = {
    # name: (code, sum, shape of x, shape of w, level, level compiled)
    "batch": ("tf.matmul(x, w)", "bij,bjk->bik", (3, 17, 70), (3, 70, 9), "quick", "standard"),
    "batch_b": ("tf.matmul(x, w, transpose_b=True)", "bhij,bhkj->bhik", (2, 3, 7, 18), (2, 3, 9, 18), "quick"),
    "scores": ("tf.einsum('bqhd,bkhd->bhqk', x, w)", "bqhd,bkhd->bhqk", (2, 7, 3, 18), (2, 9, 3, 18), "quick"),
    # no length tells rows from columns, or one stack from the other
    "square": (
        "tf.matmul(x, w, transpose_a=True, transpose_b=True)", "abji,abkj->abik", (3, 3, 9, 9), (3, 3, 9, 9), "quick", "standard",
    ),
    "broadcast": ("tf.matmul(x, w)", "aij,bjk->abik", (2, 1, 5, 6), (4, 6, 7), "quick", "standard"),
    "projection": ("tf.einsum('bij,jk->bik', x, w)", "bij,jk->bik", (3, 5, 18), (18, 18), "quick", "standard"),
    "order": ("tf.einsum('abc,cd->bad', x, w)", "abc,cd->bad", (3, 3, 33), (33, 5), "quick", "standard"),
    "rows": ("tf.einsum('ij,ij->i', x, w)", "ij,ij->i", (7, 33), (7, 33), "quick", "standard"),
    "a": ("tf.matmul(x, w, transpose_a=True)", "ji,jk->ik", (33, 7), (33, 18), "quick", "full"),
    "b": ("tf.matmul(x, w, transpose_b=True)", "ij,kj->ik", (7, 33), (18, 33), "quick", "standard"),
    "ab": ("tf.matmul(x, w, transpose_a=True, transpose_b=True)", "ji,kj->ik", (33, 7), (18, 33), "standard", "full"),
    "batch_a": ("tf.matmul(x, w, transpose_a=True)", "bji,bjk->bik", (5, 33, 7), (5, 33, 6), "standard", "full"),
    "shared": ("tf.matmul(x, w)", "bij,jk->bik", (3, 5, 18), (1, 18, 7), "standard", "full"),
    "many": ("tf.matmul(x, w)", "bij,bjk->bik", (66001, 2, 2), (66001, 2, 2), "standard", "full"),  # beyond 2^16
    "context": ("tf.einsum('bhqk,bkhd->bqhd', x, w)", "bhqk,bkhd->bqhd", (2, 3, 7, 9), (2, 9, 3, 18), "standard", "full"),
    "heads": ("tf.einsum('abc,cde->abde', x, w)", "abc,cde->abde", (2, 5, 18), (18, 3, 4), "standard", "full"),
    "whole": ("tf.einsum('ij,ji->', x, w)", "ij,ji->", (7, 33), (33, 7), "standard"),  # the trace of a product
    "outer": ("tf.einsum('i,j->ij', x, w)", "i,j->ij", (17,), (33,), "standard", "full"),
    "tensordot": ("tf.tensordot(x, w, axes=1)", "abj,jc->abc", (3, 5, 33), (33, 6), "standard"),
    "tensordot2": ("tf.tensordot(x, w, axes=[[1, 2], [2, 0]])", "aij,jci->ac", (7, 5, 9), (9, 4, 5), "standard", "full"),
    "vector": ("tf.linalg.matvec(x, w)", "bij,bj->bi", (3, 17, 33), (3, 33), "standard"),
}  # fmt: skip


def cases():
    return [product(name, *row) for name, row in PRODUCTS.items()] + list(diagonals())


def product(name, code, equation, x, w, level, graph=None):
    identity = "matmul/" + name

    def make():
        contraction = Contraction(equation, x, w, "Einsum" if "einsum" in code else operation(x))
        draw, labels = draw_for(identity), ("int",) if name == "many" else ("int", "real")
        return [linear_fill(label, contraction, (x, w), False, draw) for label in labels]

    shape = " x ".join("x".join(str(n) for n in sizes) for sizes in (x, w))
    return Case(identity, "MatMul" if len(x) == 2 else "BatchMatMulV2", shape, code, "xw", 2, make, level, graph)


def operation(x):
    return "MatMul" if len(x) < 3 else "BatchMatMulV2"


class Contraction(Sums):
    """An Einstein sum of two arrays and its gradients, which are Einstein sums again; axes of length 1 are left out."""

    over = {}

    def __init__(self, equation, x, w, op):
        inputs, self.y = equation.split("->")
        self.x, self.w = inputs.split(",")
        self.given = {"x": x, "w": w}
        sizes = dict(zip(self.x + self.w, squeezed(x) + squeezed(w)))
        self.ops = dict.fromkeys(("y", "dx", "dw"), op)
        self.axes = {"y": names(self.y), "dx": names(x), "dw": names(w)}
        self.counts = {
            "y": total(sizes, self.x + self.w, self.y),
            "dx": total(sizes, self.w + self.y, self.x),
            "dw": total(sizes, self.x + self.y, self.w),
        }
        self.out = tuple(sizes[letter] for letter in self.y)

    def forward(self, x, w):
        return contract(self.x, x, self.w, w, self.y)

    def backward(self, x, w, dy):
        dx, dw = contract(self.y, dy, self.w, w, self.x), contract(self.x, x, self.y, dy, self.w)
        return {"dx": dx.reshape(self.given["x"]), "dw": dw.reshape(self.given["w"])}


def contract(first, x, second, w, out):
    """numpy.einsum in float64; a letter of `out` that neither has is not supported, as no gradient needs one here."""
    x, w = (a.astype(np.float64).reshape(squeezed(a.shape)) for a in (x, w))
    return np.einsum("%s,%s->%s" % (first, second, out), x, w)


def squeezed(shape):
    return tuple(n for n in shape if n > 1)


def total(sizes, letters, kept):
    """How many products are summed into each element."""
    return int(np.prod([sizes[letter] for letter in set(letters) - set(kept)] or [1]))


def names(axes):
    """The last two axes are rows and columns, those before them stacks."""
    return ("stack", "stack", "stack", "row", "column")[5 - len(axes) :]


def diagonals():
    """Each diagonal, and its sum, whose gradients are diagonals."""
    yield diagonal(
        "trace", "tf.linalg.trace(x)", "MatrixDiagPartV3", lambda x: np.trace(x, axis1=1, axis2=2), "standard"
    )
    yield diagonal("diagonal", "tf.einsum('bii->bi', x)", "Einsum", lambda x: np.diagonal(x, axis1=1, axis2=2), "quick")


def diagonal(name, code, op, value, level):
    identity = "matmul/" + name

    def make():
        draw = draw_for(identity)
        x = whole_numbers(draw, (3, 17, 17), 9)
        y = value(x)
        upstream = whole_numbers(draw, y.shape, 3)
        dx = upstream.reshape(3, 1, -1) * np.eye(17)
        wants = {"y": bounds.integers(op, y, names(y.shape)), "dx": bounds.integers(op, dx, names(x.shape))}
        return [Fill("int", (x,), upstream, wants)]

    return Case(identity, op, "3x17x17", code, "x", 1, make, level, "standard")
