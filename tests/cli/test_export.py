"""``tfcompat fix --export``: any lock in any format, whole files or none, nothing overwritten unasked."""

import sys

import pytest
from packaging.pylock import Pylock

from compat.cli import export, fix
from compat.matrix.load import load
from compat.plan.export import environment_yml, requirements
from tests.builder.test_apply import candidate, plan
from tests.cli.running import SEED, refused

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MATRIX = load()
RECOMMENDED = next(lock for lock in MATRIX.locks() if lock.recommended)
NAME = RECOMMENDED.file.rpartition("/")[2].removesuffix(".toml")
TEXT = requirements(MATRIX.lock(RECOMMENDED))
THREE = "pylock,requirements,environment.yml"
FILES = ["environment.yml", "pylock.toml", "requirements.txt"]


@pytest.fixture
def work(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def addressed(monkeypatch):
    """Every wheel has an address, whatever the table holds today: it is made anew with the locks."""
    files = {package.file for lock in MATRIX.locks() for package in MATRIX.lock(lock).packages}
    urls = {file: f"https://files.example/{file}" for file in files}
    monkeypatch.setattr("compat.matrix.wheel_urls.wheel_urls", lambda _root: urls)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "words, what",
    [
        (["--export", "poetry"], "--export poetry is no format"),
        (["--export", "pylock,,requirements"], "--export '' is no format"),
        (["--output", "here"], "--output says what --export writes"),
        (["--lock", NAME], "--lock says what --export writes"),
        (["--platform", "macos-arm64"], "--platform says what --export writes"),
        (["--force"], "--force says what --export writes"),
        (["--export", "pylock", "--platform", "windows-amd64"], "no lock is for windows-amd64"),
        (["--export", "pylock", "--create-venv"], "--create-venv is about building"),
        (["--export", "pylock", "--kernel", "k"], "--kernel is about building"),
        (["--export", "pylock", "--format", "json"], "--format json is about building"),
        (["--export", "pylock", "--lock", NAME, "--python", "3.12"], "--python chooses one"),
        (["--export", "pylock", "--lock", NAME, "--cpu"], "--cpu chooses one"),
        (["--export", "pylock", "--lock", "tensorflow-9"], "there is no lock tensorflow-9"),
        (["--export", "pylock", "--platform", "macos-arm64", "--facts", SEED], "both name a machine"),
    ],
    ids=lambda value: " ".join(map(str, value[:4])) if isinstance(value, list) else "",
)
def test_words_that_make_no_sense_are_refused_before_anything_is_written(told, work, words, what):
    refused(told("fix", *words), 2, what)
    assert names(work) == []


def test_one_format_goes_to_stdout_and_the_lock_is_named_beside_it(told, work):
    code, out, lines = told("fix", "--export", "requirements", "--lock", NAME)

    assert (code, out, lines) == (0, TEXT, [f"lock: {RECOMMENDED.file}"])
    assert names(work) == []


def test_several_formats_become_files_whose_names_are_told(told, work, addressed):
    code, out, _ = told("fix", "--export", THREE, "--lock", NAME)

    assert code == 0
    assert names(work) == FILES
    assert sorted(out.splitlines()) == FILES
    assert (work / "requirements.txt").read_text() == TEXT
    assert (work / "environment.yml").read_text() == environment_yml(MATRIX.lock(RECOMMENDED))
    read = Pylock.from_dict(tomllib.loads((work / "pylock.toml").read_text()))
    assert len(read.packages) == len(MATRIX.lock(RECOMMENDED).packages)


def test_a_folder_that_is_not_there_is_made(told, work):
    code, out, _ = told("fix", "--export", "requirements", "--lock", NAME, "--output", "a/b")

    assert (code, out) == (0, "a/b/requirements.txt\n")
    assert (work / "a" / "b" / "requirements.txt").read_text() == TEXT


def test_a_file_in_the_way_is_replaced_only_when_asked_and_then_nothing_else_was_written(told, work, addressed):
    mine = work / "requirements.txt"
    mine.write_text("mine\n")

    code, out, lines = told("fix", "--export", THREE, "--lock", NAME)

    assert (code, out) == (2, "")
    assert "requirements.txt is already there" in lines[-2]
    assert lines[-1] == "hint: add --force to replace it"
    assert names(work) == ["requirements.txt"]
    assert mine.read_text() == "mine\n"

    assert told("fix", "--export", THREE, "--lock", NAME, "--force")[0] == 0
    assert mine.read_text() == TEXT
    assert names(work) == FILES


def test_a_dangling_link_counts_as_a_file_in_the_way(told, work):
    (work / "requirements.txt").symlink_to(work / "nowhere")

    code, _, lines = told("fix", "--export", "requirements", "--lock", NAME, "--output", ".")

    assert code == 2
    assert "already there" in lines[-2]


@pytest.mark.parametrize("output, what", [("file", "file is no folder"), (".", "requirements.txt is a folder")])
def test_what_is_no_place_for_a_file_is_refused(told, work, output, what):
    (work / "file").write_text("")
    (work / "requirements.txt").mkdir()

    code, out, lines = told("fix", "--export", "requirements", "--lock", NAME, "--force", "--output", output)

    assert (code, out) == (2, "")
    assert what in lines[-2]


def test_a_folder_that_nobody_can_make_ends_in_one_line(told, work):
    code, out, lines = told("fix", "--export", "requirements", "--lock", NAME, "--output", "/proc/made")

    assert (code, out) == (3, "")
    assert any(line.startswith("tfcompat: cannot make /proc/made") for line in lines)


def test_a_file_where_a_folder_must_be_ends_in_one_line(told, work):
    (work / "file").write_text("")

    code, out, lines = told("fix", "--export", "requirements", "--lock", NAME, "--output", "file/deeper")

    assert (code, out) == (3, "")
    assert any(line.startswith("tfcompat: cannot make file/deeper") for line in lines)


def test_another_platforms_plan_is_exported_by_its_name_alone(told, work):
    code, out, lines = told("fix", "--export", "requirements", "--platform", "macos-arm64")

    assert (code, out, lines) == (0, TEXT, [f"lock: {RECOMMENDED.file}"])


def test_the_options_of_a_plan_choose_among_another_platforms_locks(told, work):
    words = ("--platform", "macos-arm64", "--python", "3.11", "--tensorflow", "2.15", "--cpu")

    _, out, lines = told("fix", "--export", "requirements", *words)

    assert lines == ["lock: macos-arm64/tensorflow-2.15.1-cpu-cp311.toml"]
    assert "tensorflow==2.15.1 --hash" in out
    assert "tensorflow-metal" not in out


def test_the_plan_of_a_captured_machine_is_exported(told, work):
    planned = told("fix", "--facts", SEED)[1]

    _, out, lines = told("fix", "--facts", SEED, "--export", "requirements")

    assert "TensorFlow 2.18.1 + tensorflow-metal 1.2.0" in planned
    assert lines[0].startswith("lock: macos-arm64/tensorflow-2.18.1-metal-1.2.0-")
    assert "tensorflow-metal==1.2.0 --hash" in out


def test_a_name_that_several_platforms_share_is_this_machines_or_the_one_that_is_named(told, work, monkeypatch):
    shared = "tensorflow-2.18.1-cpu-cp312"
    words = ("fix", "--export", "requirements", "--lock", shared)
    captured = told(*words, "--facts", SEED)
    monkeypatch.setattr(fix, "look", lambda _facts: export.machine_of("windows-amd64", None))

    assert captured[2] == [f"lock: macos-arm64/{shared}.toml"]
    assert told(*words, "--platform", "linux-x86_64")[2] == [f"lock: linux-x86_64/{shared}.toml"]
    refused(told(*words), 2, f"several platforms have a lock {shared}")


def test_a_refusal_is_told_beside_an_empty_stdout(told, work):
    code, out, lines = told("fix", "--export", "requirements", "--platform", "macos-x86_64", "--python", "3.99")

    assert (code, out) == (1, "")
    assert any("3.99" in line for line in lines)
    assert "tfcompat: nothing was exported" in lines


def test_a_plan_without_a_lock_is_not_exported(told, work, monkeypatch):
    monkeypatch.setattr(fix, "decide", lambda *_args: plan(candidate("demo==1.0")))

    code, out, lines = told("fix", "--export", "requirements")

    assert (code, out) == (3, "")
    assert any("there is no lock for" in line for line in lines)


def test_a_matrix_that_does_not_say_where_wheels_are_gives_no_pylock_and_writes_no_other_file(told, work, monkeypatch):
    monkeypatch.setattr("compat.matrix.wheel_urls.wheel_urls", lambda _root: {})

    code, out, lines = told("fix", "--export", THREE, "--lock", NAME)

    assert (code, out, names(work)) == (3, "", [])
    assert any("does not say where" in line for line in lines)
