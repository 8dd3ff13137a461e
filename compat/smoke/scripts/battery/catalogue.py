"""Every case of single operations, family by family."""

import collections

from battery.families import (
    scattering,
    layouts,
    activations,
    attention,
    convolution,
    dense,
    depthwise,
    elementwise,
    folds,
    halves,
    indexing,
    integers,
    losses,
    matrices,
    moving,
    network,
    normalization,
    ordering,
    pooling,
    randomness,
    reductions,
    resizing,
    series,
    transposed,
    volumes,
)

FAMILIES = (
    convolution,
    pooling,
    dense,
    losses,
    matrices,
    activations,
    normalization,
    attention,
    halves,
    reductions,
    folds,
    ordering,
    indexing,
    scattering,
    moving,
    layouts,
    integers,
    elementwise,
    randomness,
    series,
    depthwise,
    transposed,
    network,
    volumes,
    resizing,
)


COMPILED = 1
"""Of cases with one expression. Tracing is the cost, and what a graph compiler rewrites does not hang on the shape."""


VARIANTS = frozenset(
    " conv2d/explicit conv2d/batch65600 conv1d/causal maxpool/line avgpool/line maxpool3d/k3s2 avgpool3d/k3s2 conv3d/k232_s212"
    " depthwise/k53_s2 separable/s2 transposed/k2_s2 transposed/line dense/none dense/elu matmul/whole matmul/tensordot"
    " matmul/trace matmul/order loss/mae loss/kl loss/binary normalization/moments reduce/sum_first reduce/mean_middle"
    " reduce/unsorted_mean reduce/variance reduce/norm reduce/euclidean reduce/max_axes reduce/cumsum_exclusive"
    " reduce/logsumexp order/sort_first order/argsort_stable order/argsort_int32 order/top_5_int32 order/by_score"
    " index/gather_batch index/slice_ellipsis index/boolean_mask index/where_constant index/scatter_elements"
    " index/update_elements move/transpose_long move/matrix_transpose move/concat_first move/pad_symmetric move/repeat"
    " move/meshgrid number/to_half number/to_bfloat pair/squared_difference_middle single/clip_by_norm math/add math/sub"
    " math/mul math/div math/cube random/uniform_wide random/normal_scaled random/bernoulli dropout/spatial".split()
)
"""Another expression of an operation that is compiled anyway: below full, eagerly alone."""


def all_cases():
    """Every case, in order; of those that differ in shape alone, the levels below full compile the first few."""
    found = [case for family in FAMILIES for case in family.cases()]
    compiled = collections.Counter()
    for case in found:
        compiled[case.skeleton] += case.graph != "full"
        if case.graph == "standard" and (compiled[case.skeleton] > COMPILED or case.name in VARIANTS):
            case.graph = "full"
    return found
