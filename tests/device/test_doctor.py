"""`doctor` from end to end on the test device, as on a Mac: it passes where the device is sound and names what is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compat.smoke.run import run_smoke
from tests.device.build import NoCompiler, build, site
from tests.smoke.environments import environment

pytestmark = pytest.mark.real

MAC = Path(__file__).parents[1] / "data" / "machines" / "seed-m1-loss-explosion.json"
NUMERIC = {
    # fault: (the finding, what it names first, words that must stand in it)
    "fused_matmul_no_relu": ("NUM603", "MatMul", ("wrong only when compiled", "right eagerly")),
    "conv2d_backprop_filter_last_row": ("NUM603", "Conv2DBackpropFilter", ("should be",)),
    "maxpool_grad_shift": ("NUM603", "MaxPoolGrad", ("should be",)),
    "conv2d_tf32_inputs": ("NUM605", "Conv2D", ("significant bits",)),
}


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory):
    return environment("keras3", tmp_path_factory.mktemp("environments"))


@pytest.fixture(scope="session")
def library(interpreter, tmp_path_factory):
    try:
        return build(interpreter, tmp_path_factory.mktemp("device"))
    except NoCompiler:
        pytest.skip("g++ is not installed")


@pytest.fixture
def variables(library, tmp_path):
    """A function of the fault: the variables with which TensorFlow takes the device for Apple's plugin on a Mac."""
    home = site(tmp_path, library, metal=True, fake_mac=True)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def planted(fault=""):
        extra = {"TFCOMPAT_DEVICE_FAULT": fault} if fault else {}
        return {**kept, "PYTHONPATH": str(home), **extra}

    return planted


@pytest.fixture
def doctor(interpreter, variables):
    def examine(fault=""):
        argv = [sys.executable, "-m", "compat", "doctor", "--facts", str(MAC), "--python", interpreter]
        repository = str(Path(__file__).parents[2])
        done = subprocess.run(
            [*argv, "--format", "json"],
            env=variables(fault),
            cwd=repository,
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )
        return done.returncode, json.loads(done.stdout)

    return examine


def failing(document, prefix="NUM"):
    return {row["id"]: row for row in document["findings"] if row["status"] == "fails" and row["id"].startswith(prefix)}


def test_on_a_sound_device_nothing_numerical_is_found(doctor):
    _, document = doctor()

    numerics = document["facts"]["numerics"]
    by_device = {check["device"] for check in numerics["checks"] if check["status"] == "passes"}
    assert by_device == {"CPU:0", "GPU:0"}
    assert {"description": "METAL", "kind": "GPU", "name": "GPU:0"} in numerics["devices"]
    assert failing(document).keys() <= {"NUM606", "NUM609"}  # some kernels the device does not have


@pytest.mark.parametrize("fault", NUMERIC)
def test_the_planted_operation_is_named(doctor, fault):
    rule, operation, words = NUMERIC[fault]

    code, document = doctor(fault)

    found = failing(document)
    told = found[rule]["message"] + " ".join(seen["fact"] for seen in found[rule]["evidence"])
    assert found[rule]["message"].partition(": ")[2].startswith(operation)
    assert all(word in told for word in words)
    assert "NUM602" not in found  # the CPU computes right
    assert code == 1


def test_a_kernel_that_never_returns_is_named_and_ended(interpreter, variables):
    found = run_smoke(interpreter, environment=variables("conv2d_backprop_input_hang"), step=15, timeout=200)

    assert found.outcome == "hung"
    assert found.last_check is not None
    assert found.last_check.startswith("conv2d/")
    assert found.last_check.endswith("(eager on GPU:0)")
    assert any(check.device == "CPU:0" and check.status == "passes" for check in found.checks)


def test_a_kernel_that_only_compiled_graphs_have_takes_the_process_down_and_its_case_is_named(interpreter, variables):
    found = run_smoke(interpreter, environment=variables("fused_matmul_abort"), timeout=300)

    assert (found.outcome, found.signal) == ("aborted", 6)
    assert found.last_check is not None
    assert found.last_check.startswith(("dense/", "fused/"))
    assert found.last_check.endswith("(graph on GPU:0)")


def test_a_plugin_that_offers_no_device_passes_nothing(interpreter, variables):
    found = run_smoke(
        interpreter, environment=variables("no_devices"), devices=("CPU", "GPU"), only="dense", timeout=200
    )

    assert {check.status for check in found.checks if check.device == "GPU:0"} == {"skipped"}


def test_what_the_plugin_prints_is_not_taken_for_the_answer(interpreter, variables):
    found = run_smoke(interpreter, environment=variables("prints_at_load"), only="softmax", timeout=200)

    assert found.outcome == "ran"
    assert {check.device for check in found.checks} == {"CPU:0", "GPU:0"}
