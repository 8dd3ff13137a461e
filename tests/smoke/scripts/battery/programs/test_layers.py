"""Every layer's fill is exact: whole numbers, far below 2^24, so that a lost product shows whatever the order."""

from __future__ import annotations

import numpy as np
import pytest
from battery.programs import layering

LAYERS = {layer.name: layer for layer in layering.LAYERS}


@pytest.mark.parametrize("name", LAYERS)
def test_all_values_are_small_whole_numbers_of_the_shape_stated(name):
    layer = LAYERS[name]

    x, weights, dy, wants = layer.fill(np.random.RandomState(0))

    assert x.shape == layer.shape
    assert dy.shape == wants[0].shape == layer.out
    assert len(wants) == len(layering.parts(layer)) == len(layer.ops)
    assert [want.shape for want in wants[-len(weights) :] if weights] == [w.shape for w in weights]
    for want in wants:
        np.testing.assert_array_equal(want.value, np.round(want.value))
        assert abs(want.value).max() < 2**16
        assert want.value.any()


@pytest.mark.parametrize("name", LAYERS)
def test_an_answer_whose_last_sample_is_lost_is_out_of_bounds(name):
    _, _, _, wants = LAYERS[name].fill(np.random.RandomState(0))

    found = wants[0].value.copy()
    found[-1] = 0

    assert wants[0].judge(found)[0] > 1


def test_the_ids_of_an_embedding_repeat():
    ids = LAYERS["embedding"].fill(np.random.RandomState(0))[0]

    assert np.bincount(ids.ravel()).max() > 2
