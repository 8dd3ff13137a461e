"""What a built environment must show before it is handed over; how its run went is given, no TensorFlow is built."""

from __future__ import annotations

import pytest

from compat.cli import handover
from compat.facts.numerics import Check, Device, Numerics
from compat.facts.whole import Whole
from compat.matrix.model import Target
from compat.plan.model import Accelerator, Candidate, Evidence

CPU, GPU = Device(name="CPU:0", kind="CPU"), Device(name="GPU:0", kind="GPU", description="METAL")
METAL = Accelerator(kind="plugin", distribution="tensorflow-metal", version="1.2.0")


def check(name, device="GPU:0", status="passes", **more):
    return Check(id=name, op="MatMul", mode="graph", device=device, status=status, **more)


def ran(*checks, devices=(CPU, GPU)):
    return Numerics(outcome="ran", devices=devices, checks=(check("dense/n7/int/y", "CPU:0"), *checks))


def candidate(accelerator=METAL):
    return Candidate(
        target=Target(platform="macos-arm64", python="3.12"),
        distribution="tensorflow",
        tensorflow="2.18.1",
        accelerator=accelerator,
        evidence=Evidence(tier="static"),
        lock=None,
        requirements=("tensorflow==2.18.1",),
    )


@pytest.fixture
def verified(monkeypatch):
    def verify(numerics, accelerator=METAL):
        monkeypatch.setattr("compat.smoke.run.run_smoke", lambda *_args, **_named: numerics)
        monkeypatch.setattr("compat.smoke.whole.check_whole", lambda *_args: WHOLE)
        return handover.verify("python", candidate(accelerator), lambda _text: None)

    return verify


STEPS = ("imports", "fit", "save_h5", "load_h5", "save_keras", "load_keras", "savedmodel")
WHOLE = Whole(**dict.fromkeys((*STEPS, "tensorboard_callback", "tensorboard_cli"), "ok"))
REFUSED = {
    "wrong numbers": (ran(check("dense/n7/int/y", status="fails")), "numerics", "1 numerical checks failed: dense/n7"),
    "a crash on the device": (ran(check("sort/k", status="crashed")), "numerics", "sort/k"),
    "a listed device that computed nothing": (
        ran(check("dense/n7/placement", status="info", reason="cpu")),
        "numerics",
        "no operation of the battery ran on GPU:0",
    ),
    "no device at all": (ran(devices=(CPU,)), "imports", "TensorFlow lists no GPU"),
    "a death": (
        Numerics(outcome="aborted", signal=6, key_line="Check failed: x"),
        "imports",
        "aborted: Check failed: x",
    ),
    "too little time": (
        Numerics(outcome="out-of-time", last_check="a (eager on GPU:0)", last_seconds=2.0, time_limit=600.0),
        "imports",
        "the time limit of 600 s was reached after 0 checks, a (eager on GPU:0)",
    ),
    "too little memory, whatever else failed with it": (
        ran(check("dense/n7/int/y", status="fails"), check("a", status="crashed", detail="bad_alloc: x")),
        "imports",
        "memory ran out (bad_alloc: x): give it more memory",
    ),
    "a kill from outside": (Numerics(outcome="aborted", signal=9), "imports", "memory ran out (killed from outside"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_environment_is_refused_for(verified, name):
    numerics, stage, words = REFUSED[name]

    found = verified(numerics)

    assert (found.ok, found.stage) == (False, stage)
    assert words in found.message
    assert found.numeric_failure == (stage == "numerics")


def test_one_that_computes_right_is_handed_over_with_what_was_seen(verified):
    found = verified(ran(check("dense/n7/int/y")))

    assert found.ok
    assert found.message.startswith("no numerical fault found by 2 checks on CPU:0, GPU:0")


def test_without_an_accelerator_no_device_need_compute(verified):
    assert verified(ran(devices=(CPU,)), accelerator=None).ok


def test_remarks_are_no_reason_to_refuse(verified):
    assert verified(ran(check("dense/n7/int/y"), check("dense/n7/again", status="info", reason="order"))).ok
