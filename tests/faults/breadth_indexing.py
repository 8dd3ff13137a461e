"""Faults of gather, scatter, embedding gradients, segments, sorting, scans and selection. See `breadth_hooks`."""

import numpy as np
from breadth_hooks import (
    apart,
    backwards,
    both_ways,
    compiled_if,
    exactly,
    forward,
    kernel,
    fault,
    normal,
    quick_kernel,
    spoil,
)
from breadth_hooks import randomize, tf, through_layer, variables_of, whole, without_last

INDEX, SEGMENT, SORT, SCAN, SELECT = (
    "gather and scatter",
    "segments and embedding",
    "sort and search",
    "scans",
    "selection",
)

TABLE = normal(300, 4)
FAR = np.array([3, 255, 256, 299, 3, 0])
GATHERS = ("GatherV2", "ResourceGather", "Gather")


def gathered(axis=0, x=TABLE, ids=FAR):
    return both_ways(lambda x: tf.gather(x, ids, axis=axis), x)


def params_of(call):
    return call.named()["params" if call.op != "ResourceGather" else "resource"]


# Gather


@kernel(*GATHERS, family=INDEX, show=gathered())
def gather_index_of_8_bits(call):
    """Row numbers are kept in 8 bits: row 256 is row 0."""
    if not call.outputs[0].dtype.is_floating:
        return None
    indices = call.named()["indices"]
    return call.again(indices=indices % 256)


@kernel("GatherV2", family=INDEX, show=gathered(1, normal(5, 5), np.array([4, 1, 1])))
def gather_other_axis_of_square(call):
    """Gathering along the last axis of a square matrix gathers rows."""
    x, axis = call.inputs[0], call.value("axis")
    if not x.dtype.is_floating or x.shape.rank != 2 or x.shape[0] != x.shape[1] or axis is None or int(axis) % 2 == 0:
        return None
    return tf.transpose(call.again(axis=tf.zeros_like(call.inputs[2]))[0])


@kernel(
    "GatherV2",
    family=INDEX,
    show=both_ways(lambda x: tf.gather(x, [[2, 0], [1, 1], [0, 2]], batch_dims=1), normal(3, 3, 4)),
)
def gather_batch_dims_first_row(call):
    """With batch dimensions every batch reads the indices of the first."""
    if not call.attr("batch_dims") or not call.outputs[0].dtype.is_floating:
        return None
    indices = call.inputs[1]
    return call.again(indices=tf.zeros_like(indices) + indices[:1])


@kernel("GatherNd", family=INDEX, show=both_ways(lambda x: tf.gather_nd(x, [[0, 2], [3, 1], [2, 2]]), normal(4, 4)))
def gather_nd_coordinates_swapped(call):
    """Two coordinates into a square are read in the wrong order."""
    x, indices = call.inputs
    if not x.dtype.is_floating or indices.shape[-1] != 2 or x.shape[0] != x.shape[1]:
        return None
    return call.again(indices=tf.reverse(indices, [-1]))


# Scatter


def last_of_equals(ids):
    """Which entries of a vector are the last with their value."""
    places = tf.range(tf.size(ids))
    later = (ids[None, :] == ids[:, None]) & (places[None, :] > places[:, None])
    return ~tf.reduce_any(later, 1)


def rows_alike(indices):
    """One number for each row of coordinates."""
    flat = tf.reshape(indices, [-1, indices.shape[-1]])
    return tf.reduce_sum(tf.cast(flat, tf.int64) * tf.cast(10007 ** tf.range(flat.shape[1]), tf.int64), 1)


def masked(values, mask, lead):
    """The values where the mask over their `lead` leading dimensions holds, else zero."""
    shape = tf.concat([tf.shape(values)[:lead], tf.ones([tf.rank(values) - lead], tf.int32)], 0)
    return values * tf.cast(tf.reshape(mask, shape), values.dtype)


def without_duplicates(indices, updates):
    return masked(updates, last_of_equals(rows_alike(indices)), indices.shape.rank - 1)


TWICE = np.array([[1], [3], [1], [0]])

quick_kernel(
    "scatter_nd_duplicates_lost",
    "ScatterNd",
    INDEX,
    "Updates of the same element overwrite each other instead of adding up.",
    both_ways(lambda u: tf.scatter_nd(TWICE, u, [5, 3]), normal(4, 3)),
    lambda call: (
        call.again(updates=without_duplicates(call.inputs[0], call.inputs[1])) if call.dtype(1).is_floating else None
    ),
)
quick_kernel(
    "gather_nd_gradient_duplicates_lost",
    ("ScatterNd",),
    INDEX,
    "In the gradient of gather_nd repeated indices count once.",
    both_ways(lambda x: tf.gather_nd(x, [[1, 2], [3, 0], [1, 2]]), normal(5, 3)),
    lambda call: (
        call.again(updates=without_duplicates(call.inputs[0], call.inputs[1]))
        if call.called_by("_GatherNdGrad")
        else None
    ),
)
quick_kernel(
    "tensor_scatter_add_duplicates_lost",
    "TensorScatterAdd",
    INDEX,
    "Of several additions to one element only the last counts.",
    both_ways(lambda x, u: tf.tensor_scatter_nd_add(x, TWICE, u), normal(5, 3), normal(4, 3, seed=1)),
    lambda call: call.again(updates=without_duplicates(call.inputs[1], call.inputs[2])),
)


@kernel(
    "TensorScatterUpdate",
    family=INDEX,
    show=both_ways(
        lambda x, u: tf.tensor_scatter_nd_update(x, [[0, 2], [1, 2], [3, 2]], u), normal(4, 4), normal(3, seed=1)
    ),
)
def tensor_scatter_column_written_as_row(call):
    """Elements of a column of a square matrix are written along the row."""
    x, indices, _ = call.inputs
    if indices.shape[-1] != 2 or x.shape.rank != 2 or x.shape[0] != x.shape[1]:
        return None
    return call.again(indices=tf.reverse(indices, [-1]))


@kernel(
    "TensorScatterUpdate",
    family=INDEX,
    show=both_ways(lambda x, u: tf.tensor_scatter_nd_update(x, [[0], [2], [3]], u), normal(4, 5), normal(3, 5, seed=1)),
)
def tensor_scatter_last_update_of_odd_count(call):
    """The last of an odd number of updates is not written."""
    x, indices, updates = call.inputs
    count = tf.shape(indices)[0]
    kept = tf.where((count % 2 == 1) & (count > 1), count - 1, count)
    return call.again(indices=indices[:kept], updates=updates[:kept])


# Segments and embedding


def embedding(optimized):
    """An embedding with repeated ids: the gradient itself, or the table after a step of SGD."""

    def run(compiled):
        layer = tf.keras.layers.Embedding(9, 4)
        ids = tf.constant([[1, 3, 3], [1, 8, 3]])
        layer(ids)
        randomize(layer)
        optimizer = tf.keras.optimizers.SGD(0.5)
        weights = layer.trainable_weights

        def step(ids):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(layer(ids)))
            gradients = tape.gradient(loss, variables_of(layer))
            if optimized:
                optimizer.apply_gradients(zip(gradients, weights))
                return [tf.identity(w) for w in variables_of(layer)]
            return [tf.convert_to_tensor(g) for g in gradients]

        if optimized:
            optimizer.build(weights)
        return compiled_if(compiled, step)(ids)

    return apart(run)


def flat_segments(call):
    data, ids = call.inputs[0], call.inputs[1]
    rank = ids.shape.rank
    return data, tf.reshape(ids, [-1]), rank


@kernel("UnsortedSegmentSum", family=SEGMENT, show=embedding(False))
def embedding_gradient_duplicates_lost(call):
    """Where an id occurs more than once in the batch only its last gradient row is kept."""
    data, ids, rank = flat_segments(call)
    return call.again(data=masked(data, last_of_equals(ids), rank)) if data.dtype.is_floating else None


@kernel("UnsortedSegmentSum", family=SEGMENT, show=embedding(False))
def segment_sum_unsorted_third_duplicate(call):
    """Of three or more equal ids only the first two are added (a lost race)."""
    data, ids, rank = flat_segments(call)
    places = tf.range(tf.size(ids))
    before = tf.reduce_sum(tf.cast((ids[None] == ids[:, None]) & (places[None] < places[:, None]), tf.int32), 1)
    return call.again(data=masked(data, before < 2, rank)) if data.dtype.is_floating else None


@kernel(
    "UnsortedSegmentSum",
    family=SEGMENT,
    show=both_ways(lambda x: tf.math.unsorted_segment_sum(x, [0, -1, 2, 2, 1], 3), normal(5, 4)),
)
def segment_sum_negative_id_counts(call):
    """Rows with a negative id, which must be dropped, go to the first segment."""
    return call.again(segment_ids=tf.maximum(call.inputs[1], 0))


@kernel(
    "UnsortedSegmentSum",
    family=SEGMENT,
    show=both_ways(lambda x: tf.math.unsorted_segment_sum(x, np.arange(150) // 3, 50), normal(150, 4)),
)
def segment_sum_beyond_128_rows(call):
    """Rows from the 129th on are not added."""
    data, ids, rank = flat_segments(call)
    return call.again(data=masked(data, tf.range(tf.size(ids)) < 128, rank)) if data.dtype.is_floating else None


def only_positive_start(call):
    data, counted = call.inputs[0], call.outputs[0]
    return tf.maximum(counted, 0) if data.dtype.is_floating else None


quick_kernel(
    "segment_max_starts_at_zero",
    ("UnsortedSegmentMax", "SegmentMax", "SegmentMaxV2"),
    SEGMENT,
    "The maximum of a segment starts from zero.",
    forward(lambda x: tf.math.unsorted_segment_max(x, [0, 0, 1, 1, 1], 2), -abs(normal(5, 4))),
    only_positive_start,
)
SORTED = np.array([0, 0, 1, 1, 1, 3, 3])


@kernel(
    "SegmentSum", "SegmentSumV2", family=SEGMENT, show=both_ways(lambda x: tf.math.segment_sum(x, SORTED), normal(7, 3))
)
def segment_sum_gap_repeats(call):
    """A segment without rows holds the sum of the segment before instead of zero."""
    y, ids = call.outputs[0], call.inputs[1]
    present = tf.reduce_any(tf.range(tf.shape(y)[0])[:, None] == tf.cast(ids, tf.int32)[None], 1)
    return tf.where(tf.reshape(present, [-1] + [1] * (y.shape.rank - 1)), y, tf.roll(y, 1, 0))


quick_kernel(
    "segment_mean_divides_by_rows",
    ("SegmentMean",),
    SEGMENT,
    "The mean of a segment is divided by one row too many.",
    forward(lambda x: tf.math.segment_mean(x, SORTED), normal(7, 3)),
    lambda call: call.outputs[0] * 0.75,
)


@fault("ResourceScatterAdd", SEGMENT, embedding(True))
def embedding_update_duplicates_lost(breakage):
    """A sparse update of a variable adds only the last of rows with the same id."""

    def change(values):
        updates = tf.convert_to_tensor(values["updates"])
        ids = tf.reshape(tf.convert_to_tensor(values["indices"]), [-1])
        values["updates"] = masked(updates, last_of_equals(ids), 1)

    breakage.rewrite("ResourceScatterAdd", change)
    breakage.rewrite("ResourceScatterSub", change)
    breakage.hook("UnsortedSegmentSum", embedding_gradient_duplicates_lost)


quick_kernel(
    "one_hot_negative_index",
    "OneHot",
    SEGMENT,
    "A negative index, which must give a row of zeros, sets the last place.",
    forward(lambda i: tf.one_hot(i, 5), np.array([0, -1, 4])),
    lambda call: call.again(
        indices=call.inputs[0] % call.inputs[1]
        if call.dtype() == tf.int32
        else call.inputs[0] % tf.cast(call.inputs[1], call.dtype())
    ),
)

# Sort and search

LONG = normal(3, 200)


def sorts(x=LONG):
    def run(x):
        values, places = tf.math.top_k(x, min(40, int(x.shape[-1])))
        return [tf.sort(x, -1), tf.argsort(x, -1, "DESCENDING"), values, places]

    def show(tf):
        return [tf.cast(part, tf.float64) for part in run(tf.constant(x))]

    return show


@kernel("TopKV2", "TopK", family=SORT, show=sorts())
def top_k_beyond_16(call):
    """Places behind the 16th hold zeros."""
    return [spoil(part, part.shape.rank - 1, lambda place, n: place < 16) for part in call.outputs]


@kernel("TopKV2", "TopK", family=SORT, show=sorts())
def sort_blocks_of_128_not_merged(call):
    """Only the first 128 elements of a row are looked at, when that is enough for k."""
    x, k = call.inputs[0], call.outputs[0].shape[-1]
    if x.shape[-1] is None or x.shape[-1] <= 128 or k is None:
        return None
    return call.again(input=spoil(x, x.shape.rank - 1, lambda place, n: place < 128, x.dtype.min))


@kernel("TopKV2", "TopK", family=SORT, show=sorts(np.round(LONG * 2)))
def top_k_ties_last_first(call):
    """Of equal values the one with the larger index comes first (argsort is not stable)."""
    x = call.inputs[0]
    values, places = call.again(input=tf.reverse(x, [-1]))
    return [values, tf.shape(x)[-1] - 1 - places]


@kernel("TopKV2", "TopK", family=SORT, show=sorts(-abs(normal(3, 37)) - 1))
def top_k_padded_with_zeros(call):
    """Rows are padded to a multiple of 32 with zeros, so that zeros come first in a row of negative values."""
    values, places = call.outputs
    if not values.dtype.is_floating or call.inputs[0].shape[-1] is None:
        return None
    count = -call.inputs[0].shape[-1] % 32
    return [tf.where(tf.range(tf.shape(values)[-1]) < count, tf.maximum(values, 0), values), places]


@kernel("TopKV2", "TopK", family=SORT, show=exactly(sorts(np.array([[2**24, 2**24 + 1, 2**24 + 3, 5, -7]], np.int32))))
def top_k_integers_as_floats(call):
    """Integers are compared as float32: above 2^24 neighbours are equal."""
    if not call.dtype().is_integer:
        return None
    rounded = tf.cast(tf.cast(call.inputs[0], tf.float32), call.dtype())
    return call.again(input=rounded)


@kernel("TopKV2", "TopK", family=SORT, show=sorts())
def top_k_indices_of_whole_buffer(call):
    """Indices of the second and later rows count from the start of the buffer."""
    values, places = call.outputs
    if places.shape.rank != 2:
        return None
    return [values, places + tf.range(tf.shape(places)[0])[:, None] * tf.shape(call.inputs[0])[1]]


ARGS = np.array([[3, 7, 7, -2, 5], [-5, -1, -3, -1, -9], [0, 4, 4, 4, 1]], np.float32)
quick_kernel(
    "argmin_is_argmax_of_negative",
    "ArgMin",
    SORT,
    "Where all values are negative the smallest in magnitude is found.",
    forward(lambda x: tf.argmin(x, 1), -abs(normal(4, 9))),
    lambda call: (
        tf.raw_ops.ArgMin(input=abs(call.inputs[0]), dimension=call.inputs[1], output_type=call.outputs[0].dtype)
        if call.dtype().is_floating
        else None
    ),
)
quick_kernel(
    "argmax_beyond_64",
    "ArgMax",
    SORT,
    "Elements from the 65th on are not looked at.",
    forward(lambda x: tf.argmax(x, 1), LONG),
    lambda call: (
        call.again(
            input=spoil(
                call.inputs[0],
                int(call.value("dimension")) % call.inputs[0].shape.rank,
                lambda p, n: p < 64,
                call.inputs[0].dtype.min,
            )
        )
        if call.value("dimension") is not None and call.dtype() != tf.bool
        else None
    ),
)
quick_kernel(
    "argmax_first_axis",
    "ArgMax",
    SORT,
    "Along the first of two equal dimensions the index is that along the last.",
    forward(lambda x: tf.argmax(x, 0), normal(6, 6)),
    lambda call: (
        call.again(dimension=tf.ones_like(call.inputs[1]))
        if call.inputs[0].shape.rank == 2
        and call.inputs[0].shape[0] == call.inputs[0].shape[1]
        and call.value("dimension") == 0
        else None
    ),
)
STEPS = np.array([[1, 3, 3, 8]], np.float32)
quick_kernel(
    "searchsorted_side_ignored",
    "UpperBound",
    SORT,
    "side='right' is ignored.",
    forward(lambda x: tf.searchsorted(x, [[3.0, 9.0, 0.0]], "right"), STEPS),
    lambda call: tf.raw_ops.LowerBound(
        sorted_inputs=call.inputs[0], values=call.inputs[1], out_type=call.outputs[0].dtype
    ),
)
quick_kernel(
    "unique_as_float",
    ("Unique", "UniqueV2"),
    SORT,
    "Integers of 64 bits are told apart as float32 only.",
    forward(lambda x: tf.unique(x)[1], np.array([2**24, 2**24 + 1, 5])),
    lambda call: (
        [call.outputs[0], tf.raw_ops.Unique(x=tf.cast(call.inputs[0], tf.float32), out_idx=call.outputs[1].dtype)[1]]
        if call.dtype() == tf.int64
        else None
    ),
)
quick_kernel(
    "in_top_k_ties",
    ("InTopKV2", "InTopK"),
    SORT,
    "A target is never in the top k when it is the k-th.",
    forward(lambda x: tf.math.in_top_k([1, 2, 0], x, 2), np.float32([[1, 2, 3], [5, 1, 4], [0, 7, 1]])),
    lambda call: call.again(k=call.inputs[2] - 1) if call.op == "InTopKV2" else None,
)

# Scans

SCANNED = normal(3, 70)


def cumulative(name, **options):
    return both_ways(lambda x: getattr(tf.math, name)(x, 1, **options), SCANNED if name == "cumsum" else SCANNED[:, :9])


quick_kernel(
    "cumsum_exclusive_ignored",
    "Cumsum",
    SCAN,
    "exclusive is ignored.",
    cumulative("cumsum", exclusive=True),
    lambda call: call.again(exclusive=False),
)
quick_kernel(
    "cumsum_reverse_ignored",
    "Cumsum",
    SCAN,
    "reverse is ignored (so the gradient is wrong too).",
    cumulative("cumsum", reverse=True),
    lambda call: call.again(reverse=False),
)
quick_kernel(
    "cumsum_reverse_and_exclusive",
    "Cumsum",
    SCAN,
    "exclusive is ignored where reverse is set as well.",
    cumulative("cumsum", reverse=True, exclusive=True),
    lambda call: call.again(exclusive=False) if call.attr("reverse") else None,
)
quick_kernel(
    "cumprod_exclusive_ignored",
    "Cumprod",
    SCAN,
    "exclusive is ignored.",
    cumulative("cumprod", exclusive=True),
    lambda call: call.again(exclusive=False),
)
quick_kernel(
    "cumprod_reverse_ignored",
    "Cumprod",
    SCAN,
    "reverse is ignored.",
    cumulative("cumprod", reverse=True),
    lambda call: call.again(reverse=False),
)


def scan_axis(call):
    axis = call.value("axis")
    return None if axis is None else int(axis) % call.inputs[0].shape.rank


@kernel("Cumsum", family=SCAN, show=cumulative("cumsum"))
def cumsum_carry_lost_at_32(call):
    """The carry from one block of 32 elements to the next is lost."""
    axis, x = scan_axis(call), call.inputs[0]
    if axis is None or call.attr("reverse") or x.shape[axis] is None or x.shape[axis] <= 32:
        return None
    parts = [x_part for x_part in tf.split(x, [32] * (x.shape[axis] // 32) + [x.shape[axis] % 32], axis)]
    return tf.concat([call.again(x=part)[0] for part in parts if part.shape[axis]], axis)


@kernel("Cumsum", family=SCAN, show=both_ways(lambda x: tf.cumsum(x, 0), normal(5, 5)))
def cumsum_always_last_axis(call):
    """The sum runs along the last axis whatever axis was asked for, where the lengths are equal."""
    axis, x = scan_axis(call), call.inputs[0]
    if axis is None or x.shape[axis] != x.shape[-1] or not x.dtype.is_floating:
        return None
    return call.again(axis=tf.constant(x.shape.rank - 1, call.inputs[1].dtype))


@kernel("Cumsum", family=SCAN, show=exactly(forward(tf.cumsum, np.array([2**30, 1, 2**24 + 1, 7]))))
def cumsum_integers_as_floats(call):
    """Integers are summed in float32."""
    if not call.dtype().is_integer or call.called_by("repeat", "repeat_with_axis"):
        return None
    return tf.cast(call.again(x=tf.cast(call.inputs[0], tf.float32))[0], call.dtype())


# Selection

SELECTS = ("SelectV2", "Select")
ROWS = np.array([[True], [False], [True], [False]])


@kernel(
    "SelectV2", family=SELECT, show=both_ways(lambda a, b: tf.where(ROWS, a, b), normal(4, 4), normal(4, 4, seed=1))
)
def where_condition_broadcast_wrongly(call):
    """A condition of one column is broadcast as one row, where the matrix is square."""
    condition, y = call.inputs[0], call.outputs[0]
    if y.shape.rank != 2 or condition.shape.rank != 2 or y.shape[0] != y.shape[1] or condition.shape[1] != 1:
        return None
    return call.again(condition=tf.transpose(condition)) if is_float_pair(call) else None


def is_float_pair(call):
    return call.inputs[1].dtype.is_floating


@kernel("SelectV2", family=SELECT, show=both_ways(lambda a: tf.where(a > 0, a, 0.5), normal(5, 7)))
def where_scalar_branch_zero(call):
    """A scalar branch is taken for zero."""
    _, yes, no = call.inputs
    if not is_float_pair(call) or yes.shape.rank == no.shape.rank:
        return None
    return call.again(t=yes * 0 if yes.shape.rank == 0 else yes, e=no * 0 if no.shape.rank == 0 else no)


@kernel(
    "SelectV2", family=SELECT, show=both_ways(lambda a, b: tf.where(a > 0, a, b), normal(5, 70), normal(5, 70, seed=1))
)
def where_bit_mask_of_32(call):
    """The condition is packed into words of 32 bits and every word but the first is read at its first bit only."""
    condition, yes, no = call.inputs
    if condition.shape != yes.shape or yes.shape != no.shape or not is_float_pair(call):
        return None
    flat = tf.reshape(condition, [-1])
    place = tf.range(tf.size(flat))
    source = tf.where(place < 32, place, place // 32 * 32)
    return call.again(condition=tf.reshape(tf.gather(flat, source), tf.shape(condition)))


@kernel("Where", family=SELECT, show=forward(lambda x: tf.where(x > 0), normal(4, 5)))
def where_indices_column_order(call):
    """The places of true elements come in column order."""
    x = call.inputs[0]
    if x.shape.rank != 2:
        return None
    return tf.reverse(call.again(input=tf.transpose(x))[0], [1])


@kernel("Where", family=SELECT, show=forward(lambda x: tf.boolean_mask(x, x > 0), normal(65)))
def boolean_mask_beyond_64(call):
    """True elements behind the 64th place are found one place too early."""
    y = call.outputs[0]
    return tf.where(y >= 64, y - 1, y) if call.inputs[0].shape.rank == 1 else None


quick_kernel(
    "maximum_loses_nan",
    "Maximum",
    SELECT,
    "The maximum of a NaN and a number is the number.",
    forward(lambda x: tf.maximum(x, 0.5), np.array([np.nan, 1, -2], np.float32)),
    lambda call: (
        tf.where(
            tf.math.is_nan(call.inputs[0]),
            call.inputs[1],
            tf.where(tf.math.is_nan(call.inputs[1]), call.inputs[0], call.outputs[0]),
        )
        if call.dtype().is_floating
        else None
    ),
)
quick_kernel(
    "maximum_gradient_ties",
    "GreaterEqual",
    SELECT,
    "In the gradient of maximum the greater side is asked for with > (no "
    "gradient where both are equal on the first, all on the second).",
    both_ways(lambda a, b: tf.maximum(a, b), np.float32([1, 2, 3]), np.float32([1, 5, 3])),
    lambda call: tf.greater(call.inputs[0], call.inputs[1]) if call.called_by("_MaximumMinimumGrad") else None,
)
