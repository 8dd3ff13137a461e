"""``tfcompat matrix update``: newer data is taken whole, anything hostile or broken leaves what is in use as it was."""

import gzip
import json
import os
import stat
import subprocess
import sys
import tarfile
from importlib import import_module

import pytest

from compat.builder import disk, update
from compat.matrix import places
from compat.matrix.load import load
from tests.builder.update_sources import NEWER, entry, lying_tar, serving, tarred, zipped
from tests.cli.running import refused
from tests.ending import WALL, ending
from tests.matrix.test_lint import ISSUES, METAL, RELEASES, RUNS, SIGNATURE, SOUND, TABLE, with_compiled
from tests.matrix.trees import write

INSTALLED = {name: text.replace("retrieved = 2026-11-30", "retrieved = 2026-12-01") for name, text in SOUND.items()}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A bundled matrix of 2026-11-30 and an empty data folder of the user's."""
    monkeypatch.delenv("TFCOMPAT_MATRICES", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(places, "__file__", str(tmp_path / "program" / "compat" / "matrix" / "places.py"))
    monkeypatch.setattr(import_module("compat.cli.matrix.update"), "_tomorrow", lambda: "2027-01-01")
    with_compiled(tmp_path / "program" / "matrices")
    return tmp_path / "data" / "tfcompat"


@pytest.fixture
def installed(data):
    """An updated copy of 2026-12-01 in the user's data folder."""
    with_compiled(data / "matrices", INSTALLED)
    return data


def content(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def only_the_copy(folder):
    """No leftovers beside the copy, nor the lock."""
    return [path.name for path in folder.iterdir()] in (["matrices"], [])


def source(tmp_path, form, files=NEWER):
    if form == "folder":
        return write(tmp_path / "source", files)
    if form == "checkout":
        write(tmp_path / "checkout" / "matrices", files)
        return tmp_path / "checkout"
    name, prefix, pack = {
        "zip": ("m.zip", "", zipped),
        "wheel": ("tfcompat-9.whl", "compat/matrices/", zipped),
        "tar": ("m.tar.gz", "tfcompat-9/matrices/", tarred),
    }[form]
    path = tmp_path / name
    path.write_bytes(pack({**files, "README.md": "x", "compiled/issues.json": "{"}, prefix=prefix))
    return path


@pytest.mark.parametrize("form", ["folder", "checkout", "zip", "wheel", "tar"])
def test_newer_data_is_taken_from_any_form_of_source(told, tmp_path, data, form):
    code, out, lines = told("matrix", "update", "--source", source(tmp_path, form))

    assert (code, lines) == (0, [])
    assert out.splitlines() == [
        "matrix of 2026-12-24: 6 releases, 7 links, 2 observed, 1 issues, 2 repairs, 2 locks, 5 platforms".replace(
            "6 releases", f"{SOUND[RELEASES].count('version = ') + SOUND[METAL].count('version = ')} releases"
        ),
        "  issues: 1 changed",
        "in use from now on, in place of the data of 2026-11-30",
    ]
    assert (load().root, load().date) == (data / "matrices", "2026-12-24")
    assert load().issues()[0].symptom == "The import ends in an error"
    assert only_the_copy(data)


@pytest.mark.parametrize("path", ["good", "chunked", "moved", "good.zip?token=secret"])
def test_newer_data_is_fetched(told, data, path):
    with serving(zipped(NEWER)) as address:
        assert told("matrix", "update", "--source", f"{address}/{path}")[0] == 0

    assert load().date == "2026-12-24"


def test_the_compiled_form_is_made_here_and_never_taken(told, tmp_path, data):
    lie = json.dumps({"issues": []})
    told("matrix", "update", "--source", write(tmp_path / "source", {**NEWER, "compiled/issues.json": lie}))

    assert (
        json.loads((data / "matrices" / "compiled" / "issues.json").read_text("utf-8"))["issues"][0]["id"] == "ISS001"
    )


def test_a_dry_run_says_what_would_change_and_changes_nothing(told, tmp_path, installed):
    before = content(installed / "matrices")
    code, out, _ = told("matrix", "update", "--dry-run", "--source", source(tmp_path, "folder"))

    assert code == 0
    assert out.splitlines()[1:] == ["  issues: 1 changed", "dry run: the data in use, of 2026-12-01, stay"]
    assert content(installed / "matrices") == before


def test_the_same_data_again_changes_nothing(told, tmp_path, installed):
    inode = (installed / "matrices").stat().st_ino
    out = told("matrix", "update", "--source", source(tmp_path, "folder", INSTALLED))[1]

    assert out.splitlines()[1:] == ["nothing changed: this is what is in use"]
    assert (installed / "matrices").stat().st_ino == inode


def test_reset_returns_to_the_bundled_data(told, installed):
    assert load().place.origin == "updated"

    assert told("matrix", "update", "--reset") == (0, "", ["the updated copy is removed: the bundled data is in use"])
    assert load().place.origin == "bundled"
    assert only_the_copy(installed)
    assert told("matrix", "update", "--reset") == (0, "", ["the bundled data is in use"])


@pytest.mark.parametrize("make", [lambda path: path.write_text("x"), lambda path: path.symlink_to("/nowhere")])
def test_reset_removes_whatever_stands_there(told, data, make):
    data.mkdir(parents=True)
    make(data / "matrices")

    assert told("matrix", "update", "--reset")[0] == 0
    assert not os.path.lexists(data / "matrices")


def test_a_broken_copy_is_told_with_the_way_back_and_can_be_replaced(told, tmp_path, installed):
    (installed / "matrices" / "compiled" / "index.json").write_text("{", "utf-8")
    result = told("explain", "ISS001")
    refused(result, 3, "compiled/index.json")
    assert "tfcompat matrix update --reset" in result[2][1]

    assert told("matrix", "update", "--source", source(tmp_path, "folder"))[0] == 0
    assert told("explain", "ISS001")[0] == 0


def test_an_older_copy_than_the_bundled_data_is_passed_over_and_check_says_so(told, data):
    older = {
        name: text.replace("2026-11-30", "2026-11-20").replace("2026-11-29", "2026-11-19")
        for name, text in SOUND.items()
    }
    with_compiled(data / "matrices", older)
    code, out, lines = told("matrix", "check")

    assert (code, out) == (0, "the matrix is sound\n")
    assert "the bundled data is used" in lines[0]


@pytest.mark.parametrize("words", [("show", "--platform", "macos-arm64"), ("why", "tensorflow", "tensorflow-metal")])
def test_show_and_why_say_it_beside_their_answer(told, data, words):
    older = {name: text.replace("2026-11-30", "2026-11-20").replace("2026-11-29", "2026-11-19") for name, text in SOUND.items()}  # fmt: skip
    with_compiled(data / "matrices", older)
    code, out, lines = told("matrix", *words)

    assert code == 0
    assert "2026-11-30" in out
    assert [line for line in lines if "the bundled data is used" in line]


def test_older_data_needs_to_be_asked_for(told, tmp_path, data):
    with_compiled(data / "matrices", NEWER)
    older = source(tmp_path, "folder", INSTALLED)
    result = told("matrix", "update", "--source", older)
    refused(result, 3, "of 2026-12-01, older than the data in use, of 2026-12-24")
    assert "--allow-older" in result[2][1]

    assert told("matrix", "update", "--allow-older", "--source", older)[0] == 0
    assert load().date == "2026-12-01"


def test_data_older_than_the_bundled_is_refused_because_it_would_not_be_used(told, tmp_path, data):
    oldest = {name: text.replace("retrieved = 2026-11-30", "retrieved = 2026-11-01").replace("2026-11-29", "2026-11-01") for name, text in SOUND.items()}  # fmt: skip
    words = ("matrix", "update", "--allow-older", "--source", source(tmp_path, "folder", oldest))

    refused(told(*words), 3, "the bundled data is of 2026-11-30")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "no default source until the project is published"),
        (["--source", ""], "no default source"),
        (["--dry-run"], "no default source"),
        (["--source", "http://example.org/m.zip"], "is not https"),
        (["--source", "ftp://example.org/m.zip"], "is no https address"),
        (["--source", "file:///etc/passwd"], "is no https address"),
        (["--source", "https://"], "is no https address"),
        (["--source", "https://[2001/m.zip"], "https://… is no https address"),
        (["--source", "http://localhost:99999/m.zip"], "http://… is no https address"),
        (["--reset", "--source", "x"], "--reset takes no other option"),
        (["--reset", "--dry-run"], "--reset takes no other option"),
    ],
)
def test_wrong_words_are_usage_errors(told, installed, words, what):
    before = content(installed)

    refused(told("matrix", "update", *words), 2, what)
    assert content(installed) == before


ROW = SOUND[ISSUES]
HOSTILE = {
    "too large": ({**NEWER, "issues/big.toml": "# " + os.urandom(2_100_000).hex()}, "larger than 4 MB"),
    "too much in all": ({**NEWER, **{f"issues/{n}.toml": os.urandom(1_900_000).hex() for n in range(8)}}, "a matrix may have"),
    "a bomb": ({**NEWER, "issues/big.toml": "#" * 20_000_000}, "200 times its size"),
    "too many files": ({**NEWER, **{f"x/{n}": "" for n in range(5_001)}}, "more than 5000 files"),
    "100,000 rows": ({**NEWER, "issues/many.toml": "[[issues]]\n" * 100_000}, "too-many-rows"),
    "a table for a list": ({**NEWER, ISSUES: ROW.replace("[[issues]]", "[issues]")}, "wrong-type"),
    "a list for a table": ({**NEWER, "links/tensorflow-metal.arm64.toml": SOUND["links/tensorflow-metal.arm64.toml"].replace('log = ["__ZN3tsl8internal10LogMessageC1EPKcii"]', "").replace("[missing]", "[[missing]]")}, "wrong-type"),
    "a number as text": ({**NEWER, RELEASES: NEWER[RELEASES].replace("size = 240000000", 'size = "240000000"', 1)}, "wrong-type"),
    "a huge number": ({**NEWER, RELEASES: NEWER[RELEASES].replace("240000000", "9" * 19, 1)}, "64 bits"),
    "an endless number": ({**NEWER, RELEASES: NEWER[RELEASES].replace("240000000", "9" * 9999, 1)}, "digits"),
    "a huge version": ({**NEWER, RELEASES: NEWER[RELEASES].replace("2.13.0", "9" * 9999)}, "4000 characters"),
    "deep nesting": ({**NEWER, ISSUES: ROW + "x = " + "[" * 100_000}, "nested deeper"),
    "a key of many parts": ({**NEWER, ISSUES: ROW + "a" + ".a" * 100_000 + " = 1"}, "a key of more parts"),
    "not UTF-8": ({**NEWER, ISSUES: b"\xff\xfe" + ROW.encode()}, "utf-8"),
    "duplicate ids": ({**NEWER, "issues/two.toml": ROW}, "duplicate-id"),
    "no source": ({**NEWER, RUNS: SOUND[RUNS].replace("sources = [", "sources = [] # ")}, "no-source"),
    "a missing reference": ({**NEWER, TABLE: SOUND[TABLE].replace("OBS001", "OBS404")}, "unknown-reference"),
    "a newer schema": ({**NEWER, "matrix.toml": "schema = 2\n"}, "schema 2, made for a newer tfcompat"),
    "no matrix": ({"readme.toml": "x = 1"}, "it is no matrix"),
    "two matrices": ({**NEWER, "b/releases/x.toml": ""}, "holds 2 matrices"),
    "a destructive command": ({**NEWER, ISSUES: ROW.replace("tfcompat fix --create-venv", "rm -rf ~")}, "command-destructive"),
    "an exception for it": ({**NEWER, ISSUES: ROW.replace("tfcompat fix --create-venv", "rm -rf x"), "exceptions.toml": '[[exceptions]]\naddress = "issues/load.toml: ISS001.commands[0]"\nproblem = "command-destructive"\nreason = "x"\nday = 2026-11-30\n'}, "command-destructive"),
    "a day to come": ({**NEWER, METAL: SOUND[METAL].replace("2026-11-30", "9999-12-31")}, "yet to come"),
    "a pattern": ({**NEWER, ISSUES: ROW.replace(SIGNATURE, "(a+)+.*(b+)+.*Z")}, "signature-pattern"),
    "a path in a signature": ({**NEWER, ISSUES: ROW.replace(SIGNATURE, "in /home/ada/x: no")}, "signature-personal"),
    "a name that climbs": ({**NEWER, "issues/../../../evil.toml": "x"}, "leads out of its folder"),
    "an absolute name": ({**NEWER, "/tmp/evil.toml": "x"}, "leads out of its folder"),
    "a drive": ({**NEWER, "C:\\evil.toml": "x"}, "leads out of its folder"),
    "a name twice": ({**NEWER, "issues/LOAD.toml": "x = 1"}, "stands there twice"),
}  # fmt: skip
ARCHIVES = {
    "a zip of links": (zipped({**NEWER, "issues/x.toml": "/etc/passwd"}, kind=stat.S_IFLNK | 0o777), "a link or a device"),
    "a tar with a link": (tarred(NEWER, extra=(entry(tarfile.SYMTYPE, "issues/x.toml", "/etc/passwd"),)), "a link or a device"),
    "a tar with a hard link": (tarred(NEWER, extra=(entry(tarfile.LNKTYPE, "issues/x.toml", "matrix.toml"),)), "a link or a device"),
    "a tar with a device": (tarred(NEWER, extra=(entry(tarfile.CHRTYPE, "issues/x.toml"),)), "a link or a device"),
    "a tar with a pipe": (tarred(NEWER, extra=(entry(tarfile.FIFOTYPE, "issues/x.toml"),)), "a link or a device"),
    "a tar that climbs": (tarred({**NEWER, "../evil.toml": "x"}), "leads out of its folder"),
    "a tar that lies": (lying_tar(), "200 times its size"),
    "a gzip bomb": (gzip.compress(bytes(29_000_000)), "200 times its size"),
    "a cut zip": (zipped(NEWER)[:-100], "broken archive"),
    "a cut tar": (tarred(NEWER)[:-100], "broken archive"),
    "a gzip of no tar": (gzip.compress(b"x" * 5000), "broken archive"),
    "a zip with a broken member": (zipped(NEWER, stored=True).replace(b"Monterey", b"Montagne"), "broken archive"),
    "only a magic number": (b"PK\x03\x04", "broken archive"),
}  # fmt: skip
ANSWERS = {
    "missing": "answered 404",
    "busy": "answered 429",
    "broken": "answered 500",
    "garbage": "neither a folder, a .zip",
    "page": "neither a folder, a .zip",
    "empty": "neither a folder, a .zip",
    "half": "broke off before its end",
    "truncated": "broken archive",
    "loop": "more than 5 redirects",
    "nowhere": "redirects and does not say where to",
    "nonsensical": "leads to what is no address",
    "portless": "leads to http://… is no https address",
    "outside": "leads to http://example.org/matrix.zip is not https",
    "disk": "is no https address",
    "packed": "an encoding nobody asked for",
    "announced": "larger than the 20 MB",
    "endless": "larger than the 20 MB",
    "drip": "did not answer whole within 2 s",
    "silent": "did not answer whole within 2 s",
    "nonsense": "",
}


def unharmed(told, installed, address, what):
    before = content(installed / "matrices")
    with ending():
        refused(told("matrix", "update", "--source", address), 3, what)

    assert content(installed / "matrices") == before
    assert only_the_copy(installed)
    assert not list(installed.parent.parent.rglob("evil*"))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_matrix_is_refused_and_nothing_changes(told, installed, name):
    files, what = HOSTILE[name]
    with serving(zipped(files)) as address:
        unharmed(told, installed, f"{address}/good", what)


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_hostile_archive_is_refused_and_nothing_changes(told, installed, name):
    body, what = ARCHIVES[name]
    with serving(body) as address:
        unharmed(told, installed, f"{address}/good", what)


@pytest.mark.parametrize("path", ANSWERS)
def test_a_server_that_misbehaves_is_told_and_nothing_changes(told, installed, path, monkeypatch):
    monkeypatch.setattr(update, "SECONDS", 2.0)
    with ending(wall=WALL), serving(zipped(NEWER)) as address:  # the whole drip takes three minutes
        unharmed(told, installed, f"{address}/{path}", ANSWERS[path])


def test_a_server_that_is_not_there(told, installed):
    unharmed(told, installed, "http://127.0.0.1:9/m.zip", "refused")


def test_what_an_address_keeps_secret_is_not_shown(told, installed):
    with serving(b"") as address:
        url = address.replace("http://", "http://ada:hunter2@") + "/missing?token=sesame"
        _, _, lines = told("matrix", "update", "--source", url)

    assert "hunter2" not in lines[0]
    assert "sesame" not in lines[0]


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda path: None, "No such file"),
        (lambda path: path.mkdir(), "no matrix"),
        (lambda path: path.write_text("hello"), "neither a folder"),
        (os.mkfifo, "neither a folder nor a file"),
        (lambda path: path.write_bytes(bytes(21_000_000)), "larger than the 20 MB"),
    ],
    ids=["absent", "empty", "text", "pipe", "large"],
)
def test_a_path_that_is_no_matrix(told, tmp_path, installed, make, what):
    make(tmp_path / "source")
    unharmed(told, installed, tmp_path / "source", what)


@pytest.mark.parametrize("name", ["issues/x.toml", "repairs"])
def test_a_folder_with_a_link_in_it_is_refused(told, tmp_path, installed, name):
    folder = source(tmp_path, "folder", {name_: text for name_, text in NEWER.items() if not name_.startswith(name)})
    (folder / name).symlink_to("/etc")

    unharmed(told, installed, folder, "is a link")


def test_a_signature_that_would_be_a_slow_pattern_is_text(told, tmp_path, data):
    slow = {**NEWER, ISSUES: ROW.replace(SIGNATURE, "(a+)+$(a+)+$…(a|a)+$…(a*)*$")}

    with ending():
        assert told("matrix", "update", "--source", source(tmp_path, "zip", slow))[0] == 0
        from compat.matrix.signatures import is_on

        signature = load().issues()[0].signatures[0]
        assert not is_on(signature, "a" * 1_000_000 + "!")


def test_two_updates_at_once_are_one_and_a_refusal(told, tmp_path, installed):
    code = "import sys, time; from pathlib import Path; from compat.builder.holding import held\nwith held(Path(sys.argv[1]), 'an update'): print('held', flush=True); time.sleep(60)"
    lock = installed / ".matrices.tfcompat"
    with subprocess.Popen([sys.executable, "-c", code, lock], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        said = f"`an update` (process {other.pid}) is at work there"
        refused(told("matrix", "update", "--source", source(tmp_path, "folder")), 3, said)
        refused(told("matrix", "update", "--reset"), 3, said)
        other.kill()
    assert told("matrix", "update", "--source", tmp_path / "source")[0] == 0


def test_leftovers_of_a_run_that_was_killed_are_cleared(told, tmp_path, installed):
    (installed / ".matrices.tfcompat" / "new-abc" / "matrices").mkdir(parents=True)

    refused(told("matrix", "update", "--source", tmp_path / "gone"), 3, "No such file")
    assert load().date == "2026-12-01"
    assert only_the_copy(installed)


def test_a_swap_that_fails_is_undone(told, tmp_path, installed, monkeypatch):
    def failing(*_names):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk, "put", failing)
    before = content(installed / "matrices")

    refused(told("matrix", "update", "--source", source(tmp_path, "folder")), 3, "No space left on device")
    assert content(installed / "matrices") == before
    monkeypatch.undo()
    assert told("matrix", "update", "--reset")[0] == 0


def test_a_data_folder_that_cannot_be_made_is_told(told, tmp_path, data, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))

    refused(told("matrix", "update", "--source", source(tmp_path, "folder")), 3, "cannot write beside")


def test_an_interrupted_update_leaves_nothing(told, tmp_path, installed, monkeypatch):
    monkeypatch.setattr(disk, "put", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    before = content(installed / "matrices")

    assert told("matrix", "update", "--source", source(tmp_path, "folder"))[0] == 130
    assert content(installed / "matrices") == before
    assert only_the_copy(installed)


def test_a_named_folder_that_stays_in_use_is_said(told, tmp_path, data, monkeypatch):
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(write(tmp_path / "mine", SOUND)))

    assert told("matrix", "update", "--source", source(tmp_path, "folder"))[2] == [
        "note: TFCOMPAT_MATRICES is set: the folder it names stays in use"
    ]
