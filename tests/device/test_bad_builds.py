"""`doctor` from end to end on plugins that are no good as files, and on two at once: each is named, none takes it along.

And on a TensorFlow that meets too little memory or a variable it cannot make sense of, where the plugin is sound.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device.build import ABSENT, NoCompiler, build, site
from tests.smoke.environments import environment

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
MAC = ROOT / "tests" / "data" / "machines" / "seed-m1-loss-explosion.json"
LIBRARY = "libmetal_plugin.dylib"
BAD = {
    # how the file is bad: what the finding must say, one of each
    "unresolved_symbol": (("cannot be imported",), ("undefined symbol: TF_SymbolOfAnotherTensorFlow",)),
    "missing_library": (("cannot be imported",), (f"{ABSENT}: cannot open shared object file",)),
    "wrong_architecture": (("cannot be imported",), (LIBRARY,)),
    "truncated": (("cannot be imported", "kills the process"), ("file too short", "SIGBUS", "Bus error")),
}


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    return environment("keras3", tmp_path_factory.mktemp("environments"))


@pytest.fixture(scope="module")
def library(interpreter, tmp_path_factory):
    """A function of the variant: the device as a file; it is compiled once."""
    folder = tmp_path_factory.mktemp("device")

    def built(variant):
        try:
            return build(interpreter, folder, variant=variant)
        except NoCompiler as missing:
            pytest.skip(str(missing))

    return built


@pytest.fixture
def doctor(interpreter, library, tmp_path):
    """A function of the plugin and what surrounds it: exit code, what failed by rule, and the run's record."""

    def examine(variant="healthy", *, copies=1, memory=None, **extra):
        home = site(tmp_path, library(variant), metal=True, fake_mac=True, copies=copies)
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        argv = [sys.executable, "-m", "compat", "doctor", "--facts", str(MAC), "--python", interpreter]
        words = shlex.join([*argv, "--select", "NUM", "--format", "json"])
        limit = f"ulimit -v {memory}; " if memory else ""
        done = subprocess.run(
            ["/bin/sh", "-c", f"{limit}exec {words}"],
            env={**kept, "PYTHONPATH": str(home), **extra},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
        assert "Traceback" not in done.stderr
        document = json.loads(done.stdout)
        found = {row["id"]: row for row in document["findings"] if row["status"] == "fails"}
        return done.returncode, found, document["facts"]["numerics"]

    return examine


def everything(finding):
    return " ".join([finding["message"], *(seen["fact"] for seen in finding["evidence"])])


@pytest.mark.parametrize("variant", BAD)
def test_a_plugin_that_cannot_be_loaded_is_why_tensorflow_does_not_start(doctor, variant):
    how, what = BAD[variant]

    code, found, numerics = doctor(variant)

    assert code == 1
    assert any(words in found["NUM601"]["message"] for words in how)
    assert any(words in everything(found["NUM601"]) for words in what)
    assert found["NUM601"]["remedy"]["commands"] == ["tfcompat fix --create-venv"]
    assert found.keys() <= {"NUM601", "NUM609"}  # nothing is said of numbers that were not computed
    assert numerics["checks"] == []


def test_a_plugin_without_a_device_is_a_warning_and_the_cpu_is_measured(doctor):
    code, found, numerics = doctor(TFCOMPAT_DEVICE_FAULT="no_devices")

    assert code == 0
    assert "tensorflow-metal 1.2.0 is installed, and TensorFlow lists no GPU" in found["NUM604"]["message"]
    assert found["NUM604"]["severity"] == "warning"
    assert {check["device"] for check in numerics["checks"]} == {"CPU:0"}


def test_two_plugins_of_one_platform_end_the_process_and_the_line_says_so(doctor):
    code, found, numerics = doctor(copies=2)

    assert code == 1
    assert "kills the process (SIGABRT)" in found["NUM601"]["message"]
    assert "RegisterPlatform" in found["NUM601"]["message"]
    assert (numerics["outcome"], numerics["last_check"]) == ("aborted", "import")


@pytest.mark.parametrize("kilobytes", [350_000, 650_000], ids=["to load it", "to import it"])
def test_with_too_little_memory_more_of_it_is_advised_and_no_other_tensorflow(doctor, kilobytes):
    code, found, _ = doctor(memory=kilobytes, TF_CPP_MIN_LOG_LEVEL="2")

    assert code == 1
    assert "memory ran out" in everything(found["NUM601"])
    assert "ulimit -v" in found["NUM601"]["remedy"]["text"]
    assert found["NUM601"]["remedy"]["commands"] == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("TF_XLA_FLAGS", "--tf_no_such_flag", "Unknown flag"),
        ("KERAS_BACKEND", "nonsense", "Unable to import backend"),
    ],
)
def test_a_variable_that_ends_the_import_is_what_the_finding_speaks_of(doctor, name, value, said):
    code, found, _ = doctor(**{name: value})

    assert code == 1
    assert said in found["NUM601"]["message"]
    assert f"{name}={value} is set" in everything(found["NUM601"])
    assert f"`unset {name}`" in found["NUM601"]["remedy"]["text"]


def test_variables_that_change_numbers_are_judged_with_and_told(doctor):
    given = {
        "NVIDIA_TF32_OVERRIDE": "1",
        "XLA_FLAGS": "--xla_cpu_enable_fast_math=true",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "TF_USE_LEGACY_KERAS": "1",
    }

    code, found, numerics = doctor(**given)

    assert code == 0
    assert all(f"{name}={value}" in found["NUM609"]["message"] for name, value in given.items())
    declined = [check["detail"] for check in numerics["checks"] if check["id"] == "keras"]
    assert len(declined) == 2  # on each device: the package tf_keras is not installed
    assert all("TF_USE_LEGACY_KERAS asks for the package tf_keras" in detail for detail in declined)
    assert {check["device"] for check in numerics["checks"] if check["status"] == "passes"} == {"CPU:0", "GPU:0"}
