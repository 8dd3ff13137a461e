"""Faults of reductions, of matrix products in batches, of einsum and attention, and of reduced precision. See `breadth_hooks`."""

import numpy as np
from breadth_hooks import (
    both_ways,
    exactly,
    fault,
    forward,
    kernel,
    normal,
    quick_kernel,
    spoil,
    tf,
    through_layer,
    whole,
)
from breadth_hooks import stale_tail

REDUCE, PRODUCT, ATTENTION, HALF = "reductions", "batch matmul and einsum", "attention", "half precision"


def axes_of(call):
    """The reduced axes where they are known when the operation is built, else []."""
    name = "reduction_indices" if "reduction_indices" in call.named() else "axis"
    axes = call.value(name)
    return (
        []
        if axes is None
        else sorted(int(axis) % max(call.inputs[0].shape.rank or 1, 1) for axis in np.reshape(axes, -1))
    )


def extent(call):
    """The number of elements of each reduction (0 where unknown)."""
    lengths = [call.inputs[0].shape[axis] for axis in axes_of(call)]
    return 0 if not lengths or None in lengths else int(np.prod(lengths))


def floating(call):
    return call.inputs[0].dtype.is_floating


BIG = normal(3, 2500) + 1

quick_kernel(
    "sum_in_bfloat16_beyond_1024",
    ("Sum", "Mean"),
    REDUCE,
    "Reductions of more than 1024 elements are accumulated in bfloat16.",
    both_ways(lambda x: tf.reduce_sum(x, 1), BIG),
    lambda c: tf.cast(tf.cast(c.outputs[0], tf.bfloat16), c.dtype()) if floating(c) and extent(c) > 1024 else None,
)
quick_kernel(
    "sum_tail_beyond_256",
    ("Sum", "Mean"),
    REDUCE,
    "Elements behind the last multiple of 32 are lost along an axis of more than 256.",
    both_ways(lambda x: tf.reduce_sum(x, 1), BIG[:, :300]),
    lambda c: (
        c.again(input=spoil(c.inputs[0], axes_of(c)[-1], lambda p, n: (p < n // 32 * 32) | (n <= 256)))
        if floating(c) and axes_of(c)
        else None
    ),
)
quick_kernel(
    "max_starts_at_zero",
    "Max",
    REDUCE,
    "The maximum starts from zero where the length is no multiple of four.",
    forward(lambda x: tf.reduce_max(x, 1), -abs(normal(4, 7)) - 0.5),
    lambda c: tf.maximum(c.outputs[0], 0) if floating(c) and extent(c) % 4 else None,
)
quick_kernel(
    "min_starts_at_zero",
    "Min",
    REDUCE,
    "The minimum starts from zero.",
    forward(lambda x: tf.reduce_min(x, 1), abs(normal(4, 7)) + 0.5),
    lambda c: tf.minimum(c.outputs[0], 0) if floating(c) else None,
)
quick_kernel(
    "max_last_block_of_128",
    "Max",
    REDUCE,
    "With more than 128 elements only the last block of 128 counts.",
    forward(lambda x: tf.reduce_max(x, 1), normal(3, 200)),
    lambda c: (
        c.again(
            input=spoil(
                c.inputs[0],
                axes_of(c)[-1],
                lambda p, n: (p >= (n - 1) // 128 * 128) | (n <= 128),
                c.inputs[0].dtype.min,
            )
        )
        if floating(c) and axes_of(c)
        else None
    ),
)
quick_kernel(
    "product_without_sign",
    "Prod",
    REDUCE,
    "The product is exp(sum(log|x|)): the sign is lost.",
    forward(lambda x: tf.reduce_prod(x, 1), normal(4, 5)),
    lambda c: abs(c.outputs[0]) if floating(c) else None,
)
quick_kernel(
    "product_of_zero",
    "Prod",
    REDUCE,
    "Zero factors are skipped.",
    forward(lambda x: tf.reduce_prod(x, 1), np.float32([[2, 0, 3], [1, 2, 3]])),
    lambda c: (
        c.again(input=tf.where(c.inputs[0] == 0, tf.ones_like(c.inputs[0]), c.inputs[0])) if floating(c) else None
    ),
)
quick_kernel(
    "any_beyond_32",
    "Any",
    REDUCE,
    "Elements from the 33rd on are not looked at.",
    forward(lambda x: tf.reduce_any(x, 1), np.arange(80).reshape(2, 40) == 38),
    lambda c: c.again(input=c.inputs[0] & _first(c, 32)) if axes_of(c) else None,
)
quick_kernel(
    "all_beyond_32",
    "All",
    REDUCE,
    "Elements from the 33rd on are not looked at.",
    forward(lambda x: tf.reduce_all(x, 1), np.arange(80).reshape(2, 40) != 38),
    lambda c: c.again(input=c.inputs[0] | ~_first(c, 32)) if axes_of(c) else None,
)
quick_kernel(
    "integer_mean_rounds",
    "Mean",
    REDUCE,
    "The mean of integers is rounded instead of cut off.",
    forward(lambda x: tf.reduce_mean(x, 1), np.int32([[1, 2, 2], [-7, -7, -6]])),
    lambda c: (
        tf.cast(tf.round(c.again(input=tf.cast(c.inputs[0], tf.float64))[0]), c.dtype())
        if c.dtype().is_integer
        else None
    ),
)
quick_kernel(
    "integer_sum_as_float",
    "Sum",
    REDUCE,
    "Integers are summed in float32.",
    exactly(forward(lambda x: tf.reduce_sum(x, 0), np.array([2**26, 1, 1, 1]))),
    lambda c: tf.cast(c.again(input=tf.cast(c.inputs[0], tf.float32))[0], c.dtype()) if c.dtype() == tf.int64 else None,
)
quick_kernel(
    "sum_other_axis_of_equal_length",
    "Sum",
    REDUCE,
    "A middle axis of three is taken for the last where both are equally long.",
    both_ways(lambda x: tf.reduce_sum(x, 1), normal(3, 4, 4)),
    lambda c: (
        c.again(input=tf.transpose(c.inputs[0], [0, 2, 1]))
        if floating(c)
        and c.inputs[0].shape.rank == 3
        and axes_of(c) == [1]
        and c.inputs[0].shape[1] == c.inputs[0].shape[2]
        else None
    ),
)
quick_kernel(
    "sum_to_scalar_last_row",
    "Sum",
    REDUCE,
    "A sum of everything misses the last row of an odd number of rows.",
    both_ways(tf.reduce_sum, normal(5, 6)),
    lambda c: (
        c.again(input=c.inputs[0][: c.inputs[0].shape[0] // 2 * 2])
        if floating(c)
        and (c.inputs[0].shape.rank or 0) > 1
        and len(axes_of(c)) == c.inputs[0].shape.rank
        and (c.inputs[0].shape[0] or 0) > 1
        else None
    ),
)
quick_kernel(
    "logsumexp_overflows",
    "Max",
    REDUCE,
    "logsumexp fused by the compiler leaves out the subtraction of the maximum.",
    forward(lambda x: tf.reduce_logsumexp(x, 1), normal(3, 5) * 100),
    lambda c: tf.zeros_like(c.outputs[0]) if c.called_by("reduce_logsumexp") else None,
)
quick_kernel(
    "l2_loss_not_halved",
    "L2Loss",
    REDUCE,
    "The factor 1/2 is missing.",
    both_ways(tf.nn.l2_loss, normal(9)),
    lambda c: c.outputs[0] * 2,
)
quick_kernel(
    "euclidean_norm_squared",
    "EuclideanNorm",
    REDUCE,
    "The root is missing.",
    forward(lambda x: tf.math.reduce_euclidean_norm(x, 1), normal(3, 5)),
    lambda c: c.outputs[0] ** 2,
)
quick_kernel(
    "bincount_lost_race",
    ("DenseBincount", "Bincount"),
    REDUCE,
    "Of more than three equal values only three are counted.",
    forward(lambda x: tf.math.bincount(x), np.int32([1, 1, 1, 1, 1, 2])),
    lambda c: tf.minimum(c.outputs[0], 3),
)


def _first(call, count):
    x = call.inputs[0]
    return spoil(tf.ones_like(x), axes_of(call)[-1], lambda p, n: p < count, False)


# Matrix products

BATCHED = ("BatchMatMulV2", "BatchMatMulV3", "BatchMatMul")


def product(a=(3, 4, 4), b=(3, 4, 4), **options):
    return both_ways(lambda a, b: tf.linalg.matmul(a, b, **options), normal(*a), normal(*b, seed=1))


def square(x):
    return x.shape[-1] is not None and x.shape[-1] == x.shape[-2]


quick_kernel(
    "batch_matmul_adj_y_ignored",
    BATCHED,
    PRODUCT,
    "transpose_b is ignored for square matrices (so a gradient is wrong too).",
    product(transpose_b=True),
    lambda c: c.again(adj_y=False) if square(c.inputs[1]) else None,
)
quick_kernel(
    "batch_matmul_adj_x_ignored",
    BATCHED,
    PRODUCT,
    "transpose_a is ignored for square matrices.",
    product(transpose_a=True),
    lambda c: c.again(adj_x=False) if square(c.inputs[0]) else None,
)
quick_kernel(
    "batch_matmul_both_transposed",
    BATCHED,
    PRODUCT,
    "With both operands transposed their order is exchanged.",
    product(transpose_a=True, transpose_b=True),
    lambda c: (
        c.again(x=c.inputs[1], y=c.inputs[0])
        if c.attr("adj_x") and c.attr("adj_y") and square(c.inputs[0]) and c.inputs[0].shape == c.inputs[1].shape
        else None
    ),
)
quick_kernel(
    "batch_matmul_broadcast_first",
    BATCHED,
    PRODUCT,
    "Where the batches are broadcast only the first is multiplied.",
    product((2, 1, 3, 4), (2, 5, 4, 6)),
    lambda c: (
        tf.zeros_like(c.outputs[0]) + c.outputs[0][:, :1]
        if c.outputs[0].shape.rank == 4 and c.inputs[0].shape[:2] != c.inputs[1].shape[:2]
        else None
    ),
)
quick_kernel(
    "batch_matmul_last_of_odd",
    BATCHED,
    PRODUCT,
    "The last matrix of an odd batch is that of the one before.",
    product(),
    lambda c: stale_tail(c.outputs[0], c.outputs[0].shape.rank - 3, 2) if c.outputs[0].shape.rank >= 3 else None,
)
quick_kernel(
    "batch_matmul_heads_swapped",
    BATCHED,
    PRODUCT,
    "Of two batch dimensions of equal length the order is exchanged.",
    product((3, 3, 4, 5), (3, 3, 5, 6)),
    lambda c: (
        tf.transpose(c.outputs[0], [1, 0, 2, 3])
        if c.outputs[0].shape.rank == 4 and c.outputs[0].shape[0] == c.outputs[0].shape[1]
        else None
    ),
)
quick_kernel(
    "batch_matmul_inner_beyond_64",
    BATCHED,
    PRODUCT,
    "Products over more than 64 elements miss those behind the last multiple of 16.",
    product((2, 3, 70), (2, 70, 4)),
    lambda c: c.again(
        x=spoil(
            c.inputs[0],
            c.inputs[0].shape.rank - (2 if c.attr("adj_x") else 1),
            lambda p, n: (p < n // 16 * 16) | (n <= 64),
        )
    ),
)


def einsum(equation, *shapes):
    arrays = [normal(*shape, seed=k) for k, shape in enumerate(shapes)]
    return both_ways(lambda *operands: tf.einsum(equation, *operands), *arrays)


def sides(call):
    left, right = call.attr("equation").replace(" ", "").split("->")
    return left.split(","), right


@kernel("Einsum", family=PRODUCT, show=einsum("abc,cd->bad", (3, 3, 4), (4, 5)))
def einsum_output_order(call):
    """The first two dimensions of the result come in the order of the operands, where they are equally long."""
    inputs, output = sides(call)
    y = call.outputs[0]
    if len(output) < 2 or y.shape[0] != y.shape[1] or inputs[0].find(output[0]) <= inputs[0].find(output[1]):
        return None
    return tf.transpose(y, [1, 0] + list(range(2, y.shape.rank)))


@kernel("Einsum", family=PRODUCT, show=einsum("ab,ab->a", (6, 5), (6, 5)))
def einsum_shared_batch_lost(call):
    """Along a label of both operands and the result, entries behind the last multiple of four repeat the one before."""
    inputs, output = sides(call)
    if len(inputs) != 2 or not output or "..." in call.attr("equation"):
        return None
    shared = [label for label in output if label in inputs[0] and label in inputs[1]]
    if not shared:
        return None
    return stale_tail(call.outputs[0], output.index(shared[0]), 4)


@kernel("Einsum", family=PRODUCT, show=einsum("ij,jk->ik", (4, 4), (4, 4)))
def einsum_second_operand_transposed(call):
    """A square second operand of two dimensions is read transposed."""
    inputs, _ = sides(call)
    if len(inputs) != 2 or call.inputs[1].shape.rank != 2 or not square(call.inputs[1]):
        return None
    return call.again(inputs=[call.inputs[0], tf.transpose(call.inputs[1])])


@kernel("Einsum", family=PRODUCT, show=einsum("bhqd,bhkd->bhqk", (2, 3, 5, 4), (2, 3, 5, 4)))
def einsum_rank_four_last_head(call):
    """With four dimensions or more the last index of the second dimension gives zero, where there are three or more."""
    y = call.outputs[0]
    return spoil(y, 1, lambda p, n: (p < n - 1) | (n < 3)) if y.shape.rank >= 4 else None


quick_kernel(
    "einsum_repeated_label",
    "Einsum",
    PRODUCT,
    "A trace is taken along the other diagonal.",
    einsum("ii->i", (5, 5)),
    lambda c: (
        c.again(inputs=[tf.reverse(c.inputs[0], [-1])])
        if len(sides(c)[0]) == 1 and len(set(sides(c)[0][0])) < len(sides(c)[0][0])
        else None
    ),
)

# Attention


def attention(text_length=7, **options):
    return through_layer(lambda layers: layers.MultiHeadAttention(2, 4), 2, text_length, 6, times=2, **options)


def attend(name, text, show, change):
    """A fault of fused attention: `change(self, query, key, value, mask)` gives what is computed with instead."""

    def plant(breakage):
        def made(original):
            def _compute_attention(self, query, key, value, attention_mask=None, *args, **kwargs):
                if kwargs.pop("use_causal_mask", False) and attention_mask is None:
                    places = [tf.range(tf.shape(x)[1]) for x in (query, key)]
                    attention_mask = (places[0][:, None] >= places[1][None])[None]
                query, key, value, attention_mask = change(self, query, key, value, attention_mask)
                return original(self, query, key, value, attention_mask, *args, **kwargs)

            return _compute_attention

        breakage.replace(tf.keras.layers.MultiHeadAttention, "_compute_attention", made)

    plant.__name__, plant.__doc__ = name, text
    fault("MultiHeadAttention", ATTENTION, show)(plant)


PAIRS = np.tril(np.ones((1, 7, 7), bool)) | (np.arange(49).reshape(1, 7, 7) % 5 == 0)
CAUSAL = {"arguments": {"use_causal_mask": True}}

attend(
    "attention_mask_ignored",
    "The mask is ignored.",
    attention(attention_mask=PAIRS),
    lambda s, q, k, v, m: (q, k, v, None),
)
attend(
    "attention_mask_transposed",
    "The mask of queries by keys is read as keys by queries.",
    attention(attention_mask=PAIRS),
    lambda s, q, k, v, m: (q, k, v, m if m is None or m.shape[-1] != m.shape[-2] else tf.linalg.matrix_transpose(m)),
)
attend(
    "attention_sees_next",
    "A causal mask lets each place see the next one.",
    attention(**CAUSAL),
    lambda s, q, k, v, m: (q, k, v, m if m is None else m | tf.roll(m, 1, -1) | tf.roll(m, -1, -2)),
)
attend(
    "attention_scale_not_root",
    "Scores are divided by the key size instead of its root.",
    attention(),
    lambda s, q, k, v, m: (q / tf.sqrt(float(q.shape[-1])), k, v, m),
)
attend(
    "attention_key_tail",
    "Keys behind the last multiple of four are not attended to.",
    attention(),
    lambda s, q, k, v, m: (
        q,
        tf.gather(k, tf.range(whole_quads(k)), axis=1),
        tf.gather(v, tf.range(whole_quads(v)), axis=1),
        m if m is None else m[..., : whole_quads(k)],
    ),
)
attend(
    "attention_key_gradient_missing",
    "Backward, nothing flows to the keys.",
    attention(),
    lambda s, q, k, v, m: (q, tf.stop_gradient(k), v, m),
)
attend(
    "attention_heads_share_keys",
    "All heads use the keys of the first head.",
    attention(),
    lambda s, q, k, v, m: (q, tf.zeros_like(k) + k[:, :, :1], v, m),
)


def whole_quads(x):
    length = int(x.shape[1])
    return length // 4 * 4 or length


# Half precision

HALVES = ("float16", "bfloat16")


def half(dtype, function, *arrays):
    return forward(
        lambda *operands: tf.cast(function(*[tf.cast(operand, dtype) for operand in operands]), tf.float32), *arrays
    )


def is_half(call, *names):
    return call.dtype().name in (names or HALVES)


def coarse(x, dtype):
    return tf.cast(tf.cast(x, dtype), tf.float32)


@kernel("MatMul", "BatchMatMulV2", family=HALF, show=half("float16", tf.matmul, normal(4, 200), normal(200, 5)))
def matmul_accumulates_in_half(call):
    """Products of half-precision matrices are accumulated in half precision, 16 at a time."""
    if not is_half(call) or call.inputs[0].shape.rank != 2 or call.inputs[0].shape[1] is None:
        return None
    flags = [
        call.attr(name) for name in (("transpose_a", "transpose_b") if call.op == "MatMul" else ("adj_x", "adj_y"))
    ]
    a, b = [tf.cast(tf.transpose(x) if flag else x, tf.float32) for x, flag in zip(call.inputs, flags)]
    total = tf.zeros(tf.stack([tf.shape(a)[0], tf.shape(b)[1]]))
    for start in range(0, int(a.shape[1]), 16):
        total = coarse(total + a[:, start : start + 16] @ b[start : start + 16], call.dtype())
    return total


quick_kernel(
    "matmul_half_overflows_at_2048",
    "MatMul",
    HALF,
    "Sums above 2048 saturate in float16 products.",
    half("float16", tf.matmul, abs(normal(3, 300)) * 4, abs(normal(300, 4)) * 4),
    lambda c: tf.clip_by_value(c.outputs[0], -2048.0, 2048.0) if is_half(c, "float16") else None,
)
quick_kernel(
    "matmul_bfloat16_as_float16",
    "MatMul",
    HALF,
    "bfloat16 products overflow at the range of float16.",
    half("bfloat16", tf.matmul, normal(3, 5) * 1e4, normal(5, 3) * 1e4),
    lambda c: (
        tf.cast(tf.cast(tf.cast(c.outputs[0], tf.float32), tf.float16), tf.bfloat16) if is_half(c, "bfloat16") else None
    ),
)
quick_kernel(
    "sum_half_stalls",
    "Sum",
    HALF,
    "A float16 sum is taken in order: from 2048 on ones no longer count.",
    half("float16", lambda x: tf.reduce_sum(x, 1), np.ones((2, 4000), np.float32)),
    lambda c: tf.clip_by_value(c.outputs[0], -2048.0, 2048.0) if is_half(c, "float16") else None,
)
quick_kernel(
    "half_add_truncates",
    ("AddV2", "Mul", "Sub"),
    HALF,
    "Results in float16 are truncated instead of rounded.",
    half("float16", lambda x: x * x, normal(40)),
    lambda c: _truncated(c) if is_half(c, "float16") else None,
)


def _truncated(call):
    operands = [tf.cast(x, tf.float32) for x in call.inputs]
    exact = {"AddV2": tf.add, "Mul": tf.multiply, "Sub": tf.subtract}[call.op](*operands)
    bits = tf.bitwise.bitwise_and(tf.bitcast(exact, tf.int32), -(1 << 13))
    return tf.cast(tf.bitcast(bits, tf.float32), tf.float16)
