"""``tfcompat bundle`` and ``fix --bundle``: what was made here is built there, from the folder alone."""

import json
import os
import shutil
import sys
from dataclasses import replace

import pytest

from compat.builder.outcome import Verification
from compat.cli import bundle, fix, from_bundle, handover, knowledge
from compat.probe import machine
from tests.builder import small_bundle
from tests.builder.loopback import serving
from tests.builder.test_apply import candidate, plan, version_of
from tests.builder.tiny_index import sha256, wheel
from tests.cli.conftest import verified
from tests.cli.running import refused, stopped

HERE = machine.look(gpus=False).platform
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
WHEEL = "demo-1.0-py3-none-any.whl"
BUILD = ("fix", "--create-venv", "--yes", "--bundle")


@pytest.fixture
def world(tmp_path, monkeypatch, work):
    """A loopback index, and plans of its tiny wheels in the place of TensorFlow's."""
    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    folder = small_bundle.wheels(tmp_path / "wheels")
    known, entry = small_bundle.matrix(tmp_path / "matrix", folder, platform=HERE, python=PYTHON)
    best = small_bundle.candidate(entry, platform=HERE, python=PYTHON)
    with serving(folder) as index:
        settings = {
            **index.environment(),
            **small_bundle.interpreter(index, tmp_path),
            "UV_CACHE_DIR": str(tmp_path / "cache"),
            "XDG_CACHE_HOME": str(tmp_path / "home"),
            "UV_HTTP_RETRIES": "0",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(knowledge, "matrix", lambda: known)
        monkeypatch.setattr(bundle, "decide", lambda *_: plan(best))
        monkeypatch.setattr(from_bundle, "candidates", lambda *_: (replace(best, lock=None),))
        monkeypatch.setattr(handover, "python_for", lambda *_: sys.executable)
        verified(monkeypatch, Verification(ok=True, stage="complete", message="fine"))
        yield index


@pytest.fixture
def made(told, world):
    """A bundle ``out`` in the current folder."""
    code, _, lines = told("bundle", "out")
    assert code == 0, lines
    return world


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_it_says_what_was_made_what_is_not_in_it_and_the_line_for_the_target(told, world, work):
    code, out, _ = told("bundle", "out")

    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith(f"out: TensorFlow 1.0, CPU, Python {PYTHON}, for {HERE}")
    assert lines[1].startswith("3 wheels, ")
    assert [line.partition(" (")[0] for line in lines if line.startswith("not included")][-1] == (
        "not included: tfcompat itself"
    )
    assert lines[-1] == "tfcompat fix --create-venv --bundle out"
    assert names(work) == ["out"]


def test_as_json_stdout_is_the_manifest_and_where_it_is(told, world, work):
    _, out, _ = told("bundle", "out", "--format", "json")

    value = json.loads(out)
    written = json.loads((work / "out" / "manifest.json").read_text())
    assert value["path"] == "out"
    assert {name: value[name] for name in written} == written


def test_what_the_bundle_holds_is_built_and_nothing_is_asked_of_the_index(told, made, work, tmp_path, monkeypatch):
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "empty"))
    (work / "out").rename(tmp_path / "a stick, école")
    asked = len(made.asked())
    code, _out, lines = told(*BUILD, tmp_path / "a stick, école")

    assert code == 0, lines
    assert version_of(work / ".venv-tf") == "1.0"
    pins = (work / ".venv-tf.requirements.txt").read_text()
    assert f"demo==1.0 --hash=sha256:{sha256(made.folder / WHEEL)}" in pins
    assert len(made.asked()) == asked
    assert names(work) == [".venv-tf", ".venv-tf.requirements.txt"]


def test_without_a_word_to_build_it_the_plan_is_told_and_nothing_done(told, made, work):
    code, out, _ = told("fix", "--bundle", "out")

    assert code == 0
    assert f"because it is what the bundle {work}/out holds" in out
    assert "in the bundle" in out
    assert out.endswith(f"build it: tfcompat fix --create-venv --bundle {work}/out\n")
    assert names(work) == ["out"]


def test_a_bundle_for_another_platform_is_refused_and_both_are_named(told, made, work):
    other = "macos-arm64" if HERE != "macos-arm64" else "linux-x86_64"
    path = work / "out" / "manifest.json"
    path.write_text(path.read_text().replace(f'"platform": "{HERE}"', f'"platform": "{other}"'))

    refused(told(*BUILD, "out"), 2, f"out is for {other}, this machine is {HERE}")
    assert names(work) == ["out"]


@pytest.mark.parametrize("key", ["minimum_macos", "minimum_glibc"])
def test_a_bundle_for_a_newer_system_is_refused(told, made, work, key):
    if (key == "minimum_macos") != HERE.startswith("macos"):
        key = "minimum_macos" if HERE.startswith("macos") else "minimum_glibc"
    path = work / "out" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: "99.0"}))

    refused(told(*BUILD, "out"), 2, "99.0 or newer, this machine has")


def test_one_changed_byte_and_nothing_is_installed(told, made, work):
    path = work / "out" / "wheels" / WHEEL
    path.write_bytes(path.read_bytes()[:-1] + b"!")

    refused(told(*BUILD, "out"), 3, f"wheels/{WHEEL} is not what was bundled: another sha256; nothing of it was used")
    assert names(work) == ["out"]


def test_a_wheel_that_changes_after_it_was_checked_is_refused_by_uv(told, made, work, monkeypatch):
    checked = from_bundle.Bundle.verify

    def then_changed(self):
        checked(self)
        shutil.copy(made.folder / "helper-1.0-py3-none-any.whl", work / "out" / "wheels" / WHEEL)

    monkeypatch.setattr(from_bundle.Bundle, "verify", then_changed)
    code, _out, lines = told(*BUILD, "out")

    assert code == 3, lines
    assert not (work / ".venv-tf").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--python", "3.12"),
        ("--tensorflow", "2.18"),
        ("--cpu",),
        ("--gpu",),
        ("--with", "wanted.txt"),
        ("--export", "pylock"),
        ("--in-place",),
        ("--rollback",),
    ],
    ids=" ".join,
)
def test_a_bundle_is_a_whole_environment_and_no_wish_goes_with_it(told, world, work, words):
    (work / "wanted.txt").write_text("added\n")

    refused(told("fix", "--bundle", "out", *words), 2, words[0])
    assert names(work) == ["wanted.txt"]


def test_a_kernel_needs_ipykernel_in_the_bundle(told, made, work):
    refused(told(*BUILD, "out", "--kernel", "mine"), 2, "which is not in the bundle out")


def test_what_is_no_bundle_is_one_line(told, world, work):
    (work / "empty").mkdir()

    for folder in ("gone", "empty"):
        refused(told(*BUILD, folder), 3, f"{folder} is no bundle: there is no manifest.json in it")


def test_a_bundle_the_matrix_knows_nothing_of_is_not_built(told, made, work, monkeypatch):
    monkeypatch.setattr(from_bundle, "candidates", lambda *_: ())
    monkeypatch.setattr(from_bundle, "decide", lambda *_: plan(candidate("demo==1.0")))

    refused(told(*BUILD, "out"), 3, "which this tfcompat's matrix does not know")
    assert names(work) == ["out"]


@pytest.mark.parametrize(
    "words, code, what",
    [
        (("out", "--for", "windows-amd64"), 2, "no bundle is for windows-amd64"),
        (("out", "--for", ""), 2, "no bundle is for"),
        (("out", "--cpu", "--gpu"), 2, "contradict"),
        (("out", "--python", "three"), 2, "is not a version"),
        (("out", "--tensorflow", "new"), 2, "is not a version or a set"),
        (("out", "--with", "gone.txt"), 2, "no such file"),
        (("taken",), 2, "exists and is no bundle"),
        (("taken", "--yes"), 2, "exists and is no bundle"),
        ((), 2, "missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_words_that_make_no_sense_are_refused_before_anything_is_done(told, world, work, words, code, what):
    (work / "taken").write_text("mine")

    refused(told("bundle", *words), code, what)
    assert names(work) == ["taken"]
    assert (work / "taken").read_text() == "mine"
    assert world.asked() == []


def test_a_wish_that_cannot_be_met_is_refused_with_its_causes(told, work):
    code, out, _ = told("bundle", "out", "--for", "macos-arm64", "--python", "3.99")

    assert code == 1
    assert "3.99" in out
    assert names(work) == []


@pytest.mark.parametrize("fault", ["drop", "changed", "missing", "broken"])
def test_a_download_that_fails_is_one_line_and_leaves_nothing(told, world, work, fault):
    world.fail(WHEEL, fault)

    out = stopped(told("bundle", "out"), 3, WHEEL)
    assert out == ""
    assert names(work) == []


def test_offline_a_candidate_whose_files_are_in_the_cache_is_tried(told, world, work, monkeypatch):
    monkeypatch.setattr(fix, "decide", lambda *_: plan(candidate("demo==1.0")))
    assert told("fix", "--create-venv", "--yes", "first")[0] == 0
    wheel(world.folder, "demo", "2.0")
    monkeypatch.setattr(fix, "decide", lambda *_: plan(candidate("demo==2.0"), candidate("demo==1.0")))
    asked = len(world.asked())
    code, out, lines = told("fix", "--create-venv", "--yes", "--offline", "second")

    assert code == 0, lines
    assert version_of(work / "second") == "1.0"
    assert len(world.asked()) == asked
    assert "TensorFlow 2.0" in out


def test_offline_what_the_cache_lacks_is_said_and_what_to_do(told, world, work, monkeypatch):
    monkeypatch.setattr(fix, "decide", lambda *_: plan(candidate("demo==1.0")))
    code, out, lines = told("fix", "--create-venv", "--yes", "--offline")

    assert code == 3
    assert "cache" in out
    assert lines[-1] == "hint: not everything is in uv's cache: run once without --offline"
    assert world.asked() == []


def test_a_bundle_without_an_interpreter_on_a_machine_without_one_says_what_to_install(told, made, work, monkeypatch):
    path = work / "out" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"interpreter": None}))
    monkeypatch.setattr(handover, "python_for", lambda *_: "3.99")
    code, out, lines = told(*BUILD, "out")

    assert code == 3
    assert "3.99" in out
    assert lines[-1] == f"hint: install Python {PYTHON} on this machine: the bundle has none"
    assert names(work) == ["out"]
