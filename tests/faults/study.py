"""Which planted faults does the battery catch, by which checks? Run inside the environment under test:

    python study.py --battery FOLDER --level quick --faults all --out results.jsonl [--set mutants|breadth|both]

TensorFlow is imported once; each fault is planted, the battery runs on CPU:0, and one line of JSON is appended. A line
that is there already is not measured again, so a run may be stopped and taken up. The healthy battery runs first and
last: it must have no failure then, or nothing else counts. Progress goes to stderr.
Stand-alone: NumPy and TensorFlow, CPython 3.8 syntax.
"""

import argparse
import gc
import json
import math
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST, LAST = "healthy, first", "healthy, last"
LISTED = 40
"""Failing checks written out for each fault, the worst first."""
PASSING, FAILING, NOTED, CRASHED = "passes", "fails", "info", "crashed"


def main(argv=None):
    given = options(argv)
    sys.path.insert(0, HERE)
    tf = quiet_tensorflow()
    import planting

    sets = ("mutants", "breadth") if given.set == "both" else (given.set,)
    wanted = [fault for fault in planting.catalogue(sets) if chosen(fault, given.faults)]
    there = already(given)
    study = Study(tf, given)
    if FIRST in there:
        study.usual = noted(there[FIRST])
    else:
        study.healthy(FIRST)
    for number, fault in enumerate(wanted, 1):
        if fault.name not in there:
            study.fault(fault, "%d/%d" % (number, len(wanted)))
    study.healthy(LAST)


def options(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--battery", required=True, help="the folder of the battery's scripts")
    parser.add_argument("--level", choices=("quick", "standard", "full"), default="quick")
    parser.add_argument("--faults", default="all", help="all, or names, beginnings of names and families, by comma")
    parser.add_argument("--set", choices=("mutants", "breadth", "both"), default="mutants")
    parser.add_argument("--seed", type=int, default=0, help="of the battery's values and of the faults' chances")
    parser.add_argument("--out", required=True)
    return parser.parse_args(argv)


def chosen(fault, asked):
    return asked == "all" or any(fault.family == word or fault.name.startswith(word) for word in asked.split(","))


def already(given):
    """What was measured at this level and seed, by name."""
    if not os.path.exists(given.out):
        return {}
    with open(given.out) as stream:
        lines = [json.loads(line) for line in stream if line.endswith("}\n")]  # the last may have been cut short
    return {line["name"]: line for line in lines if (line["level"], line["seed"]) == (given.level, given.seed)}


def noted(line):
    return {tuple(key) for key in line["noted"]}


def quiet_tensorflow():
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    without_xla(tf)
    return tf


def without_xla(tf):
    """Keras 3 compiles with XLA where there is no GPU, and XLA cannot compile a fault in NumPy. Macs never do."""
    if int(tf.keras.__version__.split(".")[0]) < 3:
        return
    name = "model_supports_jit"
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("keras.") and callable(vars(module).get(name)):
            setattr(module, name, lambda model: False)


def run_battery(tf, folder, level, seed):
    """The battery's checks, as dictionaries with id, mode, status, error_in_bounds and detail. The one door to it."""
    if folder not in sys.path:
        sys.path.append(folder)
    import numerics

    asked = numerics.options(["--devices", "CPU:0", "--level", level, "--seed", str(seed)])
    answer = {"checks": []}
    numerics.compute(tf, asked, lambda event: None, answer)
    return answer["checks"]


class Study:
    """Runs the battery again and again, and writes down what it said."""

    def __init__(self, tf, given):
        self.tf, self.given, self.usual = tf, given, set()

    def healthy(self, name):
        line = self._measured(name)
        self.usual = noted(line)
        self._write(line)
        if line["fails"] or line["crashed"]:
            sys.exit("the healthy battery fails: %s" % (line["fails"] + line["crashed"])[:3])

    def fault(self, fault, place):
        from planting import planted

        with planted(self.tf, fault.name, self.given.seed):
            line = self._measured(fault.name)
        line["noted"] = [key for key in line["noted"] if tuple(key) not in self.usual]
        line.update(set=fault.set, op=fault.op, family=fault.family, text=fault.text)
        self._write(line, place)

    def _measured(self, name):
        begun = time.time()
        rules = RulesOfThumb(self.given.battery)
        checks = rules.watching(lambda: run_battery(self.tf, self.given.battery, self.given.level, self.given.seed))
        if self.given.set == "mutants":
            rules.look_at_losses(self.tf)
        self.tf.keras.backend.clear_session()
        gc.collect()
        line = {"name": name, "level": self.given.level, "seed": self.given.seed, "tensorflow": self.tf.__version__}
        return dict(
            line, checks=len(checks), seconds=round(time.time() - begun, 2), rules=rules.wrong, **summary(checks)
        )

    def _write(self, line, place=""):
        with open(self.given.out, "a") as stream:
            stream.write(json.dumps(line) + "\n")
        verdict = "caught" if line["caught"] else "crashed" if line["crashed"] else "-"
        worst = (line["fails"] or line["crashed"] or [[""]])[0]
        said = (place, line["name"], verdict, line["failed"], worst, line["seconds"])
        sys.stderr.write("%s %s: %s, %d failed, worst %s, %.1f s\n" % said)


class RulesOfThumb:
    """What people go by instead, on the same numbers: tolerances, the loss, the list of devices. `wrong`: rule to verdict."""

    def __init__(self, battery):
        import naive

        if battery not in sys.path:
            sys.path.append(battery)
        self._naive = naive
        self.wrong = dict.fromkeys(list(naive.RULES) + list(naive.LOSS_RULES) + [naive.LISTING], False)

    def watching(self, call):
        """Run something, and apply the tolerances to every array that the battery compares meanwhile."""
        from battery import wants

        kept = wants.Want.judge

        def judge(want, found):
            if not all(self.wrong[name] for name in self._naive.RULES):
                self.wrong.update(dict.fromkeys(self._naive.differs(found, want.value), True))
            return kept(want, found)

        wants.Want.judge = judge
        try:
            return call()
        finally:
            wants.Want.judge = kept

    def look_at_losses(self, tf):
        """Train the report's classifier for its steps, as the loss alone is looked at."""
        from battery.programs import classifier

        try:
            plan = classifier.Plan()
            losses, _ = classifier.train(tf, plan, "CPU:0")
            self.wrong.update(self._naive.by_losses(losses, classifier.trajectory(plan)[0]))
        except Exception:  # what raises is seen by whoever trains
            self.wrong.update(dict.fromkeys(self._naive.LOSS_RULES, True))


def summary(checks):
    """Failing checks, the worst first; an error without a number is the worst. A crash alone does not count as caught.

    Fewer bits than float32 has are reported as a warning, with the operation, and count: that is what was planted.
    """
    told = [
        c
        for c in checks
        if c["status"] == FAILING or (c["status"] == NOTED and c["reason"] in ("precision", "convention"))
    ]
    failing = sorted(told, key=badness, reverse=True)
    crashed = [[c["id"], c["mode"], c.get("detail", "")[:200]] for c in checks if c["status"] == CRASHED]
    fails = [[c["id"], c["mode"], c["error_in_bounds"]] for c in failing]
    return {
        "caught": bool(fails),
        "failed": len(fails),
        "fails": fails[:LISTED],
        "noted": [[c["id"], c["mode"]] for c in checks if c["status"] == NOTED],
        "crashed": crashed[:LISTED],
        "modes": sorted({mode for _, mode, _ in fails}),
    }


def badness(check):
    ratio = check["error_in_bounds"]
    return math.inf if ratio is None else ratio


if __name__ == "__main__":
    main()
