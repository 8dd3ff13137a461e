"""Decisions on the committed matrix: what fits, why, and for what cannot be had the fewest facts that prove it."""

import functools
import itertools
from dataclasses import replace

import pytest

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.facts.interpreter import FoundInterpreter, Interpreter
from compat.facts.machine import Gpu, Machine
from compat.matrix.load import load
from compat.matrix.query import link, pythons_for
from compat.matrix.versions import order
from compat.plan import resolve
from compat.plan.candidates import candidates
from compat.plan.model import Plan, Refusal, Wish
from compat.plan.resolve import decide, default_wish, only

MATRIX = load()


def mac(chip="Apple M1", macos="13.5", arch="arm64", **rest):
    return Facts(machine=Machine(os="macos", architecture=arch, chip=chip, os_version=macos, **rest))


def linux(arch="x86_64", **rest):
    return Facts(machine=Machine(os="linux", architecture=arch, glibc="2.36", **rest))


INTEL = mac("Intel(R) Core(TM) i7-9750H", "13.5", "x86_64")
NVIDIA = linux(wsl=2, gpus=(Gpu(name="RTX 4090", vendor="nvidia"),))


def decided(facts, **wish):
    return decide(default_wish(facts, **wish), facts, MATRIX)


def pair(candidate):
    plugin = candidate.accelerator.version if candidate.accelerator else None
    return candidate.tensorflow, plugin, candidate.python


def test_python_3_13_with_a_gpu_is_refused_and_an_older_python_offered():
    refusal = decided(mac(), python="3.13")

    assert isinstance(refusal, Refusal)
    assert refusal.conflict == ("python", "gpu")
    assert "no tensorflow-metal release has a wheel for Python 3.13" in refusal.causes[0].text
    assert order(refusal.options[0].candidate.python) <= order("3.12")
    assert refusal.options[0].candidate.accelerator is not None


def test_python_3_10_gets_a_matched_pair_on_3_10():
    best = decided(mac(), python="3.10").best

    assert best.python == "3.10"
    assert link(MATRIX, best.tensorflow, "tensorflow-metal", best.accelerator.version, "arm64").loads
    assert "3.10" in pythons_for(MATRIX, "tensorflow-metal", best.accelerator.version, best.target)


def test_an_intel_mac_asking_for_2_18_is_told_that_2_16_2_is_the_last():
    refusal = decided(INTEL, tensorflow="==2.18.*")

    assert refusal.conflict == ("tensorflow",)
    assert "the newest that has is 2.16.2" in refusal.causes[0].text
    assert pair(refusal.options[0].candidate)[:2] == ("2.16.2", None)


def test_an_intel_mac_gets_the_last_one_on_the_cpu_and_why():
    plan = decided(INTEL)

    assert pair(plan.best)[:2] == ("2.16.2", None)
    assert any("last TensorFlow with wheels for Intel Macs" in reason for reason in plan.reasons)


def test_an_intel_macs_gpu_must_be_asked_for():
    assert decided(INTEL, gpu=True).best.accelerator is not None


def test_macos_26_on_m5_gets_the_pair_that_was_seen_to_run():
    plan = decided(mac("Apple M5", "26.1"))

    assert pair(plan.best)[:2] == ("2.18.1", "1.2.0")
    assert (plan.best.evidence.tier, plan.best.evidence.on_this_chip) == ("runs", 1)
    assert plan.best.lock.recommended or plan.best.python != "3.12"


def test_tensorflow_2_21_with_a_gpu_cannot_load_and_there_are_three_ways_out():
    refusal = decided(mac("Apple M5", "26.1"), tensorflow="==2.21.*")

    assert refusal.conflict == ("tensorflow", "gpu")
    assert "@rpath/_pywrap_tensorflow_internal.so" in refusal.causes[0].text
    assert [option.candidate and pair(option.candidate)[:2] for option in refusal.options] == [
        ("2.18.1", "1.2.0"),
        ("2.21.0", None),
        None,
    ]
    assert "third-party" in refusal.options[2].text


def test_the_third_partys_own_terms_are_kept():
    refusal = decided(mac("Apple M1", "14.5"), tensorflow="==2.21.*")

    assert all(option.candidate for option in refusal.options)


SEED = replace(
    mac(),
    interpreter=Interpreter(path="python", version="3.11.4"),
    environment=Environment(
        kind="venv",
        path="env",
        distributions=tuple(
            Distribution(name=name, version=version, location="site-packages")
            for name, version in (
                ("tensorflow", "2.13.0"),
                ("tensorflow-macos", "2.13.0"),
                ("tensorflow-metal", "1.0.1"),
            )
        ),
    ),
)


def test_the_seeds_machine_is_told_what_is_wrong_now_and_where_to_move():
    plan = decided(SEED)

    assert pair(plan.best) == ("2.18.1", "1.2.0", "3.11")
    assert any(reason.startswith("now:") and "loss climbs" in reason for reason in plan.reasons)


def test_a_pair_that_cannot_load_is_told_as_what_is_wrong_now():
    rows = tuple(
        Distribution(name=name, version=version, location="site-packages")
        for name, version in (("tensorflow", "2.20.0"), ("tensorflow-metal", "1.2.0"))
    )
    broken = replace(SEED, environment=Environment(kind="venv", path="env", distributions=rows))

    assert any(
        "cannot load" in reason and "_pywrap_tensorflow_internal.so" in reason for reason in decided(broken).reasons
    )


def test_a_python_without_a_wheel_is_given_up_with_a_reason():
    facts = replace(mac(), interpreter=Interpreter(path="python", version="3.13.1"))

    assert any("Python 3.13 has no tensorflow-metal" in reason for reason in decided(facts).reasons)
    old = replace(linux(), interpreter=Interpreter(path="python", version="3.8.10"))
    assert any("Python 3.8 has no wheel of TensorFlow" in reason for reason in decided(old).reasons)


def test_linux_gets_pins_that_were_run_whole():
    plan = decided(linux())

    assert plan.best.lock is not None
    assert plan.best.evidence.tier == "runs"
    assert any("run whole" in reason for reason in plan.reasons)


@pytest.mark.parametrize(("wish", "version"), [("==2.8.4", "2.8.4"), ("==2.7.*", "2.7.4")])
def test_an_old_tensorflow_is_planned_where_pins_of_it_ran_whole(wish, version):
    plan = decided(linux(), tensorflow=wish)

    assert (plan.best.tensorflow, plan.best.evidence.tier) == (version, "runs")


def test_an_old_tensorflow_without_pins_is_refused_for_its_age():
    refusal = decided(linux(), tensorflow="==2.5.*")

    assert [cause.text for cause in refusal.causes] == [
        "TensorFlow ==2.5.* has wheels, but is older than 2.9, and no pins are known with which it works whole"
    ]


def test_wsl2_with_an_nvidia_gpu_gets_cuda_and_falls_back_to_the_cpu():
    plan = decided(NVIDIA)

    assert plan.best.accelerator.kind == "cuda"
    assert plan.best.requirements[0].startswith("tensorflow[and-cuda]==")
    assert "with CUDA" in plan.best.title
    assert plan.fallbacks[0].accelerator is None


def test_cpu_means_no_plugin():
    plan = decided(mac(), cpu=True)

    assert all(candidate.accelerator is None for candidate in (plan.best, *plan.fallbacks))


def test_at_most_two_gpu_attempts_with_two_plugins_then_the_cpu():
    plan = decided(mac())

    tried = [plan.best, *plan.fallbacks]
    plugins = [candidate.accelerator.version for candidate in tried if candidate.accelerator]
    assert len(plugins) == len(set(plugins)) == 2
    assert tried[-1].accelerator is None


def test_macos_11_has_no_plugin_wheel():
    refusal = decided(mac(macos="11.7"))

    assert refusal.conflict == ("gpu",)
    assert "macOS 11.7" in refusal.causes[0].text


def test_a_binary_built_for_a_newer_macos_is_not_offered():
    found = candidates(Wish(gpu=True), mac(macos="12.0"), MATRIX)

    assert found
    assert "1.2.0" not in {candidate.accelerator.version for candidate in found}


def test_what_was_seen_failing_and_never_working_is_not_offered():
    found = candidates(Wish(gpu=True), mac(macos="26.0"), MATRIX)

    assert ("2.11.0", "0.7.0") not in {pair(candidate)[:2] for candidate in found}


def test_a_python_at_hand_is_preferred():
    facts = replace(linux(), found=(FoundInterpreter(path="p", source="PATH", version="3.11.7"),))

    assert decided(facts, tensorflow="==2.18.*").best.python == "3.11"


def test_what_an_m1_did_is_no_evidence_for_an_intel_mac():
    found = candidates(Wish(gpu=True), INTEL, MATRIX)

    assert {candidate.evidence.tier for candidate in found} == {"links"}


def test_an_unknown_machine_is_said_to_be_one():
    refusal = decided(Facts())

    assert refusal.conflict == ("machine",)
    assert "unknown system" in refusal.causes[0].text


OLD = [
    mac("Intel(R) Core(TM) i5", "10.13", "x86_64"),
    Facts(machine=Machine(os="linux", architecture="x86_64", glibc="2.4")),
]
MACHINES = [*OLD, mac(), mac("Apple M5", "26.1"), mac(macos="11.7"), INTEL, linux(), linux("aarch64"), NVIDIA]
WISHES = [
    Wish(gpu=gpu, python=python, tensorflow=tensorflow)
    for gpu, python, tensorflow in itertools.product(
        (True, False), (None, "3.8", "3.12", "3.13"), (None, "==2.21.*", "==2.10.*", "==99")
    )
]


@pytest.fixture
def remembered(monkeypatch):
    """What is asked of one machine again and again, answered from memory: the answer is a function of the wish."""
    memory = functools.cache(candidates)
    monkeypatch.setattr(resolve, "candidates", memory)
    return memory


@pytest.mark.parametrize("facts", MACHINES, ids=lambda facts: f"{facts.machine.platform}-{facts.machine.chip}")
def test_every_refusal_has_a_cause_and_a_conflict_that_is_minimal(facts, remembered):
    for wish in WISHES:
        decision = decide(wish, facts, MATRIX)
        if isinstance(decision, Plan):
            assert decision.best in remembered(wish, facts, MATRIX)
            continue
        told = " ".join(cause.text for cause in decision.causes)
        assert told, (wish, decision.conflict)
        assert "None" not in told
        for part in decision.conflict:
            rest = tuple(name for name in decision.conflict if name != part)
            assert remembered(only(wish, rest), facts, MATRIX), (wish, part)
