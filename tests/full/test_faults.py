"""Every planted fault against the battery: at the level `quick`, and at `standard` what quick did not see.

    pytest -m full tests/full/test_faults.py            resumes where it stopped
    rm tests/full/results/faults.json                   starts anew

Kept per TensorFlow: of each fault the worst failing check of each level that caught it, and what the rules of thumb said
of the same numbers. A fault that no level catches stands in the results as missed; it does not fail the test.
TFCOMPAT_FAULTS_QUICK_ONLY leaves standard out, TFCOMPAT_TEST_ENVIRONMENTS names the folder that holds the environments, TFCOMPAT_TEST_SCRATCH one for what is half done.
"""

import os
import subprocess
from datetime import date
from pathlib import Path

import pytest

from tests.faults.alarms import lines
from tests.full.keeping import keep, kept
from tests.full.test_alarms import ROOT, SCRIPTS, digest
from tests.smoke.environments import environment

pytestmark = pytest.mark.full

VERSIONS = ("2.18.1", "2.15.1", "2.21.0")
HEALTHY = ("healthy, first", "healthy, last")
MUST_PASS = {"fwd_out_noise_2^-18"}
"""Legitimate by design: Winograd F(6x6) does worse."""


EVERY = {"mutants": 1, "breadth": int(os.environ.get("TFCOMPAT_EVERY_FAULT", "3"))}
"""Of the second set, which is large, every third by name; TFCOMPAT_EVERY_FAULT=1 takes all (an hour more)."""
RUNS = [(version, kind) for kind in ("mutants", "breadth") for version in VERSIONS]


@pytest.mark.parametrize(("version", "kind"), RUNS)
def test_the_planted_faults_are_caught(version, kind, tmp_path):
    name = f"{version} {kind}"
    if kept("faults").get(name, {}).get("battery") == digest():
        return
    quick = studied(version, kind, "quick", chosen(kind), tmp_path)
    missed = [fault for fault, line in quick.items() if not line["caught"] and fault not in HEALTHY]
    deep = "TFCOMPAT_FAULTS_QUICK_ONLY" not in os.environ
    standard = studied(version, kind, "standard", ",".join(missed), tmp_path) if missed and deep else {}
    record = {
        "day": date.today().isoformat(),  # noqa: DTZ011 - a day in the tester's own calendar
        "battery": digest(),
        "one_in": EVERY[kind],
        "levels": ["quick", "standard"] if deep else ["quick"],
        "healthy": quick[HEALTHY[0]]["rules"],
        "faults": {fault: told(line, standard.get(fault)) for fault, line in quick.items() if fault not in HEALTHY},
    }
    keep("faults", name, record)

    caught = {fault for fault, row in record["faults"].items() if row["quick"] or row["standard"]}
    assert not caught & MUST_PASS
    assert kind == "breadth" or set(record["faults"]) - MUST_PASS <= caught


def chosen(kind):
    """The names of the faults of a set that are planted, by comma."""
    import sys

    sys.path.insert(0, str(ROOT / "tests" / "faults"))
    import planting

    return ",".join(sorted(fault.name for fault in planting.catalogue((kind,)))[:: EVERY[kind]])


def studied(version, kind, level, names, tmp_path):
    """The lines of the study, by fault."""
    folder = Path(os.environ.get("TFCOMPAT_TEST_SCRATCH", tmp_path))
    out = folder / f"faults-{version}-{kind}-{level}-{digest()}.jsonl"
    argv = [environment(version, tmp_path), str(ROOT / "tests" / "faults" / "study.py"), "--battery", str(SCRIPTS)]
    argv += ["--level", level, "--set", kind, "--faults", names, "--out", str(out)]
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, env={**clean, "TF_CPP_MIN_LOG_LEVEL": "3"}, check=True)
    return {line["name"]: line for line in lines(out)}


def told(quick, standard):
    """What is kept of one fault."""
    return {
        "set": quick["set"],
        "op": quick["op"],
        "family": quick["family"],
        "text": quick["text"],
        "quick": (quick["fails"] or [None])[0] if quick["caught"] else None,
        "checks": quick["failed"],
        "standard": (standard["fails"] or [None])[0] if standard and standard["caught"] else None,
        "naive": [rule for rule, wrong in quick["rules"].items() if wrong],
    }
