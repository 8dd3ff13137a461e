"""Moving values: the outputs are the inputs' own bits, and each gradient is the sum of what its value was copied to."""

from __future__ import annotations

import numpy as np
from battery.references.moves import NOWHERE, Moves

X = np.array([[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]], np.float32)


def test_the_outputs_are_the_moved_inputs() -> None:
    moves = Moves([(2, 3)], lambda p: p.T[::-1])

    (y,) = moves.forward([X])

    assert y.dtype == np.float32
    assert y.tolist() == [[3.5, 6.5], [2.5, 5.5], [1.5, 4.5]]


def test_what_comes_from_nowhere_is_the_constant_and_takes_no_gradient() -> None:
    moves = Moves([(3,)], lambda p: np.array([NOWHERE, p[2], NOWHERE, p[0]]))

    (y,) = moves.forward([np.array([7, 8, 9], np.float32)], constant=-1)
    (dx,) = moves.backward([[10, 20, 30, 40]])

    assert y.tolist() == [-1, 9, -1, 7]
    assert dx.tolist() == [40, 0, 20]


def test_gradients_of_a_repeated_value_add_up() -> None:
    moves = Moves([(2,)], lambda p: p[[0, 1, 0, 0]])

    assert moves.repeats()
    assert moves.backward([[1, 2, 4, 8]])[0].tolist() == [13, 2]


def test_several_inputs_and_outputs_keep_apart() -> None:
    moves = Moves([(2,), (2,)], lambda p, q: [np.stack([p, q], axis=1), q[:1]])

    first, second = moves.forward([np.array([1.0, 2.0]), np.array([3.0, 4.0])])
    dp, dq = moves.backward([[[1, 10], [2, 20]], [100]])

    assert not Moves([(2,), (2,)], lambda p, q: np.stack([p, q])).repeats()
    assert first.tolist() == [[1, 3], [2, 4]]
    assert second.tolist() == [3]
    assert dp.tolist() == [1, 2]
    assert dq.tolist() == [110, 20]
