"""Every fault at every step of `fix`, on the real uv and tiny wheels; and kills at random points; kept as data.

    pytest -m full tests/full/test_trust.py     resumes where it stopped
    rm tests/full/results/trust.json            starts anew

TFCOMPAT_TEST_EVERY=4 tries one step in four (the record says so). TFCOMPAT_TEST_SCRATCH names the folder to work in: every run
waits for the disk, so that one in memory saves most of the time. A result is valid for the modules it was made with.
"""

import hashlib
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.builder.loopback import serving
from tests.cli.running import command
from tests.full.keeping import keep, kept
from tests.trust import chance, outside, tracing
from tests.trust.run import bench, kill_all
from tests.trust.stages import NAME, PRIVATE, ROOT, STAGES
from tests.trust.table import ROWS, outcome, steps

pytestmark = pytest.mark.full

EVERY = int(os.environ.get("TFCOMPAT_TEST_EVERY", "1"))
COMMAND = "pytest -m full tests/full/test_trust.py"
SUBJECTS = ("builder/apply", "builder/disk", "builder/holding", "builder/journal", "builder/transaction", "process")


SUBJECT = hashlib.sha256(b"".join((ROOT / "compat" / f"{name}.py").read_bytes() for name in SUBJECTS)).hexdigest()[:16]
"""Of what carries the promise, as it was when the runs began."""
SEED = int(os.environ.get("TFCOMPAT_TEST_SEED", "20261130"))
KILLS, REAL_KILLS = 200, 10
LEFT_ALONE = 10
"""So many kills of one folder in a row, then a run that is let end."""


def record(**found):
    versions = {
        "python": platform.python_version(),
        "uv": version("uv"),
        "system": f"{sys.platform} {platform.release()}",
    }
    return {"subjects": SUBJECT, "day": date.today().isoformat(), "command": COMMAND, "versions": versions, **found}  # noqa: DTZ011


def has(key):
    """Whether a sound result is there, of as many steps at least."""
    found = kept("trust").get(key, {})
    return found.get("subjects") == SUBJECT and found.get("every", 1) <= EVERY and not found["wrong"]


@pytest.fixture(scope="module")
def at():
    """A bench for all of them."""
    with (
        tempfile.TemporaryDirectory(dir=os.environ.get("TFCOMPAT_TEST_SCRATCH")) as folder,
        bench(Path(folder) / "at") as made,
    ):
        yield made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_at_every_step_it_is_the_old_state_or_the_new_one(at, row):
    if has(row.key):
        return
    began, found, wrong = time.monotonic(), [], []
    for number, step in steps(at, row, EVERY, ROWS.index(row) % EVERY):
        one = outcome(at, row, number)
        found.append({"step": step, "state": one.state, "code": one.ended.code})
        wrong += [f"{number} {step}: {problem}" for problem in one.problems]
    keep(
        "trust",
        row.key,
        record(
            fault=row.fault,
            stage=row.stage,
            exchange=row.exchange,
            every=EVERY,
            found=found,
            wrong=wrong,
            seconds=round(time.monotonic() - began),
        ),
    )

    assert wrong == []
    allowed = {"old", "new"} if row.exchange else {"old", "new", "between"}
    assert {one["state"] for one in found} <= allowed


@pytest.mark.parametrize("stage", ["create", "replace"])
def test_what_others_do_wrong_leaves_the_old_state_unless_it_does_no_harm(at, stage):
    key = f"others, {stage}"
    if has(key):
        return
    began, found, wrong = time.monotonic(), [], []
    with serving(at.wheels) as index:
        for fault in outside.OUTSIDE[EVERY // 2 :: EVERY]:
            one = outside.outcome(at, index, fault, stage)
            found.append({"step": fault.name, "state": one.state, "code": one.ended.code})
            wrong += [
                f"{fault.name}: {problem}" for problem in (*one.problems, *outside.expected(fault, one, STAGES[stage]))
            ]
    keep(
        "trust",
        key,
        record(
            fault="others",
            stage=stage,
            exchange=True,
            every=EVERY,
            found=found,
            wrong=wrong,
            seconds=round(time.monotonic() - began),
        ),
    )

    assert wrong == []


@pytest.mark.parametrize("stage", ["replace", "in-place"])
def test_what_the_system_refuses_leaves_the_old_state_or_the_new_one(at, stage):
    """By strace, in our process alone: any call that changes the disk may fail."""
    tracing.needed()
    key = f"system calls fail, {stage}"
    if has(key):
        return
    began, found, wrong, missed = time.monotonic(), [], [], 0
    tried = [
        (call, error) for call in tracing.targets(at, STAGES[stage]) for error in ("ENOSPC", "EIO", "EROFS", "EMFILE")
    ]
    random.Random(SEED).shuffle(tried)  # noqa: S311 - so that one in four is not always the same error
    for call, error in tried[::EVERY]:
        one, met = tracing.failing(at, STAGES[stage], call, error)
        if not met:  # the how-manieth call it is may differ from run to run
            missed += 1
            continue
        found.append({"step": f"{call.name} {call.number}: {error}", "state": one.state, "code": one.ended.code})
        wrong += [f"{call} {error}: {problem}" for problem in one.problems]
    keep(
        "trust",
        key,
        record(
            fault="system calls fail",
            stage=stage,
            exchange=True,
            every=EVERY,
            found=found,
            wrong=wrong,
            seconds=round(time.monotonic() - began),
        ),
    )

    assert wrong == []
    assert missed * 5 <= len(found)


@pytest.mark.parametrize("stage", ["create", "replace", "in-place"])
def test_what_a_rename_decides_about_is_on_the_disk_before_it(at, stage):
    tracing.needed()
    seen = tracing.order(at, STAGES[stage])
    told = [f"{call.name}({call.given})" for call in seen]
    moved = next(
        number
        for number, call in enumerate(seen)
        if call.name.startswith("rename") and re.search(r'/env", (AT_FDCWD<[^>]*>, )?"[^"]*env"', call.given)
    )
    journal = [
        number for number, call in enumerate(seen) if call.name == "rename" and call.given.endswith('/journal.json"')
    ]

    assert len(journal) == 2, told
    assert any(call.name == "syncfs" for call in seen[:moved]), told
    assert journal[-1] < moved, told
    written, named = seen[journal[-1] - 1], seen[journal[-1] + 1]
    assert (written.name, ".journal.json." in written.given) == ("fsync", True), told
    assert (named.name, named.given.endswith(f"{PRIVATE}>")) == ("fsync", True), told
    assert seen[moved + 1].name == "fsync", told
    assert f"/{stage}-" in seen[moved + 1].given.rpartition("/")[0] + "/" + seen[moved + 1].given.rpartition("/")[2], (
        told
    )


def test_deaths_at_random_moments_one_after_the_other_leave_no_broken_state(at):
    key = "killed at random moments"
    if has(key):
        return
    began, wrong, draw = time.monotonic(), [], random.Random(SEED)  # noqa: S311 - a seed, to be drawn again
    chains = list(chance.chains(at))
    for number in range(KILLS):
        chain = chains[number % len(chains)]
        wrong += [
            f"kill {number}: {problem}"
            for problem in chance.killed(at, chain, draw, alone=number // len(chains) % 2 == 0)
        ]
        chance.renewed(at, chain)
        if number // len(chains) % LEFT_ALONE == LEFT_ALONE - 1:
            wrong += [f"after kill {number}: {problem}" for problem in chance.mended(at, chain)]
            chance.renewed(at, chain)
    wrong += [f"at the end: {problem}" for chain in chains for problem in chance.mended(at, chain)]
    counted = {chain.stage.name: dict(chain.counted) for chain in chains}
    keep(
        "trust",
        key,
        record(
            fault="killed at random moments",
            seed=SEED,
            kills=KILLS,
            counted=counted,
            wrong=wrong,
            seconds=round(time.monotonic() - began),
        ),
    )

    assert wrong == []


def imports(environment):
    """The TensorFlow an environment has, by importing it."""
    words = [environment / "bin" / "python", "-I", "-B", "-c", "import tensorflow; print(tensorflow.__version__)"]
    return subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    ).stdout.strip()


def test_a_real_tensorflow_stands_whenever_its_replacement_is_killed(tmp_path):
    """Killed while uv installs, while the numbers are verified, or whenever the moment falls."""
    key = "real TensorFlow, killed at random moments"
    if has(key):
        return
    began, wrong, found, draw = time.monotonic(), [], [], random.Random(SEED)  # noqa: S311
    folder = Path(tempfile.mkdtemp(dir=os.environ.get("TFCOMPAT_TEST_SCRATCH", tmp_path)))
    words = ["fix", "--create-venv", NAME, "--cpu", "--tensorflow", "2.18.1", "--python", "3.11", "--yes"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPATH": str(ROOT)
    }
    first = command(*words, cwd=folder, env=env, timeout=1800)
    assert first.returncode == 0, first.stderr
    lasted = time.monotonic() - began
    for number in range(REAL_KILLS):
        moment = draw.uniform(0.0, lasted)
        with subprocess.Popen(
            [sys.executable, "-m", "compat", *words],
            cwd=folder,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            try:
                said = running.communicate(timeout=moment)[1]
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGKILL) if number % 2 else kill_all(running.pid)
                said = running.communicate()[1]
        version = imports(folder / NAME)
        found.append(
            {
                "step": (said.splitlines() or ["before it said anything"])[-1][:60],
                "moment": round(moment, 1),
                "code": running.returncode,
                "version": version,
            }
        )
        wrong += [f"kill {number} after {moment:.1f} s: {version!r}"] if version != "2.18.1" else []
    last = command(*words, cwd=folder, env=env, timeout=1800)
    left = sorted(path.name for path in folder.iterdir())
    wrong += (
        []
        if (last.returncode, left) == (0, [NAME, f"{NAME}.requirements.txt"])
        else [f"the next run: {last.returncode} {left} {last.stderr[-600:]}"]
    )
    shutil.rmtree(folder)
    keep(
        "trust",
        key,
        record(
            fault="real TensorFlow, killed at random moments",
            seed=SEED,
            kills=REAL_KILLS,
            found=found,
            wrong=wrong,
            seconds=round(time.monotonic() - began),
        ),
    )

    assert wrong == []
