"""The battery in real TensorFlow environments: healthy ones pass whole, and each planted fault is caught where it is."""

from __future__ import annotations

import os

import pytest

from compat.facts.numerics import Numerics
from compat.smoke.run import run_smoke
from compat.smoke.whole import check_whole
from tests.smoke.environments import EVERY_RUN, environment
from tests.smoke.plants import planted

pytestmark = [pytest.mark.real, pytest.mark.full]

CAUGHT = {
    # fault: (what must fail, as (id, mode); what must still pass)
    "filter gradient loses the last output row": (
        {("conv2d/k3_odd/int/dw", "eager"), ("conv2d/network/int/dk1", "graph")},
        {("conv2d/k3_odd/int/dx", "eager"), ("dense/n7/int/dw", "graph")},
    ),
    "filter gradient has its input channels shuffled": (
        {("conv2d/k3_odd/int/dw", "eager"), ("conv2d/k1_wide/real/dw", "eager")},
        {("conv2d/k2_even/int/dw", "eager"), ("conv2d/k3_odd/int/dx", "eager")},  # one channel: nothing to shuffle
    ),
    "input gradient is one column off": (
        {("conv2d/k3_odd/int/dx", "eager"), ("conv2d/k3_relu/int/dx", "graph")},
        {("conv2d/k3_odd/int/dw", "eager")},
    ),
    "pooling gradient is one column off": (
        {("maxpool/k3s2/exact/dx", "eager")},
        {("maxpool/k3s2/exact/y", "eager")},
    ),
    "bias gradient misses the last sample": (
        {("dense/n7/int/db", "eager"), ("dense/n7/int/db", "graph"), ("conv2d/k3_s2/int/db", "eager")},
        {("dense/n7/int/dw", "eager"), ("conv2d/k3_s2/int/dw", "eager")},
    ),
    "compiled dense layers skip the ReLU": (
        {("dense/n7/int/y", "graph"), ("keras/predict/int/dense", "predict")},
        {("dense/n7/int/y", "eager"), ("conv2d/k3_relu/int/y", "graph"), ("keras/predict/int/conv2d", "predict")},
    ),
    "Adam has epsilon 1e-8": ({("optimizer/adam/tiny", "eager")}, {("optimizer/momentum/tiny", "eager")}),
    "convolution returns its previous result of this shape": (
        {("conv2d/k3_odd/int/y", "eager")},
        {("dense/n7/int/y", "eager"), ("maxpool/k3s2/exact/y", "eager")},
    ),
    "softmax does not take off the maximum": (
        {("softmax/extreme/extreme/y", "eager"), ("softmax/extreme/extreme/y", "graph")},
        {("softmax/c10/bound/y", "eager"), ("xent/c10/bound/y", "eager")},
    ),
}


@pytest.fixture(scope="session", params=EVERY_RUN)
def interpreter(request, tmp_path_factory):
    return environment(request.param, tmp_path_factory.mktemp("environments"))


def smoke(interpreter, tmp_path, plant=None, **options) -> Numerics:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if plant:
        variables["PYTHONPATH"] = planted(plant, tmp_path)
    return run_smoke(interpreter, environment=variables, **options)


def statuses(found):
    return {(check.id, check.mode): check.status for check in found.checks}


@pytest.mark.parametrize("level", ["quick", "standard"])
def test_a_healthy_tensorflow_passes_everything_it_has_a_kernel_for(interpreter, tmp_path, level):
    found = smoke(interpreter, tmp_path, level=level)

    by_status = {
        status: {check.id for check in found.checks if check.status == status} for status in ("passes", "fails", "info")
    }
    assert found.outcome == "ran"
    assert by_status["fails"] == set()
    assert {check.status for check in found.checks} <= {"passes", "info"}
    assert {check.reason for check in found.checks if check.status == "info"} <= {"cpu", "order"}
    assert {check.mode for check in found.checks} >= {"eager", "graph", "predict"}
    assert ("train/fit/loss" in by_status["passes"]) == (level == "standard")
    assert all(check.error_in_bounds is None or check.error_in_bounds < 0.8 for check in found.checks)


@pytest.mark.parametrize("fault", CAUGHT)
def test_a_planted_fault_fails_where_it_is_and_nowhere_else(interpreter, tmp_path, fault):
    wrong, right = CAUGHT[fault]

    found = statuses(smoke(interpreter, tmp_path, fault))

    assert {key: found.get(key) for key in wrong} == dict.fromkeys(wrong, "fails")
    assert {key: found.get(key) for key in right} == dict.fromkeys(right, "passes")


def test_the_detail_says_what_the_wrong_elements_share(interpreter, tmp_path):
    found = smoke(interpreter, tmp_path, "pooling gradient is one column off", only="maxpool/k3s2/exact/dx")

    assert {(check.id, check.status) for check in found.checks} == {("maxpool/k3s2/exact/dx", "fails")}
    assert all("worst at [" in check.detail and "values out of bounds" in check.detail for check in found.checks)


def test_reduced_precision_is_told_as_such_and_is_no_failure(interpreter, tmp_path):
    found = smoke(interpreter, tmp_path, "convolution rounds its inputs to bfloat16", only="conv2d/k3_odd")

    assert statuses(found)["conv2d/k3_odd/real/y", "eager"] == "info"
    assert statuses(found)["conv2d/k3_odd/int/y", "eager"] == "passes"
    assert "about 8 significant bits" in next(check.detail for check in found.checks if check.status == "info")


def test_an_abort_inside_the_import_is_told_with_its_line(interpreter, tmp_path):
    found = smoke(interpreter, tmp_path, "import aborts")

    assert (found.outcome, found.signal, found.last_check) == ("aborted", 6, "import")
    assert found.key_line is not None
    assert "c_api_experimental.cc:739] Non-OK-status" in found.key_line


def test_a_hang_is_killed_and_the_finished_checks_are_kept(interpreter, tmp_path):
    found = smoke(interpreter, tmp_path, "the first compiled convolution never ends", step=20, timeout=200)

    assert found.outcome == "hung"
    assert found.last_check is not None
    assert found.last_check.endswith("(graph on CPU:0)")
    assert statuses(found)["conv2d/k3_odd/int/y", "eager"] == "passes"


def test_a_device_that_is_not_there_is_skipped_not_computed_on_the_cpu(interpreter, tmp_path):
    found = smoke(interpreter, tmp_path, devices=("GPU:0",))

    assert [(check.device, check.status) for check in found.checks] == [("GPU:0", "skipped")]
    assert [device.name for device in found.devices] == ["CPU:0"]


@pytest.mark.parametrize("backend", ["numpy", "jax"], ids=["there", "not installed"])
def test_keras_on_another_backend_is_declined_and_the_operations_still_checked(backend, tmp_path_factory):
    keras3 = environment("keras3", tmp_path_factory.mktemp("environments"))
    found = run_smoke(keras3, environment={**os.environ, "KERAS_BACKEND": backend})

    declined = [check for check in found.checks if check.id == "keras"]
    assert [check.status for check in declined] == ["skipped"]
    assert f"computes with {backend} here" in declined[0].detail
    assert statuses(found)["conv2d/k3_odd/int/y", "eager"] == "passes"


def test_a_whole_environment_works_whole(interpreter):
    found = check_whole(interpreter)

    assert found.broken == ()
    assert found.ok
