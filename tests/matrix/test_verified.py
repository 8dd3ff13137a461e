"""What was run for a lock, and the Linux twin of one that could not be run here."""

from __future__ import annotations

import pytest

from compat.matrix.load import load
from compat.matrix.verified import steps, twin
from tests.matrix.trees import GOOD, write
from tests.plan.evidence.test_ground import lock
from tests.verdict.rules.tiny_matrix import tiny_matrix

LINUX = "locks/linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml"
MAC = "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"
RAN = (
    '[verified]\nday = 2026-11-30\nimports = "ok"\npip_check = "compatible"\nfit = "ok"\nsave_keras = "not supported"\n'
)


def matrix_of(root, **files):
    linux = GOOD[LINUX].split("[verified]")[0] + files.get("linux", RAN)
    return load(write(root, {**GOOD, LINUX: linux, MAC: GOOD[MAC] + files.get("mac", "")}))


def entry(matrix, platform):
    return next(row for row in matrix.locks() if row.platform == platform)


def test_the_steps_that_ended_well_are_told_in_order(tmp_path):
    matrix = matrix_of(tmp_path)

    assert steps(matrix, entry(matrix, "linux-x86_64")) == ("imports", "fit")
    assert steps(matrix, entry(matrix, "macos-arm64")) == ()


def test_the_twin_ran_the_same_tensorflow_on_the_same_python(tmp_path):
    matrix = matrix_of(tmp_path)
    found = twin(matrix, entry(matrix, "macos-arm64"))

    assert (found[0].platform, found[1]) == ("linux-x86_64", "")
    assert twin(matrix, entry(matrix, "linux-x86_64")) is None


def test_what_nobody_ran_is_no_twin(tmp_path):
    matrix = matrix_of(tmp_path, linux="")

    assert twin(matrix, entry(matrix, "macos-arm64")) is None


def test_a_twin_that_the_lock_names_is_told_with_what_it_has_in_another_version(tmp_path):
    named = '[twin]\nday = 2026-11-30\nfile = "linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml"\nhas = "h5py 3.16.0"\n'
    matrix = matrix_of(tmp_path, mac=named)

    assert twin(matrix, entry(matrix, "macos-arm64"))[1] == "h5py 3.16.0"


@pytest.mark.parametrize(
    "more", [{"plugin": "tensorflow-metal"}, {"cuda": True}, {"tier": "installs"}, {"python": "3.11"}], ids=str
)
def test_only_the_same_combination_run_whole_on_the_cpu_is_a_twin(more):
    linux = lock(file="b.toml", platform="linux-x86_64", tier="runs", verified_day="2026-11-30")
    mac = tiny_matrix(locks=[lock()]).locks()[0]

    assert twin(tiny_matrix(locks=[linux]), mac) is not None
    assert twin(tiny_matrix(locks=[{**linux, **more}]), mac) is None
