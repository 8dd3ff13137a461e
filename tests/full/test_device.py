"""Every planted fault of the test device, judged as `doctor` judges it; kept as data.

    pytest -m full tests/full/test_device.py            resumes where it stopped
    rm tests/full/results/device.json                   starts anew

A numeric fault counts when the findings name the operation at fault; a death, a hang, an error or a plugin that does not
load counts when a finding of its kind stands in the report and the run ended within its limits.
TFCOMPAT_TEST_ENVIRONMENTS names the folder that holds the environments, TFCOMPAT_TEST_SCRATCH one for what is half done.
"""

import os
import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from compat.cli.session import judged
from compat.facts.codec import decode
from compat.facts.numerics import Check, Device, Numerics
from compat.probe import replay
from compat.smoke.run import run_smoke
from tests.device.build import build, site
from tests.device.faults import FAULTS
from tests.faults.alarms import lines
from tests.full.keeping import keep, kept
from tests.full.test_alarms import ROOT, SCRIPTS, digest
from tests.smoke.environments import environment

pytestmark = pytest.mark.full

VERSIONS = ("2.18.1", "2.15.1", "2.16.2", "2.20.0", "2.21.0")
MAC = ROOT / "tests" / "data" / "machines" / "seed-m1-loss-explosion.json"
NUMERIC = [fault for fault in FAULTS if fault.kind in ("numeric", "precision")]
OTHERS = [fault for fault in FAULTS if fault.kind in ("death", "hang", "error", "devices", "loading")]
NAMES = {"_FusedMatMul": "MatMul", "_FusedConv2D": "Conv2D", "": ""}
"""What the battery calls the operations that only a compiled graph has."""
JUDGED_BY = {
    "death": {"NUM601", "NUM607"},
    "hang": {"NUM601", "NUM607"},
    "error": {"NUM601", "NUM607"},
    "devices": {"NUM604", "NUM606"},
    "loading": {"NUM601"},
}
"""The findings that say what kind of thing happened."""
NOISE = {"prints_at_load"}
"""What must make no difference: nothing but missing kernels, which the sound device has too, may be found."""
ONLY = "pair,math,single,number,fused,dense,softmax,xent,reduce,update,variable,random,order,conv2d/groups,matmul"
"""The part of `standard` that adds single operations to quick: what has been missed is looked for there, to save hours."""
STEP = 12.0
"""Seconds for one check here; a hang is found in that time."""


@pytest.mark.parametrize("version", VERSIONS)
def test_the_faults_of_the_device_are_named(version, tmp_path):
    if kept("device").get(version, {}).get("battery") == digest():
        return
    scratch = Path(os.environ.get("TFCOMPAT_TEST_SCRATCH", tmp_path))
    found = numeric(version, scratch) | {fault.name: other(version, fault, scratch) for fault in OTHERS}
    record = {"day": date.today().isoformat(), "battery": digest(), "faults": found}  # noqa: DTZ011
    keep("device", version, record)

    assert [name for name, one in found.items() if not one.get("named", one.get("judged"))] == []


def loaded(version, scratch):
    """The interpreter, and the variables with which it takes the device for Apple's."""
    interpreter = environment(version, scratch)
    library = build(interpreter, scratch / f"device-{version}")
    home = site(scratch / f"mac-{version}", library, metal=True, fake_mac=True)
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return interpreter, {**clean, "PYTHONPATH": str(home), "TF_CPP_MIN_LOG_LEVEL": "3"}


def numeric(version, scratch):
    """Each numeric fault at `quick`, and what that did not see at `standard`."""
    quick = studied(version, "quick", [fault.name for fault in NUMERIC], scratch)
    missed = [fault.name for fault in NUMERIC if not told(quick[fault.name], fault)]
    standard = studied(version, "standard", missed, scratch, ONLY) if missed else {}
    return {fault.name: row(fault, quick[fault.name], standard.get(fault.name)) for fault in NUMERIC}


def studied(version, level, names, scratch, only=""):
    interpreter, variables = loaded(version, scratch)
    (library,) = (Path(variables["PYTHONPATH"]) / "tensorflow-plugins").iterdir()
    out = scratch / f"device-{version}-{digest()}.jsonl"
    argv = [interpreter, str(ROOT / "tests" / "device" / "study.py"), "--library", str(library), "--out", str(out)]
    argv += ["--battery", str(SCRIPTS), "--level", level, "--faults", ",".join(names)]
    argv += [f"--only={only}"] if only else []
    subprocess.run(argv, env=variables, check=True)
    return {line["name"]: line for line in lines(out) if line["level"] == level}


def row(fault, quick, standard):
    levels = {"quick": quick, "standard": standard}
    caught = {level: told(line, fault) for level, line in levels.items() if line is not None}
    return {
        "kind": fault.kind,
        "op": fault.op,
        "text": fault.text,
        "level": next((level for level, words in caught.items() if words), None),
        "told": next((words for words in caught.values() if words), ""),
        "named": any(caught.values()),
        "caught": any(failing(line) for line in levels.values() if line is not None),
    }


def failing(line):
    """Whether a check failed, whatever operation it is of, or told of fewer bits."""
    return any(check["status"] == "fails" or check["reason"] == "precision" for check in line["checks"])


def told(line, fault):
    """The finding that names the operation at fault, if one does."""
    record = Numerics(
        outcome="ran",
        tensorflow=line["tensorflow"],
        devices=(Device(name="CPU:0", kind="CPU"), Device(name="GPU:0", kind="GPU", description="METAL")),
        checks=tuple(decode(Check, check) for check in (*line["eager"], *line["checks"])),
    )
    return finding(record, {"NUM603", "NUM605"}, NAMES.get(fault.op, fault.op))


def finding(numerics, rules, word):
    document = judged(replace(replay.read(MAC), numerics=numerics))
    for found in document.verdict.findings:
        said = " ".join([found.message, *(seen.fact for seen in found.evidence)])
        if found.id in rules and found.status.value == "fails" and word in said:
            return f"{found.id} {found.message}"
    return ""


def other(version, fault, scratch):
    """One that ends the process, blocks it, raises, or brings no device: run as doctor runs it."""
    interpreter, variables = loaded(version, scratch)
    planted = {**variables, "TFCOMPAT_DEVICE_FAULT": fault.name}
    numerics = run_smoke(interpreter, environment=planted, step=STEP, timeout=120)
    words = finding(numerics, set().union(*JUDGED_BY.values()), "")
    return {"kind": fault.kind, "op": fault.op, "text": fault.text, "told": words, "judged": rightly(fault, words)}


def rightly(fault, words):
    """Whether the first finding is of the kind that was planted."""
    rule = words.partition(" ")[0]
    return rule in {"", "NUM606"} if fault.name in NOISE else rule in JUDGED_BY[fault.kind]
