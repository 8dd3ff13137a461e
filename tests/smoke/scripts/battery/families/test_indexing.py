"""Indices by loops: what repeats adds up, forward and backward, and wraps at no power of two."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import indexing, scattering

CASES = {case.name.split("/")[1]: case for case in indexing.cases() + scattering.cases()}
LOOKUPS = {
    "gather": lambda x, i: [x[k] for k in i],
    "gather_columns": lambda x, i: np.stack([x[:, k] for k in i], axis=1),
    "gather_batch": lambda x, i: [[rows[k] for k in ks] for rows, ks in zip(x, i, strict=False)],
    "embedding": lambda x, i: [[x[k] for k in ks] for ks in i],
    "embedding_long": lambda x, i: [x[k] for k in i],
    "gather_nd": lambda x, i: [x[j][k] for j, k in i],
}


@pytest.mark.parametrize("name", indexing.PICKS)
def test_lookups_by_loops(name):
    for fill in CASES[name].fills:
        x, i = fill.inputs

        assert (fill.wants["y"].value == np.array(LOOKUPS[name](x, i))).all()
        assert len(np.unique(i.reshape(-1, i.shape[-1] if name == "gather_nd" else 1), axis=0)) < len(i.reshape(-1))


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].sources and name != "where_constant"])
def test_each_gradient_is_the_slope_of_what_comes_out(name):
    """Every operation here is linear in what it takes gradients for: so is moving one input by 1."""
    fill = CASES[name].fills[0]
    upstream = fill.upstream if isinstance(fill.upstream, list) else [fill.upstream]
    above = sum(
        (dy.astype(np.float64) * fill.wants[y].value).sum()
        for dy, y in zip(upstream, CASES[name].outputs, strict=False)
    )
    below = sum(
        (fill.wants["d" + key].value * x).sum()
        for key, x in zip(CASES[name].inputs, fill.inputs, strict=False)
        if "d" + key in fill.wants
    )

    assert above == pytest.approx(below, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("name", ["gather_columns", "embedding", "gather_nd"])
def test_gradients_of_repeated_rows_are_sums_and_exact(name):
    fill = CASES[name].fills[0]
    i, upstream, want = fill.inputs[1], fill.upstream, fill.wants["dx"]
    expected, last = np.zeros(want.value.shape), np.zeros(want.value.shape)
    for place in np.ndindex(*(i.shape if name != "gather_nd" else i.shape[:1])):
        if name == "gather_columns":
            expected[:, i[place]] += upstream[:, place[0]]
            last[:, i[place]] = upstream[:, place[0]]
        else:
            row = tuple(i[place]) if name == "gather_nd" else i[place]
            expected[row] += upstream[place]
            last[row] = upstream[place]

    assert abs(upstream).sum() <= 2**24
    assert want.judge(expected)[0] == 0
    assert want.judge(last)[0] > 1  # duplicates lost


def test_the_long_table_is_read_where_a_16_bit_index_has_wrapped():
    for fill in CASES["embedding_long"].fills:
        x, i = fill.inputs
        far = i[i >= 2**16]

        assert len(np.unique(far)) < len(far)
        assert fill.wants["y"].judge(x[i % 2**16])[0] > 1


def test_choices_masks_and_hot_values_by_loops():
    x, y, mask = CASES["where"].fills[0].inputs
    chosen = [[x[r, c] if mask[r, 0] else y[c] for c in range(33)] for r in range(33)]
    assert (CASES["where"].fills[0].wants["y"].value == np.array(chosen)).all()
    assert 5 < mask.sum() < 28

    x, mask = CASES["where_constant"].fills[0].inputs
    chosen = [[x[r, c] if mask[r, c] else 0.5 for c in range(70)] for r in range(5)]
    assert (CASES["where_constant"].fills[0].wants["y"].value == np.array(chosen)).all()

    (mask,) = CASES["where_is"].fills[0].inputs
    found = [[r, c] for r in range(33) for c in range(17) if mask[r, c]]
    assert CASES["where_is"].fills[0].wants["y"].value.tolist() == found

    (i,) = CASES["one_hot"].fills[0].inputs
    hot = CASES["one_hot"].fills[0].wants
    for place in np.ndindex(5, 33):
        assert hot["y"].value[place].tolist() == [float(k == i[place]) for k in range(33)]
        assert hot["z"].value[place[0], :, place[1]].tolist() == [5.0 if k == i[place] else -0.5 for k in range(33)]
    assert i.min() == -1
    assert i.max() == 33

    (lengths,) = CASES["sequence_mask"].fills[0].inputs
    assert CASES["sequence_mask"].fills[0].wants["y"].value.sum(axis=1).tolist() == lengths.tolist()


def test_partitions_and_stitches_undo_each_other_in_the_right_order():
    fill = CASES["partition"].fills[0]
    x, part = fill.inputs
    for k in range(3):
        assert (fill.wants[f"y{k}"].value == [row for row, p in zip(x, part, strict=False) if p == k]).all()
    fill = CASES["stitch"].fills[0]
    x, y, places = fill.inputs
    expected = np.zeros((33, 5))
    for place, row in zip(places, [*x, *y], strict=False):
        expected[place] = row
    assert (fill.wants["y"].value == expected).all()
    fill = CASES["boolean_mask"].fills[0]
    x, mask = fill.inputs
    assert (fill.wants["y"].value == [x[p] for p in np.ndindex(13, 11) if mask[p]]).all()


def test_slices_by_hand():
    x = CASES["slice_back"].fills[0].inputs[0]
    expected = [[x[r, c] for c in (8, 5, 2)] for r in (4, 3, 2, 1, 0)]
    assert (CASES["slice_back"].fills[0].wants["y"].value == np.array(expected)).all()
    x = CASES["slice"].fills[0].inputs[0]
    assert (CASES["slice"].fills[0].wants["y"].value[..., 0] == x[1:4, :, 2]).all()
