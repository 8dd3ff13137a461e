"""Runs the battery with other values, many times in one healthy TensorFlow, and counts what it calls wrong.

Stand-alone: run in the environment under test. Each run gives every case the values of --together seeds, one after the
other through the same compiled function. One JSON line per run is appended to --out; what is in it already is left out, so
that a run can be resumed. What changes numerics (oneDNN, threads) is set by the caller's variables.
"""

import argparse
import json
import os
import sys
import time


def main():
    given = options()
    sys.path.insert(0, given.battery)
    import numpy
    import tensorflow as tf

    from battery import running, values
    from battery.case import Case
    from battery.levels import Level
    from battery.recorder import Recorder
    import numerics

    tf.get_logger().setLevel("ERROR")
    done = {line["seed"] for line in lines(given.out)}
    versions = {"tensorflow": tf.__version__, "numpy": numpy.__version__, "python": sys.version.split()[0]}
    Case.fills = property(lambda case: of_several_seeds(case, values, given.together))
    for seed in range(given.first, given.first + given.runs * given.together, given.together):
        if seed in done:
            continue
        begun = time.perf_counter()
        values.SEED = seed
        recorder = Recorder()
        session = running.Session(tf, recorder, "CPU:0", xla=given.xla)
        numerics.on_device(session, Level(given.level), None)
        record = dict(
            versions,
            seed=seed,
            seeds=given.together,
            comparisons=recorder.comparisons,
            seconds=time.perf_counter() - begun,
        )
        record["alarms"] = [check for check in recorder.checks if alarming(check)]
        record["worst"] = worst(recorder.checks)
        with open(given.out, "a") as stream:
            stream.write(json.dumps(record) + "\n")


def of_several_seeds(case, values, count):
    """The data of a case, for several seeds. Its shapes do not hang on the seed, nor does what is compiled."""
    if case._fills is None:
        first, found = values.SEED, []
        for values.SEED in range(first, first + (1 if case.across else count)):
            found += case._make()
        values.SEED, case._fills = first, found
    return case._fills


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--battery", required=True, help="the folder compat/smoke/scripts")
    parser.add_argument("--level", default="standard")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--together", type=int, default=1, help="seeds in one run")
    parser.add_argument("--xla", action="store_true")
    parser.add_argument("--out", required=True)
    return parser.parse_args()


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as stream:
        return [json.loads(line) for line in stream]


def alarming(check):
    """Anything a user would have to look at: a failure, a crash, or fewer bits than float32 has."""
    return check["status"] in ("fails", "crashed") or check["reason"] == "precision"


def worst(checks):
    """The largest ratio of what passed, by family."""
    found = {}
    for check in checks:
        family = check["id"].split("/")[0]
        if check["status"] == "passes" and check["error_in_bounds"] is not None:
            found[family] = max(found.get(family, 0.0), check["error_in_bounds"])
    return found


if __name__ == "__main__":
    main()
