"""The battery on healthy TensorFlows with other values: 400,000 comparisons, and none may be called wrong.

    pytest -m full tests/full/test_alarms.py            resumes where it stopped
    rm tests/full/results/alarms.json                   starts anew

Kept per version and setting: how many comparisons, how many alarms, the largest error in units of its bound by family.
TFCOMPAT_TEST_ENVIRONMENTS names the folder that holds the environments.
"""

import hashlib
import os
import subprocess
from datetime import date
from pathlib import Path

import pytest

from tests.faults.alarms import lines
from tests.full.keeping import keep, kept
from tests.smoke.environments import environment

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "compat" / "smoke" / "scripts"
VERSIONS = ("2.15.1", "2.16.2", "2.18.1", "2.20.0", "2.21.0")
SETTINGS = {
    # name: (what is set, further arguments, level, seeds)
    "as it comes": ({}, (), "standard", 10),
    "oneDNN off": ({"TF_ENABLE_ONEDNN_OPTS": "0"}, (), "standard", 5),
    "oneDNN on": ({"TF_ENABLE_ONEDNN_OPTS": "1"}, (), "quick", 4),
    "one thread": ({"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}, (), "quick", 4),
    "two threads": ({"TF_NUM_INTRAOP_THREADS": "2", "TF_NUM_INTEROP_THREADS": "2"}, (), "quick", 4),
    "other values": ({}, ("--first", "1000"), "standard", 10),
    "XLA": ({}, ("--xla",), "quick", 2),
}
ENOUGH = 400_000


def digest():
    """Of the battery: other code is measured again."""
    sources = sorted(path for path in SCRIPTS.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("version", VERSIONS)
def test_no_comparison_on_a_healthy_tensorflow_is_called_wrong(version, setting, tmp_path):
    name = f"{version}, {setting}"
    if kept("alarms").get(name, {}).get("battery") == digest():
        return
    record = measured(version, setting, tmp_path)
    keep("alarms", name, record)

    assert record["alarms"] == []


def measured(version, setting, tmp_path):
    extra, arguments, level, seeds = SETTINGS[setting]
    out = Path(os.environ.get("TFCOMPAT_TEST_SCRATCH", tmp_path)) / f"alarms-{version}-{setting}-{digest()}.jsonl"
    argv = [environment(version, tmp_path), str(ROOT / "tests" / "faults" / "alarms.py"), "--battery", str(SCRIPTS)]
    argv += ["--level", level, "--together", str(seeds), "--out", str(out), *arguments]
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, env={**clean, "TF_CPP_MIN_LOG_LEVEL": "3", **extra}, check=True)
    runs = lines(out)
    return {
        "day": date.today().isoformat(),  # noqa: DTZ011 - a day in the tester's own calendar
        "battery": digest(),
        "versions": {key: runs[0][key] for key in ("tensorflow", "numpy", "python")},
        "level": level,
        "seeds": sum(run["seeds"] for run in runs),
        "comparisons": sum(run["comparisons"] for run in runs),
        "alarms": [dict(check, seed=run["seed"]) for run in runs for check in run["alarms"]],
        "worst": {family: max(run["worst"].get(family, 0) for run in runs) for family in runs[0]["worst"]},
    }


def test_enough_was_compared():
    found = [row for row in kept("alarms").values() if row["battery"] == digest()]

    assert sum(row["comparisons"] for row in found) >= ENOUGH
