"""A bundle appears whole under its name or not at all, and says what is in it and what is not."""

import json
import os
import resource

import pytest

from compat.builder import bundle_read, transaction
from compat.builder.bundle import make
from compat.builder.shelf import sha256_of
from compat.errors import CannotAct, Interrupted, UsageError
from tests.builder import small_bundle
from tests.builder.loopback import FAULTS, serving
from tests.builder.tiny_index import sha256, wheel

DEMO = "demo-1.0-py3-none-any.whl"
HELPER = "helper-1.0-py3-none-any.whl"


@pytest.fixture
def world(tmp_path, monkeypatch):
    """An index, and a function that makes a job for it."""
    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    folder = small_bundle.wheels(tmp_path / "wheels")
    known, entry = small_bundle.matrix(tmp_path / "matrix", folder)
    with serving(folder) as index:
        settings = {
            **index.environment(),
            **small_bundle.interpreter(index, tmp_path),
            "UV_CACHE_DIR": str(tmp_path / "cache"),
            "UV_HTTP_RETRIES": "0",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)

        def job(**options):
            return small_bundle.job(tmp_path, index, known, entry, os.environ, **options)

        index.job = job
        index.home = tmp_path
        yield index


def left(world):
    place = world.home / "place"
    return sorted(path.name for path in place.iterdir()) if place.exists() else []


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_what_is_in_it_is_what_its_manifest_names_and_nothing_is_beside_it(world):
    manifest = make(world.job())

    out = world.home / "place" / "out"
    wheels = [f"wheels/{name}-1.0-py3-none-any.whl" for name in small_bundle.LOCKED]
    assert names(out) == sorted(
        [*wheels, "manifest.json", "requirements.lock", "README.txt", f"python/{small_bundle.ARCHIVE}"]
    )
    assert left(world) == ["out"]
    assert {file.path: file.sha256 for file in manifest.files} == {
        name: sha256(out / name) for name in names(out) if name != "manifest.json"
    }
    assert bundle_read.read(out) == manifest
    bundle_read.verify(out, manifest)


def test_its_lock_pins_each_wheel_by_its_one_hash(world):
    make(world.job())

    lines = (world.home / "place" / "out" / "requirements.lock").read_text().splitlines()
    assert lines[1:] == [
        f"{name}==1.0 --hash=sha256:{sha256(world.folder / f'{name}-1.0-py3-none-any.whl')}"
        for name in small_bundle.LOCKED
    ]


def test_the_interpreter_comes_from_the_mirror_and_is_the_file_that_uvs_list_names(world):
    manifest = make(world.job())

    archive = world.home / "place" / "out" / manifest.interpreter.path
    assert archive.read_bytes() == world.others[f"/pythons/20261110/{small_bundle.ARCHIVE}"]
    assert manifest.interpreter.version == "3.12.16"
    assert [missing.what for missing in manifest.missing] == ["tfcompat itself"]


@pytest.mark.parametrize("fault", ["missing", "broken", "drop", "truncated", "garbage", "reset"])
def test_without_an_interpreter_it_is_made_all_the_same_and_says_so(world, fault):
    world.fail(f"/pythons/20261110/{small_bundle.ARCHIVE}", fault)
    manifest = make(world.job())

    out = world.home / "place" / "out"
    missing = next(one for one in manifest.missing if one.what == "the interpreter, Python 3.12")
    assert manifest.interpreter is None
    assert not (out / "python").exists()
    assert "could not fetch" in missing.why
    assert "\n" not in missing.why
    assert "Python 3.12 must be on the machine already" in (out / "README.txt").read_text()


BAD = sorted(set(FAULTS) - {"endless"})


@pytest.mark.parametrize("fault", BAD)
def test_whatever_the_index_does_to_a_file_nothing_appears_and_the_next_run_works(world, fault):
    world.fail(HELPER, fault)
    with pytest.raises(CannotAct) as raised:
        make(world.job())

    assert HELPER in raised.value.message
    assert raised.value.message.endswith(transaction.as_it_was(world.home / "place" / "out"))
    assert left(world) == []

    world.heal()
    make(world.job())
    assert left(world) == ["out"]


@pytest.mark.parametrize("fault", ["changed", "hash"])
def test_a_file_that_is_not_the_locks_is_called_that(world, fault):
    world.fail(HELPER, fault)
    with pytest.raises(CannotAct) as raised:
        make(world.job())

    assert "sha256" in raised.value.message
    assert "do not install it" in raised.value.hint


def test_a_download_that_broke_off_once_is_asked_for_again(world):
    world.fail(HELPER, "drop", times=1)
    make(world.job())

    assert len(world.asked(f"/files/{HELPER}")) == 2


def test_the_next_run_goes_on_with_what_had_arrived_whole(world):
    world.fail("pip-1.0-py3-none-any.whl", "broken")
    with pytest.raises(CannotAct):
        make(world.job())
    world.heal()
    make(world.job())

    assert len(world.asked(f"/files/{DEMO}")) == 1
    assert not (world.home / "shelf").exists()


def test_what_arrived_and_was_changed_on_the_disk_since_is_fetched_again(world):
    world.fail("pip-1.0-py3-none-any.whl", "broken")
    with pytest.raises(CannotAct):
        make(world.job())
    (world.home / "shelf" / sha256(world.folder / DEMO)).write_bytes(b"another")
    world.heal()
    make(world.job())

    assert sha256_of(world.home / "place" / "out" / "wheels" / DEMO) == sha256(world.folder / DEMO)


def test_a_folder_that_is_no_bundle_is_never_touched(world):
    out = world.home / "place" / "out"
    out.mkdir(parents=True)
    (out / "manifest.json").write_text("{}")

    for replace in (False, True):
        with pytest.raises(UsageError, match="exists and is no bundle"):
            make(world.job(replace=replace))
    assert (out / "manifest.json").read_text() == "{}"


def test_what_somebody_put_into_a_bundle_does_not_go_with_it(world):
    make(world.job())
    mine = world.home / "place" / "out" / "notebooks" / "thesis.ipynb"
    mine.parent.mkdir()
    mine.write_text("mine")

    with pytest.raises(UsageError, match=r"holds more than a bundle: notebooks/thesis\.ipynb"):
        make(world.job(replace=True))
    assert mine.read_text() == "mine"


def test_a_bundle_is_replaced_only_when_asked_and_only_by_a_whole_one(world):
    make(world.job(day="2026-11-01"))
    with pytest.raises(UsageError, match="exists already"):
        make(world.job())
    world.fail(HELPER, "missing")
    with pytest.raises(CannotAct, match="is as it was"):
        make(world.job(replace=True))
    assert bundle_read.read(world.home / "place" / "out").day == "2026-11-01"

    world.heal()
    make(world.job(replace=True))
    assert bundle_read.read(world.home / "place" / "out").day == "2026-11-30"
    assert left(world) == ["out"]


@pytest.mark.parametrize("at", ["1/3", "3/3", "fetching", "checking"])
def test_an_interrupt_leaves_what_was_there(world, at):
    class Stops(list):
        def append(self, text):
            if text.startswith(at):
                raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, Interrupted)):
        make(world.job(said=Stops()))
    assert left(world) == []


def test_a_full_disk_is_one_line_that_says_so(world):
    big = wheel(world.folder, "pip", "1.0", body=f"x = {os.urandom(300_000).hex()!r}\n")
    known, entry = small_bundle.matrix(world.home / "other", world.folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(CannotAct) as raised:
            make(world.job(matrix=known, candidate=small_bundle.candidate(entry)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert big.name in raised.value.message
    assert "File too large" in raised.value.message
    assert "disk space" in raised.value.hint
    assert left(world) == []


def test_the_users_requirements_are_resolved_together_for_the_target(world):
    small_bundle.tagged(world.folder, "added", "2.1", "cp312-cp312-macosx_11_0_arm64")
    small_bundle.tagged(world.folder, "added", "2.1", "cp312-cp312-manylinux_2_28_x86_64")
    small_bundle.tagged(world.folder, "added", "2.1", "cp312-cp312-macosx_10_9_universal2")
    wanted = world.home / "wanted.txt"
    wanted.write_text("added; sys_platform == 'darwin'\nnot-for-macs; sys_platform != 'darwin'\n")
    manifest = make(world.job(files=(wanted,)))

    pins = {package.name: package.file for package in manifest.packages}
    assert pins["added"] == "added-2.1-cp312-cp312-macosx_11_0_arm64.whl"
    assert set(pins) == {"added", *small_bundle.LOCKED}
    assert manifest.lock is None


def test_what_the_target_must_be_is_read_off_the_wheels(world):
    small_bundle.tagged(world.folder, "added", "2.1", "cp312-cp312-macosx_13_0_arm64")
    wanted = world.home / "wanted.txt"
    wanted.write_text("added\n")

    assert make(world.job()).minimum_macos == "12.1"
    assert make(world.job(files=(wanted,), replace=True)).minimum_macos == "13.0"


@pytest.mark.parametrize(
    "line, what",
    [
        ("nowhere-to-be-found", "could not be resolved"),
        ("added @ {root}/files/added-2.0-py3-none-any.whl", "from no index"),
    ],
)
def test_requirements_that_cannot_be_bundled_are_refused(world, line, what):
    wanted = world.home / "wanted.txt"
    wanted.write_text(line.format(root=world.root) + "\n")

    with pytest.raises(CannotAct, match=what):
        make(world.job(files=(wanted,)))
    assert left(world) == []


def test_credentials_of_an_index_are_used_and_never_said(world, monkeypatch):
    world.credentials = ("someone", "s3cr3t-word")
    monkeypatch.setenv("UV_DEFAULT_INDEX", world.url_as("someone", "s3cr3t-word"))
    wanted = world.home / "wanted.txt"
    wanted.write_text("added\n")
    make(world.job(files=(wanted,)))

    out = world.home / "place" / "out"
    for name in ("manifest.json", "README.txt", "requirements.lock"):
        assert "s3cr3t-word" not in (out / name).read_text()
    world.fail(HELPER, "missing")
    said = []
    with pytest.raises(CannotAct) as raised:
        make(world.job(replace=True, said=said))
    assert "s3cr3t-word" not in " ".join((raised.value.message, raised.value.hint, *said))


def test_pages_in_html_will_do(world):
    world.only_html = True

    assert len(make(world.job()).packages) == 3


def test_two_at_once_on_one_folder_is_told(world):
    with (
        transaction.opened(world.home / "place" / "out", "tfcompat bundle"),
        pytest.raises(CannotAct, match="is at work there"),
    ):
        make(world.job())


def test_the_manifest_is_json_with_a_version(world):
    make(world.job())

    value = json.loads((world.home / "place" / "out" / "manifest.json").read_text())
    assert value["schema_version"] == 1
    assert value["run"] == "tfcompat fix --create-venv --bundle out"
