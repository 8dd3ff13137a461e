"""The integer network: exact in any order, and far from every decision, whatever values are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from battery import values
from battery.families import network
from battery.references.network import Network
from battery.references.windows import conv2d, conv2d_dw, conv2d_dx, max_pool_dx

FILLS = network.cases()[0].fills


@pytest.mark.parametrize("fill", FILLS, ids=["first", "second"])
def test_all_sums_are_exact_in_any_order_and_small_enough_for_winograd(fill):
    computed = Network(fill.inputs[0], fill.inputs[1:])
    _, k1, b1, k2, b2, d, c = (abs(array.astype(float)) for array in fill.inputs)
    above = (abs(fill.upstream) @ d.T).reshape(computed.blocks[1].y.shape)
    unit = 2 * network.PARTS

    assert (abs(computed.flat) @ d + c).max() * unit < 2**24
    for block, kernel, bias in zip(reversed(computed.blocks), (k2, k1), (b2, b1), strict=True):
        passed = max_pool_dx(above, block._winners, block.pooling) * (block.before > 0)
        forward = conv2d(abs(block.x), kernel, block.windows) + bias
        dw, above = conv2d_dw(abs(block.x), passed, block.windows), conv2d_dx(passed, kernel, block.windows)
        assert max(forward.max(), dw.max(), above.max()) * unit < 2**24
        assert max(forward.max(), above.max()) <= 14_000
    assert all((want.value * unit == np.round(want.value * unit)).all() for want in fill.wants.values())


@pytest.mark.parametrize("seed", range(12))
def test_no_decision_is_close_whatever_the_seed(seed, monkeypatch):
    monkeypatch.setattr(values, "SEED", seed)
    given, computed = network.drawn(values.draw_for("conv2d/network"))

    (zero, gap), second = computed.blocks[0].closest(), computed.blocks[1].closest()
    assert zero >= 0.5 / network.PARTS
    assert gap >= 0.5 / network.PARTS  # beside a pixel that the ReLU made 0
    assert min(second) >= network.NEAREST
    assert all(array.all() for array in given)


def test_a_wrong_gradient_of_any_weight_is_seen():
    for fill in FILLS:
        for want in fill.wants.values():
            lost = want.value.copy()
            lost[..., -1] = 0
            assert want.judge(lost).ratio > 1 or np.array_equal(lost, want.value)


def test_the_relu_has_something_to_lose():
    computed = Network(FILLS[0].inputs[0], FILLS[0].inputs[1:])

    assert all(0.2 < (block.before < 0).mean() < 0.8 for block in computed.blocks)
