"""Does each fault show while it is planted, and is nothing left of it afterwards?

    python checking.py [--set mutants|breadth|both] [--faults all|names]

answers a JSON line for each fault: the change its probe sees, eagerly and in a graph, while it is planted ("eager",
"graph") and the larger one after it was taken out ("after"), in units of what counts as a change; or "error".
Stand-alone: NumPy and TensorFlow, CPython 3.8 syntax.
"""

import argparse
import json
import os
import sys

import numpy as np

CHANGE = 2e-6
"""Of the largest value: above the rounding of one operation, below the smallest planted error (1e-5)."""
INFINITE = 1e300
BEFORE = {}
"""What each probe said before its first fault: what it says after each of them is held against this."""


def main(argv=None):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import tensorflow as tf

    import planting

    parser = argparse.ArgumentParser()
    parser.add_argument("--set", choices=("mutants", "breadth", "both"), default="mutants")
    parser.add_argument("--faults", default="all", help="all, or beginnings of names, by comma")
    given = parser.parse_args(argv)
    tf.get_logger().setLevel("ERROR")
    for fault in planting.catalogue(("mutants", "breadth") if given.set == "both" else (given.set,)):
        if given.faults == "all" or fault.name.startswith(tuple(given.faults.split(","))):
            print(json.dumps(dict(attempt(tf, fault.name), name=fault.name, set=fault.set)), flush=True)


def attempt(tf, name):
    try:
        return visible(tf, name)
    except Exception as error:
        return {"error": (type(error).__name__ + ": " + str(error))[:500]}


def answers(tf, probe):
    """What the probe computes, eagerly and compiled; made and traced anew each time."""
    prepare = getattr(probe, "prepare", lambda _: None)

    def bound():
        state = prepare(tf)
        return lambda: probe(tf) if state is None else probe(tf, state)

    compiled = tf.function(bound(), autograph=False)
    return {"eager": [np.asarray(t) for t in bound()()], "graph": [np.asarray(t) for t in compiled()]}


def healthy_answers(tf, probe):
    """The same without the fault. A probe may bring kernels that TensorFlow lacks: `probe.lent(site)`."""
    import planting

    site = planting.Site(tf)
    try:
        getattr(probe, "lent", lambda _: None)(site)
        return answers(tf, probe)
    finally:
        site.clear()


def visible(tf, name):
    """The largest change the fault makes to its probe, by mode, in units of what counts as one."""
    import planting

    fault = planting.FAULTS[name]
    tolerance = getattr(fault.probe, "tolerance", CHANGE)
    if fault.probe not in BEFORE:
        BEFORE[fault.probe] = healthy_answers(tf, fault.probe)
    healthy = BEFORE[fault.probe]
    with planting.planted(tf, name):
        faulty = answers(tf, fault.probe)
    after = healthy_answers(tf, fault.probe)
    changes = {mode: change(healthy[mode], faulty[mode]) / tolerance for mode in healthy}
    changes["after"] = max(change(healthy[mode], after[mode]) for mode in healthy) / tolerance
    return changes


def change(before, after):
    """The largest difference in units of the largest value of each tensor; infinite where one is not finite."""
    worst = 0.0
    for one, other in zip(before, after):
        one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
        if one.shape != other.shape or not np.array_equal(np.isfinite(one), np.isfinite(other)):
            return INFINITE
        if one.size:
            worst = max(worst, float(np.nanmax(np.abs(one - other)) / max(np.nanmax(np.abs(one)), 1e-30)))
    return worst


if __name__ == "__main__":
    main()
