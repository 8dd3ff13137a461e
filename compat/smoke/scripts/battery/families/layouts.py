"""Operations that lay values out anew, leave some out or fill in: padding, tiles, bands, diagonals, blocks. As `moving`."""

import numpy as np

from battery.families.moving import moved_cases
from battery.references.moves import NOWHERE


def padded(mode):
    filled = {"constant_values": NOWHERE} if mode == "constant" else {}
    return lambda p: np.pad(p, ((2, 1), (0, 3), (1, 0)), mode, **filled)


def band(p):
    row, column = np.indices(p.shape[-2:])
    return np.where((row - column <= 1) & (column - row <= 2), p, NOWHERE)


def diagonal(p):
    return np.where(np.eye(p.shape[-1], dtype=bool), p[..., None, :], NOWHERE)


def to_depth(p, block):
    n, h, w, c = p.shape
    blocks = p.reshape(n, h // block, block, w // block, block, c)
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(n, h // block, w // block, -1)


def from_depth(p, block):
    n, h, w, c = p.shape
    blocks = p.reshape(n, h, w, block, block, c // block**2)
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(n, h * block, w * block, -1)


def to_batch(p):
    n, h, w, c = p.shape
    p = np.pad(p, ((0, 0), (0, 1), (1, 0), (0, 0)), "constant", constant_values=NOWHERE)
    blocks = p.reshape(n, (h + 1) // 2, 2, (w + 1) // 2, 2, c)
    return blocks.transpose(2, 4, 0, 1, 3, 5).reshape(-1, (h + 1) // 2, (w + 1) // 2, c)


PADS = "[[2, 1], [0, 3], [1, 0]]"
LAYOUTS = {
    # as moving.MOVES
    "pad": ("Pad", "Slice", "tf.pad(x, %s)" % PADS, [(5, 7, 3)], padded("constant"), 1, "quick", "standard"),
    "pad_reflect": (
        "MirrorPad",
        "MirrorPadGrad",
        "tf.pad(x, %s, 'REFLECT')" % PADS,
        [(5, 7, 3)],
        padded("reflect"),
        1,
        "standard",
        "standard",
    ),
    "pad_symmetric": (
        "MirrorPad",
        "MirrorPadGrad",
        "tf.pad(x, %s, 'SYMMETRIC')" % PADS,
        [(5, 7, 3)],
        padded("symmetric"),
        1,
        "standard",
        "standard",
    ),
    "tile": (
        "Tile",
        "Sum",
        "tf.tile(x, [2, 3, 5])",
        [(5, 1, 7)],
        lambda p: np.tile(p, (2, 3, 5)),
        1,
        "quick",
        "standard",
    ),
    "repeat": (
        "GatherV2",
        "Sum",
        "tf.repeat(x, 3, axis=1)",
        [(5, 7)],
        lambda p: np.repeat(p, 3, axis=1),
        1,
        "standard",
        "standard",
    ),
    "broadcast": (
        "BroadcastTo",
        "Sum",
        "tf.broadcast_to(x, [3, 33, 33])",
        [(33, 1)],
        lambda p: np.broadcast_to(p, (3, 33, 33)),
        1,
        "standard",
        "standard",
    ),
    "band_part": (
        "MatrixBandPart",
        "MatrixBandPart",
        "tf.linalg.band_part(x, 1, 2)",
        [(2, 7, 9)],
        band,
        1,
        "standard",
        "standard",
    ),
    "diag": ("MatrixDiagV3", "MatrixDiagPartV3", "tf.linalg.diag(x)", [(3, 7)], diagonal, 1, "standard", "standard"),
    "diag_part": (
        "MatrixDiagPartV3",
        "MatrixDiagV3",
        "tf.linalg.diag_part(x)",
        [(2, 7, 9)],
        lambda p: np.diagonal(p, axis1=1, axis2=2),
        1,
        "standard",
        "standard",
    ),
    "meshgrid": (
        "Mul",
        "Sum",
        "tf.meshgrid(x, y)",
        [(7,), (5,)],
        lambda p, q: np.meshgrid(p, q),
        2,
        "standard",
        "standard",
    ),
    "space_to_depth": (
        "SpaceToDepth",
        "DepthToSpace",
        "tf.nn.space_to_depth(x, 2)",
        [(3, 6, 4, 5)],
        lambda p: to_depth(p, 2),
        1,
        "standard",
        "standard",
    ),
    "depth_to_space": (
        "DepthToSpace",
        "SpaceToDepth",
        "tf.nn.depth_to_space(x, 2)",
        [(3, 3, 2, 12)],
        lambda p: from_depth(p, 2),
        1,
        "standard",
        "standard",
    ),
    "space_to_batch": (
        "SpaceToBatchND",
        "BatchToSpaceND",
        "tf.space_to_batch(x, [2, 2], [[0, 1], [1, 0]])",
        [(3, 7, 5, 2)],
        to_batch,
        1,
        "standard",
        "standard",
    ),
}


def cases():
    return moved_cases(LAYOUTS)
