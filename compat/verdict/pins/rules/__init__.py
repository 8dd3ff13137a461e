"""The rules of `tfcompat pins`: the only list there is. Within one situation they are asked in this order."""

from __future__ import annotations

from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.rules import between, couplings, drift, known, pairs, pythons, reading, shells, wheels
from compat.verdict.pins.silence import UnusedIgnore

RULES: tuple[PinRule, ...] = (
    *reading.RULES,
    *wheels.RULES,
    *pythons.RULES,
    *couplings.RULES,
    *shells.RULES,
    *pairs.RULES,
    *known.RULES,
    *drift.RULES,
    *between.RULES,
    UnusedIgnore(),
)
"""In the order of causes: what cannot be installed is not asked whether it loads."""
