"""A build appears whole under its name or not at all; a candidate that fails gives way to the next."""

import json
import sys
from pathlib import Path

import pytest

from compat.builder import journal, transaction, uv
from compat.builder.apply import Job, Terms, carry_out, needed_bytes, python_in, resumed
from compat.builder.outcome import Built, NothingBuilt, Verification
from compat.builder.resolving import Wanted
from compat.errors import CannotAct, Interrupted, UsageError
from compat.matrix.load import Matrix
from compat.matrix.model import LockEntry, Target
from compat.plan.model import Accelerator, Candidate, Evidence, Plan
from compat.process import run
from tests.builder.tiny_index import sha256, wheel


@pytest.fixture
def index(tmp_path, monkeypatch):
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in ("pip", "demo", "helper"):
        wheel(folder, name, "1.0")
    wheel(folder, "demo", "2.0", requires=["helper"])
    wheel(folder, "clash", "1.0", requires=["helper>=5"])
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    return folder


def candidate(*requirements, plugin=None, lock=None):
    accelerator = Accelerator(kind="plugin", distribution="tensorflow-metal", version=plugin) if plugin else None
    return Candidate(
        target=Target(platform="linux-x86_64", python="3.11"),
        distribution="demo",
        tensorflow=requirements[0].partition("==")[2],
        accelerator=accelerator,
        evidence=Evidence(tier="installs"),
        lock=lock,
        requirements=requirements,
    )


def plan(best, *fallbacks):
    return Plan(best=best, fallbacks=fallbacks, reasons=())


def passes(_interpreter, _candidate):
    return Verification(ok=True, stage="complete", message="fine")


def job(tmp_path, *, verify=passes, matrix=None, **options):
    said = options.pop("said", [])
    names = ("replace", "in_place", "accept_failing")
    terms = Terms(**{name: options.pop(name) for name in names if name in options})
    return Job(
        directory=tmp_path / "place" / "env",
        uv=uv.find(offline=True),
        matrix=matrix or Matrix(tmp_path),
        python_for=lambda _candidate: sys.executable,
        verify=verify,
        say=said.append,
        tool_version="0.0",
        terms=terms,
        **options,
    )


def left_over(tmp_path):
    return sorted(path.name for path in (tmp_path / "place").iterdir())


def version_of(path, name="demo"):
    code = f"import {name}; print({name}.__version__)"
    return run([str(python_in(Path(path))), "-c", code], timeout=30).stdout.strip()


def test_what_passed_appears_under_its_name_with_its_lock_beside_it(tmp_path, index):
    outcome = carry_out(plan(candidate("demo==2.0")), job(tmp_path))

    assert isinstance(outcome, Built)
    assert version_of(outcome.path) == "2.0"
    assert left_over(tmp_path) == ["env", "env.requirements.txt"]
    lock = Path(outcome.lock_file).read_text()
    assert f"--hash=sha256:{sha256(index / 'demo-2.0-py3-none-any.whl')}" in lock
    assert "helper==1.0" in lock


def test_the_environment_says_that_it_is_ours(tmp_path, index):
    outcome = carry_out(plan(candidate("demo==1.0")), job(tmp_path))

    record = json.loads((Path(outcome.path) / journal.MARKER).read_text())
    assert record["candidate"] == "TensorFlow 1.0, CPU, Python 3.11"


def test_bytecode_is_compiled(tmp_path, index):
    outcome = carry_out(plan(candidate("demo==1.0")), job(tmp_path))

    assert list(Path(outcome.path).rglob("demo/__pycache__/*.pyc"))


def test_a_candidate_that_fails_its_verification_gives_way_to_the_next(tmp_path, index):
    def verify(_interpreter, candidate):
        ok = candidate.tensorflow == "1.0"
        return Verification(ok=ok, stage="whole", message="fine" if ok else "TensorBoard is broken")

    outcome = carry_out(plan(candidate("demo==2.0"), candidate("demo==1.0")), job(tmp_path, verify=verify))

    assert version_of(outcome.path) == "1.0"
    assert [(attempt.step, attempt.message) for attempt in outcome.attempts] == [
        ("verify", "TensorBoard is broken"),
        ("done", "fine"),
    ]


def test_after_wrong_numbers_the_same_plugin_is_not_tried_again(tmp_path, index):
    tried = []

    def verify(_interpreter, candidate):
        tried.append(candidate.title)
        wrong = candidate.accelerator is not None
        return Verification(ok=not wrong, stage="numerics", message="", numeric_failure=wrong)

    a, same, other, cpu = (
        candidate("demo==2.0", plugin="1.2.0"),
        candidate("demo==1.0", plugin="1.2.0"),
        candidate("demo==1.0", plugin="1.1.0"),
        candidate("demo==1.0"),
    )
    outcome = carry_out(plan(a, same, other, cpu), job(tmp_path, verify=verify))

    assert tried == [a.title, other.title, cpu.title]
    assert outcome.candidate is cpu


def test_failing_numbers_are_handed_over_only_where_that_was_accepted(tmp_path, index):
    def verify(_interpreter, _candidate):
        return Verification(ok=False, stage="numerics", message="wrong", numeric_failure=True)

    refused = carry_out(plan(candidate("demo==1.0", plugin="1.2.0")), job(tmp_path, verify=verify))
    accepted = carry_out(
        plan(candidate("demo==1.0", plugin="1.2.0")), job(tmp_path, verify=verify, accept_failing=True)
    )

    assert isinstance(refused, NothingBuilt)
    assert isinstance(accepted, Built)


def test_when_every_candidate_fails_nothing_is_left_behind(tmp_path, index):
    outcome = carry_out(plan(candidate("clash==1.0"), candidate("nowhere==1.0")), job(tmp_path))

    assert isinstance(outcome, NothingBuilt)
    assert [attempt.step for attempt in outcome.attempts] == ["resolve", "resolve"]
    assert left_over(tmp_path) == []


def test_declared_dependencies_are_checked_before_anything_else(tmp_path, index):
    lock = shipped(tmp_path, index, "clash==1.0", "helper==1.0", "pip==1.0")
    outcome = carry_out(plan(lock), job(tmp_path, matrix=Matrix(tmp_path / "matrix")))

    assert outcome.attempts[0].step == "verify"
    assert "helper>=5" in outcome.attempts[0].message.replace(" ", "")


def shipped(tmp_path, index, *pins):
    """A candidate with a lock of ours for tiny wheels."""
    folder = tmp_path / "matrix" / "locks" / "linux-x86_64"
    folder.mkdir(parents=True)
    rows = []
    for pin in pins:
        name, _, version = pin.partition("==")
        path = index / f"{name}-{version}-py3-none-any.whl"
        rows.append(
            f'  {{ name = "{name}", version = "{version}", file = "{path.name}", sha256 = "{sha256(path)}", size = 900 }},'
        )
    (folder / "demo.toml").write_text("packages = [\n" + "\n".join(rows) + "\n]\n")
    entry = LockEntry(
        file="linux-x86_64/demo.toml",
        platform="linux-x86_64",
        python="3.11",
        distribution="demo",
        tensorflow="1.0",
        tier="runs",
        exclude_newer="2026-11-30",
        download_bytes=900 * len(pins),
    )
    return candidate("demo==1.0", lock=entry)


def test_shipped_pins_are_installed_as_they_are(tmp_path, index):
    best = shipped(tmp_path, index, "demo==1.0", "pip==1.0")
    outcome = carry_out(plan(best), job(tmp_path, matrix=Matrix(tmp_path / "matrix")))

    assert version_of(outcome.path) == "1.0"


def test_a_file_that_is_not_the_locks_is_refused(tmp_path, index):
    best = shipped(tmp_path, index, "demo==1.0", "pip==1.0")
    wheel(index, "demo", "1.0", body="print('another file')\n")
    outcome = carry_out(plan(best), job(tmp_path, matrix=Matrix(tmp_path / "matrix")))

    assert isinstance(outcome, NothingBuilt)
    assert outcome.attempts[0].step == "install"
    assert "hash" in outcome.attempts[0].message.lower()


def test_the_users_requirements_are_resolved_together_with_the_pins(tmp_path, index):
    best = shipped(tmp_path, index, "demo==1.0", "pip==1.0")
    wanted = tmp_path / "requirements.txt"
    wanted.write_text("helper\n")
    outcome = carry_out(plan(best), job(tmp_path, matrix=Matrix(tmp_path / "matrix"), wanted=Wanted(files=(wanted,))))

    assert version_of(outcome.path, "helper") == "1.0"
    assert version_of(outcome.path) == "1.0"


def test_a_folder_that_is_not_ours_is_never_touched(tmp_path, index):
    target = tmp_path / "place" / "env"
    target.mkdir(parents=True)
    (target / "precious.txt").write_text("mine")

    for replace in (False, True):
        with pytest.raises(UsageError, match="not made by tfcompat"):
            carry_out(plan(candidate("demo==1.0")), job(tmp_path, replace=replace))
    assert (target / "precious.txt").read_text() == "mine"


def test_ours_is_replaced_only_when_asked_and_only_by_one_that_passed(tmp_path, index):
    carry_out(plan(candidate("demo==1.0")), job(tmp_path))
    with pytest.raises(UsageError, match="exists already"):
        carry_out(plan(candidate("demo==2.0")), job(tmp_path))

    def fails(_interpreter, _candidate):
        return Verification(ok=False, stage="whole", message="broken")

    carry_out(plan(candidate("demo==2.0")), job(tmp_path, verify=fails, replace=True))
    assert version_of(tmp_path / "place" / "env") == "1.0"

    carry_out(plan(candidate("demo==2.0")), job(tmp_path, replace=True))
    assert version_of(tmp_path / "place" / "env") == "2.0"
    assert left_over(tmp_path) == ["env", "env.requirements.txt"]


@pytest.mark.parametrize("stage", ["create", "install", "verify"])
def test_an_interrupt_at_any_stage_leaves_nothing(tmp_path, index, stage):
    class Stops(list):
        def append(self, text):
            if text.startswith({"create": "creating", "install": "installing", "verify": "verifying"}[stage]):
                raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="env was not made"):
        carry_out(plan(candidate("demo==1.0")), job(tmp_path, said=Stops()))
    assert left_over(tmp_path) == []


def test_what_a_killed_run_left_is_cleared_by_the_next(tmp_path, index):
    dead, said = tmp_path / "place" / ".env.tfcompat" / "new-dead", []
    dead.mkdir(parents=True)
    (dead / "half.txt").write_text("half-made")
    journal.write(dead.parent, journal.Entry(state="building", what="TensorFlow 1.0"))

    carry_out(plan(candidate("demo==1.0")), job(tmp_path, said=said))

    assert said[0] == "removed what an interrupted run had half-made: TensorFlow 1.0"
    assert left_over(tmp_path) == ["env", "env.requirements.txt"]


def interrupted_after_the_exchange(tmp_path, monkeypatch, **options):
    """A run that dies when the new environment stands under its name and the journal does not know it yet."""

    def dies(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(transaction, "put_pins_beside", dies)
    with pytest.raises(Interrupted, match=r"is TensorFlow 1\.0, CPU, Python 3\.11 now"):
        carry_out(plan(candidate("demo==1.0")), job(tmp_path, **options))
    monkeypatch.setattr(transaction, "put_pins_beside", WHOLE)
    return tmp_path / "place" / "env"


WHOLE = transaction.put_pins_beside


def test_the_same_question_again_is_answered_by_what_an_interrupted_run_built(tmp_path, index, monkeypatch):
    target, said = interrupted_after_the_exchange(tmp_path, monkeypatch), []
    built = resumed(plan(candidate("demo==1.0")), target, Wanted(), Terms(), said.append)

    assert said == ["finished what an interrupted run had begun: TensorFlow 1.0, CPU, Python 3.11"]
    assert (built.verification.ok, built.verification.message) == (True, "fine")
    assert left_over(tmp_path) == ["env", "env.requirements.txt"]


@pytest.mark.parametrize(
    ("wanted", "terms"),
    [
        (Wanted(names=("pip", "ipykernel")), Terms()),
        (Wanted(files=(Path(__file__),)), Terms()),
        (Wanted(), Terms(accept_failing=True)),
    ],
    ids=["a kernel", "requirements", "failing accepted"],
)
def test_another_question_is_not(tmp_path, index, monkeypatch, wanted, terms):
    target = interrupted_after_the_exchange(tmp_path, monkeypatch)

    assert resumed(plan(candidate("demo==1.0")), target, wanted, terms, lambda _text: None) is None


def test_an_environment_that_has_become_another_is_looked_at_again(tmp_path, index, monkeypatch):
    target = interrupted_after_the_exchange(tmp_path, monkeypatch)

    with pytest.raises(CannotAct, match="an interrupted run had been asked for"):
        resumed(plan(candidate("demo==1.0")), target, Wanted(), Terms(in_place=True), lambda _text: None)


def test_a_file_changed_in_the_cache_is_found_before_anything_is_handed_over(tmp_path, index):
    first = carry_out(plan(candidate("demo==1.0")), job(tmp_path))
    for cached in (tmp_path / "cache").rglob("demo/__init__.py"):
        cached.write_text("print('changed')")
    Path(first.path).rename(tmp_path / "place" / "elsewhere")
    (tmp_path / "place" / "env.requirements.txt").unlink()
    second = carry_out(plan(candidate("demo==1.0")), job(tmp_path))

    assert isinstance(second, NothingBuilt)
    assert "1 files are not what their wheels say, demo/__init__.py" in second.attempts[0].message


def test_names_with_spaces_quotes_and_accents_are_names(tmp_path, index):
    work = job(tmp_path)
    object.__setattr__(work, "directory", tmp_path / "it's mine, école" / "-env")

    assert version_of(carry_out(plan(candidate("demo==1.0")), work).path) == "1.0"


def test_a_disk_or_network_that_fails_ends_the_attempts_at_once(tmp_path, index, monkeypatch):
    work = job(tmp_path)

    def full(*_args, **_kwargs):
        raise CannotAct("could not install: No space left on device", hint="free some disk space and run it again")

    monkeypatch.setattr(type(work.uv), "install", full)
    with pytest.raises(CannotAct, match="No space left"):
        carry_out(plan(candidate("demo==1.0"), candidate("demo==2.0")), work)
    assert left_over(tmp_path) == []


def test_the_disk_needed_is_known_from_the_lock_or_not_at_all(tmp_path, index):
    assert needed_bytes(candidate("demo==1.0")) is None
    assert needed_bytes(shipped(tmp_path, index, "demo==1.0")) > 900


def test_time_inside_uv_is_told_apart_from_ours(tmp_path, index):
    outcome = carry_out(plan(candidate("demo==1.0")), job(tmp_path))

    last = outcome.attempts[-1]
    assert 0 < last.uv_seconds <= last.seconds
