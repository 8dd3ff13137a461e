"""Faults of operations that move data: concatenation, padding, slices, transposes, tiling. See `breadth_hooks`.

Integers of 32 bits are left alone: shapes are computed with them, on the host.
"""

import numpy as np
from breadth_hooks import GRAPH, both_ways, forward, kernel, normal, quick_kernel, spoil, stale_tail, tf

JOIN, CUT, MOVE = "concat, split, pad", "slices", "transposes, tiling, rearrangement"


def floating(call):
    return call.outputs[0].dtype.is_floating


def sized(*shapes):
    return [normal(*shape, seed=k) for k, shape in enumerate(shapes)]


# Joining and padding


def parts_of(call):
    named = call.named()
    return named["values"], named["axis"]


@kernel(
    "ConcatV2",
    family=JOIN,
    show=both_ways(lambda *p: tf.concat(p, 0), *sized((2, 3), (1, 3), (2, 3), (3, 3), (1, 3), (2, 3))),
)
def concat_beyond_four(call):
    """Of more than four parts the fifth and sixth of the same shape as the fourth repeat it, others are zero."""
    values, axis = parts_of(call)
    if len(values) <= 4 or not floating(call):
        return None
    return call.again(
        values=values[:4] + [values[3] if v.shape == values[3].shape else tf.zeros_like(v) for v in values[4:]]
    )


@kernel("ConcatV2", family=JOIN, show=both_ways(lambda a, b: tf.concat([a, b], -1), *sized((4, 3), (4, 5))))
def concat_last_axis_unaligned(call):
    """Along the last axis the first part is taken to be padded to a multiple of four: its last element is lost."""
    values, axis = parts_of(call)
    place = call.value("axis")
    y = call.outputs[0]
    if (
        not floating(call)
        or place is None
        or int(place) % y.shape.rank != y.shape.rank - 1
        or (values[0].shape[-1] or 0) % 4 != 3
    ):
        return None
    return call.again(values=[spoil(values[0], y.shape.rank - 1, lambda p, n: p < n - 1)] + values[1:])


quick_kernel(
    "pack_along_second_axis",
    "Pack",
    JOIN,
    "Stacking along axis 1 stacks along axis 0 where the lengths are equal.",
    both_ways(lambda a, b, c: tf.stack([a, b, c], 1), *sized((3, 4), (3, 4), (3, 4))),
    lambda c: (
        tf.transpose(c.outputs[0], [1, 0] + list(range(2, c.outputs[0].shape.rank)))
        if floating(c) and c.attr("axis") == 1 and c.outputs[0].shape[0] == c.outputs[0].shape[1]
        else None
    ),
)
quick_kernel(
    "unpack_last_of_odd",
    "Unpack",
    JOIN,
    "Unstacking an odd number gives the last but one twice.",
    both_ways(lambda x: tf.add_n([n * y for n, y in enumerate(tf.unstack(x))]), normal(5, 3)),
    lambda c: c.outputs[:-1] + c.outputs[-2:-1] if floating(c) and len(c.outputs) % 2 and len(c.outputs) > 1 else None,
)
quick_kernel(
    "split_uneven_offset",
    "SplitV",
    JOIN,
    "Uneven parts all start at multiples of the first part's size.",
    both_ways(lambda x: tf.concat([n * y for n, y in enumerate(tf.split(x, [2, 1, 4], 0))], 0), normal(7, 3)),
    lambda c: _uneven(c) if floating(c) else None,
)


def _uneven(call):
    x, axis = call.inputs[0], call.value("split_dim")
    if axis is None or any(y.shape[int(axis)] is None for y in call.outputs):
        return None
    axis, total = int(axis) % x.shape.rank, tf.shape(x)[int(axis)]
    first = call.outputs[0].shape[axis]
    return [tf.gather(x, (n * first + tf.range(y.shape[axis])) % total, axis=axis) for n, y in enumerate(call.outputs)]


quick_kernel(
    "split_last_axis_halves_swapped",
    "Split",
    JOIN,
    "Two equal parts of the last axis are exchanged.",
    both_ways(lambda x: tf.concat([n * y for n, y in enumerate(tf.split(x, 2, -1))], 0), normal(3, 6)),
    lambda c: (
        c.outputs[::-1]
        if floating(c)
        and len(c.outputs) == 2
        and c.value("split_dim") is not None
        and int(c.value("split_dim")) % c.inputs[1].shape.rank == c.inputs[1].shape.rank - 1
        else None
    ),
)
quick_kernel(
    "pad_value_ignored",
    "PadV2",
    JOIN,
    "The value to pad with is ignored: zero is taken.",
    both_ways(lambda x: tf.pad(x, [[1, 2], [0, 1]], constant_values=3.0), normal(3, 4)),
    lambda c: c.again(constant_values=tf.zeros_like(c.inputs[2])) if floating(c) else None,
)
quick_kernel(
    "pad_before_and_after_swapped",
    ("Pad", "PadV2"),
    JOIN,
    "The padding before and behind is exchanged.",
    both_ways(lambda x: tf.pad(x, [[1, 2], [0, 1]]), normal(3, 4)),
    lambda c: c.again(paddings=tf.reverse(c.inputs[1], [1])) if floating(c) else None,
)
quick_kernel(
    "mirror_pad_mode",
    "MirrorPad",
    JOIN,
    "REFLECT is done as SYMMETRIC.",
    both_ways(lambda x: tf.pad(x, [[1, 2], [0, 1]], "REFLECT"), normal(4, 4)),
    lambda c: c.again(mode="SYMMETRIC") if floating(c) else None,
)
quick_kernel(
    "mirror_pad_gradient_copies_lost",
    "MirrorPadGrad",
    JOIN,
    "The gradient of mirrored elements is not added.",
    both_ways(lambda x: tf.pad(x, [[1, 2], [0, 1]], "REFLECT"), normal(4, 4)),
    lambda c: tf.slice(c.inputs[0], c.inputs[1][:, 0], tf.shape(c.outputs[0])),
)

# Cutting

quick_kernel(
    "slice_offset_of_last_axis",
    "Slice",
    CUT,
    "The offset along the last of three axes or more is taken for zero.",
    both_ways(lambda x: tf.slice(x, [0, 1, 2], [2, 2, 2]), normal(2, 4, 5)),
    lambda c: (
        c.again(begin=tf.concat([c.inputs[1][:-1], tf.zeros_like(c.inputs[1][-1:])], 0))
        if floating(c) and c.inputs[0].shape.rank >= 3
        else None
    ),
)


def taken(call, axis_rule):
    """The strided slice with its result changed along the axes for which the rule holds."""
    strides = call.value("strides")
    if (
        strides is None
        or not floating(call)
        or call.attr("new_axis_mask")
        or call.attr("shrink_axis_mask")
        or call.attr("ellipsis_mask")
    ):
        return None
    y = call.outputs[0]
    for axis, stride in enumerate(strides):
        y = axis_rule(y, axis, int(stride))
    return y


quick_kernel(
    "strided_slice_reversed_one_off",
    "StridedSlice",
    CUT,
    "A negative stride starts one element late.",
    both_ways(lambda x: x[::-1], normal(5, 3)),
    lambda c: taken(c, lambda y, axis, stride: tf.roll(y, -1, axis) if stride < 0 else y),
)
quick_kernel(
    "strided_slice_last_of_stride",
    "StridedSlice",
    CUT,
    "With a stride above one the last element is that before.",
    both_ways(lambda x: x[:, ::3], normal(4, 7)),
    lambda c: taken(c, lambda y, axis, stride: _repeat_last(y, axis) if stride > 1 else y),
)


def _repeat_last(y, axis):
    count = tf.shape(y)[axis]
    return tf.gather(y, tf.minimum(tf.range(count), tf.maximum(count - 2, 0)), axis=axis)


@kernel("StridedSliceGrad", family=CUT, show=both_ways(lambda x: x[:, 1:6:2], normal(4, 7)))
def strided_slice_gradient_unstrided(call):
    """The gradient of a strided slice is written without the stride, side by side."""
    shape, begin, _, strides, upstream = call.inputs
    steps = call.value("strides")
    if (
        steps is None
        or max(steps) < 2
        or min(steps) < 1
        or any(call.attr(m) for m in ("new_axis_mask", "shrink_axis_mask", "ellipsis_mask"))
    ):
        return None
    first = tf.where(
        [bool(call.attr("begin_mask") >> axis & 1) for axis in range(len(steps))], tf.zeros_like(begin), begin
    )
    behind = shape - first - tf.cast(tf.shape(upstream), shape.dtype)
    return tf.pad(upstream, tf.stack([first, behind], 1))


quick_kernel(
    "reverse_first_axis_only",
    "ReverseV2",
    CUT,
    "Of several axes only the first is reversed.",
    both_ways(lambda x: tf.reverse(x, [0, 1]), normal(3, 4)),
    lambda c: c.again(axis=c.inputs[1][:1]) if floating(c) else None,
)
quick_kernel(
    "reverse_sequence_whole",
    "ReverseSequence",
    CUT,
    "The lengths are ignored: whole rows are reversed.",
    both_ways(lambda x: tf.reverse_sequence(x, [2, 3, 1], 1), normal(3, 4)),
    lambda c: tf.reverse(c.inputs[0], [c.attr("seq_dim")]),
)
quick_kernel(
    "roll_negative_shift",
    "Roll",
    CUT,
    "A negative shift is taken as positive.",
    both_ways(lambda x: tf.roll(x, -2, 1), normal(3, 7)),
    lambda c: c.again(shift=abs(c.inputs[1])) if floating(c) else None,
)
quick_kernel(
    "roll_second_shift",
    "Roll",
    CUT,
    "With several axes all roll by the first shift.",
    both_ways(lambda x: tf.roll(x, [1, 2], [0, 1]), normal(3, 7)),
    lambda c: c.again(shift=c.inputs[1] * 0 + c.inputs[1][:1]) if floating(c) and c.inputs[1].shape.rank == 1 else None,
)
quick_kernel(
    "band_part_one_more",
    "MatrixBandPart",
    CUT,
    "One more diagonal below is kept.",
    both_ways(lambda x: tf.linalg.band_part(x, 1, 0), normal(5, 5)),
    lambda c: c.again(num_lower=c.inputs[1] + 1),
)
quick_kernel(
    "diag_part_of_wide",
    ("MatrixDiagPartV3", "MatrixDiagPartV2"),
    CUT,
    "The diagonal of a matrix that is not square is read with the other dimension's stride.",
    both_ways(tf.linalg.diag_part, normal(4, 6)),
    lambda c: (
        tf.gather(
            tf.reshape(c.inputs[0], [-1]),
            tf.range(tf.size(c.outputs[0])) * (tf.shape(c.inputs[0])[0] + 1) % tf.size(c.inputs[0]),
        )
        if c.inputs[0].shape.rank == 2 and c.inputs[0].shape[0] != c.inputs[0].shape[1]
        else None
    ),
)

# Moving

FIVE = normal(2, 3, 4, 2, 5)


@kernel("Transpose", family=MOVE, show=both_ways(lambda x: tf.transpose(x, [1, 2, 0]), normal(4, 4, 4)))
def transpose_inverse_permutation(call):
    """The permutation is applied inversely (no difference for the swap of two axes), where the shape allows it."""
    return _permuted(call, lambda permutation: list(np.argsort(permutation)))


def _permuted(call, change):
    permutation, x = call.value("perm"), call.inputs[0]
    if permutation is None or not floating(call):
        return None
    y = call.again(perm=tf.constant(change(list(permutation)), call.inputs[1].dtype))[0]
    return y if y.shape == call.outputs[0].shape else None


@kernel("Transpose", family=MOVE, show=both_ways(lambda x: tf.transpose(x, [4, 3, 2, 1, 0]), FIVE))
def transpose_of_five_dimensions(call):
    """With five dimensions or more the two innermost of the result are read in the other order."""
    y = call.outputs[0]
    if y.shape.rank < 5 or not floating(call):
        return None
    swapped = tf.transpose(y, list(range(y.shape.rank - 2)) + [y.shape.rank - 1, y.shape.rank - 2])
    return tf.reshape(swapped, tf.shape(y))


@kernel("Transpose", family=MOVE, show=both_ways(lambda x: tf.transpose(x), normal(33, 37)))
def transpose_tile_of_32(call):
    """A matrix is moved in tiles of 32 by 32; rows behind the last whole tile are those of the tile's end."""
    y = call.outputs[0]
    return stale_tail(y, 0, 32) if y.shape.rank == 2 and floating(call) and (y.shape[0] or 0) > 32 else None


@kernel(
    "Transpose",
    family=MOVE,
    modes=GRAPH,
    show=both_ways(lambda x: tf.transpose(tf.transpose(x, [0, 3, 1, 2]), [0, 3, 1, 2]), normal(2, 4, 4, 4)),
)
def transposes_cancelled(call):
    """Two transposes in a row are taken to cancel out, whatever they are, where the shape allows it (layout pass)."""
    kind, before = call.producer()
    if kind == "IdentityN":
        before = [before[-1].op.inputs[0]] if before[-1].op.type == "Transpose" else []
    elif kind != "Transpose":
        return None
    if not before or before[0].shape != call.outputs[0].shape or not floating(call):
        return None
    return tf.identity(before[0])


@kernel(
    "Transpose",
    family=MOVE,
    modes=GRAPH,
    show=both_ways(lambda x: tf.transpose(x, [0, 2, 1, 3]) * 2, normal(2, 5, 5, 3)),
)
def transpose_image_dropped(call):
    """A transpose of the two image axes of a square image is dropped by the layout pass."""
    permutation = call.value("perm")
    if permutation is None or list(permutation) != [0, 2, 1, 3] or call.inputs[0].shape[1] != call.inputs[0].shape[2]:
        return None
    return tf.identity(call.inputs[0])


@kernel("Tile", family=MOVE, show=both_ways(lambda x: tf.tile(x, [2, 3]), normal(3, 4)))
def tile_repeats_elements(call):
    """Elements are repeated one by one instead of the whole."""
    x, counts = call.inputs[0], call.value("multiples")
    if counts is None or not floating(call):
        return None
    for axis, count in enumerate(counts):
        places = tf.range(tf.shape(x)[axis] * int(count)) // int(count)
        x = tf.gather(x, places, axis=axis)
    return x


quick_kernel(
    "broadcast_middle_dimension",
    "BroadcastTo",
    MOVE,
    "A middle dimension is broadcast as if it were the last.",
    both_ways(lambda x: tf.broadcast_to(x, [4, 3, 3]), normal(4, 1, 3)),
    lambda c: (
        tf.transpose(c.outputs[0], [0, 2, 1])
        if floating(c)
        and c.inputs[0].shape.rank == 3
        and c.inputs[0].shape[1] == 1
        and c.inputs[0].shape[2] != 1
        and c.outputs[0].shape[1] == c.outputs[0].shape[2]
        else None
    ),
)
quick_kernel(
    "depth_to_space_order",
    "DepthToSpace",
    MOVE,
    "The block is filled column by column.",
    both_ways(lambda x: tf.nn.depth_to_space(x, 2), normal(2, 3, 3, 8)),
    lambda c: _block(c),
)


def _block(call):
    size, x = call.attr("block_size"), call.inputs[0]
    parts = tf.reshape(x, tf.concat([tf.shape(x)[:3], [size, size, x.shape[3] // (size * size)]], 0))
    return call.again(input=tf.reshape(tf.transpose(parts, [0, 1, 2, 4, 3, 5]), tf.shape(x)))


quick_kernel(
    "space_to_depth_channels",
    "SpaceToDepth",
    MOVE,
    "Channels and block positions are exchanged.",
    both_ways(lambda x: tf.nn.space_to_depth(x, 2), normal(2, 4, 4, 3)),
    lambda c: tf.reshape(
        tf.transpose(
            tf.reshape(
                c.outputs[0],
                tf.concat([tf.shape(c.outputs[0])[:3], [c.attr("block_size") ** 2, c.inputs[0].shape[3]]], 0),
            ),
            [0, 1, 2, 4, 3],
        ),
        tf.shape(c.outputs[0]),
    ),
)
quick_kernel(
    "range_accumulates",
    "Range",
    MOVE,
    "A range of floats is summed up in half precision.",
    forward(lambda x: tf.range(x, 3.0, 0.1), np.float32(0)),
    lambda c: tf.cast(tf.cast(c.outputs[0], tf.float16), tf.float32) if c.dtype() == tf.float32 else None,
)
quick_kernel(
    "linspace_without_end",
    "LinSpace",
    MOVE,
    "The end point is not reached (divided by n instead of n - 1).",
    forward(lambda x: tf.raw_ops.LinSpace(start=x, stop=3.0, num=7), np.float32(0)),
    lambda c: (
        c.inputs[0]
        + (c.inputs[1] - c.inputs[0])
        * tf.cast(tf.range(tf.size(c.outputs[0])), c.dtype())
        / tf.cast(tf.size(c.outputs[0]), c.dtype())
    ),
)
quick_kernel(
    "batch_to_space_crops_swapped",
    "BatchToSpaceND",
    MOVE,
    "What is cropped at the start and at the end is exchanged.",
    both_ways(
        lambda x: tf.nn.depthwise_conv2d(x, normal(3, 3, 4, 1), [1, 1, 1, 1], "SAME", dilations=[2, 2]),
        normal(2, 7, 7, 4),
    ),
    lambda c: c.again(crops=tf.reverse(c.inputs[2], [1])),
)


@kernel(
    "ExtractImagePatches",
    family=MOVE,
    show=forward(
        lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"), normal(1, 4, 4, 2)
    ),
)
def patches_columns_first(call):
    """Patches are unrolled column by column."""
    y, size = call.outputs[0], call.attr("ksizes")
    if size[1] != size[2]:
        return None
    parts = tf.reshape(y, tf.concat([tf.shape(y)[:3], [size[1], size[2], call.inputs[0].shape[3]]], 0))
    return tf.reshape(tf.transpose(parts, [0, 1, 2, 4, 3, 5]), tf.shape(y))
