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


def all_cases():
    """Every case, in order; of those that differ in shape alone, the levels below full compile the first few."""
    found = [case for family in FAMILIES for case in family.cases()]
    compiled = collections.Counter()
    for case in found:
        compiled[case.skeleton] += case.graph != "full"
        if compiled[case.skeleton] > COMPILED and case.graph == "standard":
            case.graph = "full"
    return found
