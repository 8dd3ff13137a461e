"""Good generators pass, many times over; each way of drawing badly that has been seen is outside what is allowed."""

from __future__ import annotations

import numpy as np
import pytest
from battery.references import chance

N = 3 * 2**13


def truncated(draw: np.random.RandomState, n: int) -> np.ndarray:
    values = draw.standard_normal(2 * n)
    return values[abs(values) < 2][:n]


LAWS = {
    "uniform": (chance.UNIFORM, lambda draw, n: draw.random_sample(n)),
    "normal": (chance.NORMAL, lambda draw, n: draw.standard_normal(n)),
    "truncated": (chance.TRUNCATED, truncated),
    "gamma": (chance.GAMMA3, lambda draw, n: draw.gamma(3.0, size=n)),
    "half gamma": (chance.GAMMA_HALF, lambda draw, n: draw.gamma(0.5, size=n)),
}


@pytest.mark.parametrize("name", LAWS)
def test_numpys_own_draws_pass(name: str) -> None:
    law, sample = LAWS[name]
    ratios = [law.judge(sample(np.random.RandomState(seed), N))[0] for seed in range(40)]

    assert max(ratios) < 0.85
    assert min(ratios) > 0.1  # it is not blind


@pytest.mark.parametrize("name", LAWS)
def test_the_moments_are_those_of_a_large_sample(name: str) -> None:
    law, sample = LAWS[name]
    values = sample(np.random.RandomState(5), 1_000_000)
    standard = (values - law.mean) / law.deviation

    assert abs(standard.mean()) < 0.005
    assert abs((standard**2).mean() - 1) < 0.01
    assert (standard**4).mean() == pytest.approx(law.kurtosis * (0.5 if law is chance.GAMMA_HALF else 1), rel=0.05)
    assert law.shares.sum() == pytest.approx(1)


FAULTS = {
    "a period of 64": lambda v: np.tile(v[:64], N // 64),
    "a period of 4096": lambda v: np.tile(v[:4096], N // 4096),
    "pairs": lambda v: np.repeat(v[: N // 2], 2),
    "shifted by 3 %": lambda v: np.minimum(v + 0.03, 0.999),
    "too narrow": lambda v: 0.5 + (v - 0.5) * 0.95,
    "one value": lambda v: np.full(N, v[0]),
    "an upper end that is reached": lambda v: np.where(v > 0.9999, 1.0, v),
    "not negative": lambda v: v - 1e-3,
    "a missing tail": lambda v: np.where(v < 1 / 16, v + 1 / 16, v),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_bad_uniform_generator_fails(name: str) -> None:
    good = np.random.RandomState(3).random_sample(N)

    assert chance.UNIFORM.judge(good)[0] < 1
    assert chance.UNIFORM.judge(FAULTS[name](good))[0] > 1


def test_a_stuck_binary_digit_shows() -> None:
    good = np.random.RandomState(3).random_sample(N)
    stuck = np.floor(good * 2**12) / 2**12

    assert chance.worst_of(list(chance.bits(good)))[0] < 1
    assert chance.worst_of(list(chance.bits(stuck)))[0] > 1


def test_too_many_repeats_show() -> None:
    draw = np.random.RandomState(3)

    assert chance.worst_of([chance.distinct(draw.randint(0, 2**23, N))])[0] < 1
    assert chance.worst_of([chance.distinct(draw.randint(0, 2**16, N))])[0] > 1


def test_whole_numbers_keep_to_their_range_and_are_even() -> None:
    values = np.random.RandomState(3).randint(-5, 12, N)

    assert chance.whole(values, -5, 12)[0] < 1
    assert chance.whole(values, -5, 11)[0] > 1
    assert chance.whole(np.where(values == 11, 10, values), -5, 12)[0] > 1
    assert chance.whole(np.sort(values), -5, 12)[0] > 1


SHAPE = (8, 24, 32, 16)
MASKS = {
    "two points too many": lambda u: u > 0.27,
    "one decision for all channels": lambda u: np.broadcast_to(u[..., :1] > 0.25, SHAPE),
    "a period of 64": lambda u: np.resize(u.ravel()[:64] > 0.25, SHAPE),
    "a period of 4096": lambda u: np.resize(u.ravel()[:4096] > 0.25, SHAPE),
    "one sample is kept whole": lambda u: (u > 0.25) | (np.arange(8) == 7)[:, None, None, None],
    "everything is kept": lambda u: u > -1,
}


def test_good_masks_pass() -> None:
    ratios = [chance.kept(np.random.RandomState(seed).random_sample(SHAPE) > 0.25, 0.25)[0] for seed in range(10)]

    assert max(ratios) < 0.85


@pytest.mark.parametrize("name", MASKS)
def test_a_bad_mask_fails(name: str) -> None:
    assert chance.kept(MASKS[name](np.random.RandomState(3).random_sample(SHAPE)), 0.25)[0] > 1
