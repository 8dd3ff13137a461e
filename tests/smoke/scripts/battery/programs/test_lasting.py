"""Memory that a step keeps is found, memory it gives back is not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from battery.programs import lasting
from battery.recorder import Recorder

SESSION = SimpleNamespace(recorder=Recorder())


def test_a_step_that_keeps_a_megabyte_leaks():
    held = []

    def step():
        held.append(np.ones(2**17))
        return 0.0

    assert lasting.kept(SESSION, "op", step, 40).result.status == "fails"


def test_a_step_that_gives_its_megabyte_back_does_not():
    assert lasting.kept(SESSION, "op", lambda: np.ones(2**17).sum(), 40).result.status == "passes"
