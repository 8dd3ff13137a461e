"""What the cases say of answers: good ones pass, and each way a device has drawn badly is named."""

from __future__ import annotations

import numpy as np
import pytest
from battery.families import randomness
from battery.wants import Claim

CASES = {case.name: case for case in randomness.cases()}
X = CASES["dropout/quarter"].fills[0].inputs[0]
DY = CASES["dropout/quarter"].fills[0].upstream


def answers(*arrays):
    return [("stat", {"y": array}) for array in arrays]


def failing(found):
    return {part for part, _, ratio, _ in found if ratio > 1}


def test_every_statement_is_about_random_answers():
    assert all(case.random and case.across for case in CASES.values())
    assert all(isinstance(want, Claim) for case in CASES.values() for want in case.fills[0].wants.values())


def test_draws_that_repeat_are_named():
    draw = np.random.RandomState(1)
    case = CASES["random/uniform"]
    first, second, third = (draw.random_sample(randomness.N).astype(np.float32) for _ in range(3))
    want = case.fills[0].wants["y"]

    assert want.judge(first)[0] < 1
    assert want.judge(np.float16(first) * np.float16(0.999))[0] > 1
    assert failing(case.across(answers(first, second, third))) == set()
    assert failing(case.across(answers(first, second, first))) == {"fresh"}


def test_scalars_that_are_all_alike_are_named():
    case = CASES["random/scalars"]
    draws = np.random.RandomState(1).random_sample(10).astype(np.float32)

    assert len(case.fills) == 9
    assert case.fills[0].wants["y"].judge(draws[0])[0] <= 1
    assert failing(case.across(answers(*draws))) == set()
    assert failing(case.across(answers(*draws[:9], draws[0]))) == set()  # may happen
    assert failing(case.across(answers(*[draws[0]] * 10))) == {"fresh"}
    assert failing(case.across(answers(*np.repeat(draws[:5], 2)))) == {"fresh"}


def test_shuffles_keep_every_number_and_mix_them():
    want = CASES["random/shuffle"].fills[0].wants["y"]
    mixed = np.random.RandomState(1).permutation(1031)
    lost = mixed.copy()
    lost[0] = lost[1]

    assert want.judge(mixed)[0] < 1
    assert want.judge(np.arange(1031))[0] > 1
    assert want.judge(lost)[0] == np.inf


def test_seeds_decide_what_stateless_operations_draw():
    case = CASES["random/stateless_uniform"]
    a, b, c = np.arange(3.0), np.arange(3.0) + 1, np.arange(3.0) + 2
    first, second, third = (fill.inputs[0].tolist() for fill in case.fills)

    assert failing(case.across(answers(a, b, c, c))) == set()
    assert failing(case.across(answers(a, b, c, a))) == {"same_seed"}
    assert failing(case.across(answers(a, a, c, c))) == {"other_seed"}  # the second half is ignored
    assert failing(case.across(answers(a, b, b, b))) == {"other_seed"}  # the first half is ignored
    assert first[0] == second[0]
    assert second[1] == third[1]


def dropped(seed, rate=0.25):
    mask = np.random.RandomState(seed).random_sample(X.shape) >= rate
    return mask, (X * mask / np.float32(0.75)).astype(np.float32), (DY * mask / np.float32(0.75)).astype(np.float32)


def test_a_good_dropout_passes():
    wants = CASES["dropout/quarter"].fills[0].wants
    calls = []
    for seed in (1, 2):
        _, y, dx = dropped(seed)
        assert wants["y"].judge(y)[0] < 1
        assert wants["dx"].judge(dx)[0] < 1
        calls.append(("stat", {"y": y, "dx": dx}))
    assert failing(CASES["dropout/quarter"].across(calls)) == set()


@pytest.mark.parametrize(
    ("fault", "change"),
    [
        ("not rescaled", lambda y: y * np.float32(0.75)),
        ("scaled by the rate", lambda y: y * np.float32(3)),
        ("off by a thousandth", lambda y: y * np.float32(1.001)),
        ("nothing dropped", lambda y: X / np.float32(0.75)),
    ],
)
def test_a_bad_scale_or_rate_is_named(fault, change):
    assert CASES["dropout/quarter"].fills[0].wants["y"].judge(change(dropped(1)[1]))[0] > 1, fault


def test_two_points_too_many_are_named():
    assert CASES["dropout/quarter"].fills[0].wants["y"].judge(dropped(1, 0.27)[1])[0] > 1


def test_a_stale_mask_and_another_mask_backward_are_named():
    _, y, dx = dropped(1)
    _, other, other_dx = dropped(2)
    across = CASES["dropout/quarter"].across

    stale = [("stat", {"y": y, "dx": dx})] * 2
    assert failing(across(stale)) == {"fresh"}
    twisted = [("stat", {"y": y, "dx": other_dx}), ("stat", {"y": other, "dx": other_dx})]
    assert failing(across(twisted)) == {"gradient_mask"}


def test_spatial_dropout_takes_whole_images():
    case = CASES["dropout/spatial"]
    x, want = case.fills[0].inputs[0], case.fills[0].wants["y"]
    draw = np.random.RandomState(1)
    mask = draw.random_sample((64, 1, 1, 64)) >= 0.25

    assert want.judge(x * mask / 0.75)[0] < 1
    assert want.judge(x * (draw.random_sample(x.shape) >= 0.25) / 0.75)[0] == np.inf
