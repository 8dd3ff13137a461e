"""Order without ties: sorted by brute force, winners where a 16-bit index has wrapped, ranks past the 16th."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import ordering

CASES = {case.name.split("/")[1]: case for case in ordering.cases()}


@pytest.mark.parametrize("name", [*ordering.PLACES, *ordering.ORDERS, *ordering.RANKS])
def test_there_are_no_ties_and_both_signs(name):
    for fill in CASES[name].fills:
        x = fill.inputs[0]
        assert np.unique(x).size == x.size
        assert x.min() < 0 < x.max()


@pytest.mark.parametrize("name", ordering.PLACES)
def test_places_by_brute_force(name):
    op, _, shape, axis = ordering.PLACES[name][:4]
    for fill in CASES[name].fills:
        rows = np.moveaxis(fill.inputs[0], axis, -1).reshape(-1, shape[axis])
        best = max if op == "ArgMax" else min
        expected = [best(range(len(row)), key=row.__getitem__) for row in rows]
        want = fill.wants["y"]

        assert want.value.ravel().tolist() == expected
        if "long" in name:
            assert expected[0] >= 2**16
            assert want.judge(want.value % 2**16)[0] > 1


@pytest.mark.parametrize("name", ordering.ORDERS)
def test_sorted_values_and_where_their_gradients_go(name):
    _, _, axis, descending, kept = ordering.ORDERS[name][:5]
    fill = CASES[name].fills[0]
    rows, answers, upstream, back = (
        np.moveaxis(array, axis, -1)
        for array in (fill.inputs[0], fill.wants["y"].value, fill.upstream, fill.wants["dx"].value)
    )
    for row, answer, dy, dx in zip(rows, answers, upstream, back, strict=False):
        expected = sorted(row.tolist(), reverse=descending)[:kept]
        gradient = dict(zip(expected, dy.tolist(), strict=False))

        assert answer.tolist() == expected
        assert dx.tolist() == [gradient.get(value, 0.0) for value in row.tolist()]


@pytest.mark.parametrize("name", ["sort_17", "top_20", "top_20_of_1000", "sort_1000"])
def test_zeros_from_the_seventeenth_rank_on_are_wrong(name):
    want = CASES[name].fills[0].wants["y"]
    found = want.value.copy()
    found[..., 16:] = 0

    assert want.judge(found)[0] > 1


@pytest.mark.parametrize("name", ordering.RANKS)
def test_ranks_by_brute_force(name):
    _, _, _, axis, descending, kept, *_ = ordering.RANKS[name]
    fill = CASES[name].fills[0]
    for row, answer in zip(
        np.moveaxis(fill.inputs[0], axis, -1), np.moveaxis(fill.wants["y"].value, axis, -1), strict=False
    ):
        expected = sorted(range(len(row)), key=row.tolist().__getitem__, reverse=descending)[:kept]
        assert answer.tolist() == expected


def test_labels_are_on_both_sides_of_the_fifth_rank():
    fill = CASES["in_top"].fills[0]
    labels, x = fill.inputs
    better = [int((row > row[label]).sum()) for row, label in zip(x, labels, strict=False)]

    assert {4, 5} <= set(better)
    assert fill.wants["y"].value.tolist() == [rank < 5 for rank in better]


def test_searches_by_counting():
    fill = CASES["searchsorted"].fills[0]
    rows, queries = fill.inputs
    for row, q, left, right in zip(rows, queries, fill.wants["left"].value, fill.wants["right"].value, strict=False):
        assert (np.diff(row) > 0).all()
        assert left.tolist() == [int((row < value).sum()) for value in q]
        assert right.tolist() == [int((row <= value).sum()) for value in q]
        assert (left != right).sum() >= 33


def test_distinct_values_in_order_of_appearance():
    fill = CASES["unique"].fills[0]
    (x,) = fill.inputs
    assert len(np.unique(x.astype(np.float32))) < len(np.unique(x))  # in float32 some are alike
    seen = list(dict.fromkeys(x.tolist()))

    assert fill.wants["y"].value.tolist() == seen
    assert fill.wants["i"].value.tolist() == [seen.index(value) for value in x.tolist()]
    assert fill.wants["n"].value.tolist() == [x.tolist().count(value) for value in seen]


def test_reordering_by_score():
    fill = CASES["by_score"].fills[0]
    x, scores = fill.inputs
    for rows, score, answer in zip(x, scores, fill.wants["y"].value, strict=False):
        order = sorted(range(33), key=score.tolist().__getitem__, reverse=True)
        assert (answer == rows[order]).all()


def test_any_of_the_largest_is_right_and_the_first_is_the_convention():
    exact, convention = CASES["argmax_equals"].fills
    rows = exact.inputs[0].tolist()
    first = np.array([row.index(max(row)) for row in rows])
    last = np.array([len(row) - 1 - row[::-1].index(max(row)) for row in rows])
    beside = np.array([row.index(min(row)) for row in rows])

    assert (first != last).sum() > 20
    assert [exact.wants["y"].judge(places)[0] > 1 for places in (first, last, beside, first + 65)] == [
        False,
        False,
        True,
        True,
    ]
    assert [convention.wants["y"].judge(places)[0] > 1 for places in (first, last)] == [False, True]
    assert convention.label == "convention"
