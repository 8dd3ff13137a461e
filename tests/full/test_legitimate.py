"""Legitimate algorithms over many values, judged by the battery and by rules of thumb; kept as data.

pytest -m full tests/full/test_legitimate.py        some ten minutes, NumPy only
"""

from collections import Counter
from datetime import date

import pytest

from tests.faults import legitimate, naive
from tests.faults.test_legitimate import CONVOLUTIONS, TRANSFORMABLE, by_matrices, windows_of
from tests.full.keeping import keep

pytestmark = pytest.mark.full

SEEDS = 30


def algorithms():
    for name, product in legitimate.ORDERS.items():
        yield name, by_matrices(product), CONVOLUTIONS
    for name, transform in legitimate.TRANSFORMS.items():
        compute = lambda *given, transform=transform: legitimate.transformed(transform, *given)  # noqa: E731
        yield name, compute, TRANSFORMABLE


def compared(compute, names):
    """For each tensor of each fill: kind of fill, found and wanted values, the want."""
    from battery import catalogue

    cases = {case.name: case for case in catalogue.all_cases()}
    for name in names:
        for fill in cases[f"conv2d/{name}"].fills:
            x, w, b = fill.inputs
            for tensor, found in compute(x, w, fill.upstream, windows_of(name)).items():
                want = fill.wants[tensor]
                yield fill.label, (found + b if tensor == "y" else found).reshape(want.shape), want


@pytest.mark.parametrize(("name", "compute", "names"), list(algorithms()), ids=[name for name, *_ in algorithms()])
def test_no_legitimate_algorithm_is_called_wrong(name, compute, names, monkeypatch):
    from battery import values

    worst, alarms, wrong, count = {"int": 0.0, "real": 0.0}, 0, Counter(), 0
    for seed in range(SEEDS):
        monkeypatch.setattr(values, "SEED", seed)
        for label, found, want in compared(compute, names):
            ratio = want.judge(found).ratio
            worst[label], alarms, count = max(worst[label], ratio), alarms + (ratio > 1), count + 1
            wrong.update(naive.differs(found, want.value) if label == "real" else ())
    record = {
        "day": date.today().isoformat(),  # noqa: DTZ011 - a day in the tester's own calendar
        "comparisons": count,
        "alarms": alarms,
        "worst": {label: float(f"{ratio:.3g}") for label, ratio in worst.items()},
        "naive": {rule: wrong[rule] for rule in naive.RULES},
        "real": SEEDS * sum(1 for label, *_ in compared(compute, names) if label == "real"),
    }
    keep("legitimate", name, record)

    assert alarms == 0
