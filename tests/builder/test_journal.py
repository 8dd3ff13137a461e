"""The journal is believed only where it is ours and sound; whatever else it holds, nothing is done by it."""

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from compat.builder import disk, journal
from compat.builder.journal import BUILDING, PLACING, Entry
from compat.errors import CannotAct
from tests.limits import limits

SOUND = {
    "version": 1,
    "state": "placing",
    "folder": "new-a/env",
    "inode": 7,
    "keep": False,
    "what": "TensorFlow 2.18.1",
    "record": {},
}


def written(folder, content):
    (folder / "journal.json").write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return folder


@pytest.mark.parametrize(
    "entry",
    [
        Entry(state=BUILDING, what="TensorFlow 2.18.1, CPU, Python 3.11"),
        Entry(state=PLACING, folder="new-a/env", inode=2**63, keep=True, what="é", record={"ok": True, "seconds": 1.5}),
    ],
    ids=["building", "placing"],
)
def test_what_was_put_down_is_read_back(tmp_path, entry):
    journal.write(tmp_path, Entry(state=BUILDING, what="the one before, and longer than what comes after it" * 9))
    journal.write(tmp_path, entry)

    assert journal.read(tmp_path) == entry
    assert [path.name for path in tmp_path.iterdir()] == ["journal.json"]
    assert stat.S_IMODE((tmp_path / "journal.json").stat().st_mode) == 0o600


def test_what_is_done_is_no_longer_there(tmp_path):
    journal.write(tmp_path, Entry(state=BUILDING))
    journal.clear(tmp_path)
    journal.clear(tmp_path)

    assert journal.read(tmp_path) is None


def test_the_sound_one_of_these_tables_is_read(tmp_path):
    assert journal.read(written(tmp_path, SOUND)).folder == "new-a/env"


@pytest.mark.parametrize(
    "folder",
    ["/", "/etc", "..", "../../home", "new-a/../../..", "new-a/..", "a\0b", "//etc"],
    ids=repr,
)
def test_a_name_that_leads_out_is_not_gone_by(tmp_path, folder):
    assert journal.read(written(tmp_path, SOUND | {"folder": folder})) is None


@pytest.mark.parametrize(
    "folder", ["", ".", "lock", "journal.json", "new-a", "new-a/env/bin", "other", "previous/bin"], ids=repr
)
def test_to_the_target_goes_only_what_a_run_of_ours_would_have_put_there(tmp_path, folder):
    assert journal.read(written(tmp_path, SOUND | {"folder": folder})) is None


@pytest.mark.parametrize(
    "name, value",
    [
        ("version", 2),
        ("version", "1"),
        ("version", None),
        ("state", "done"),
        ("state", None),
        ("state", ["placing"]),
        ("folder", 7),
        ("folder", None),
        ("inode", "7"),
        ("inode", 7.0),
        ("inode", True),
        ("inode", 0),
        ("inode", -1),
        ("keep", 1),
        ("keep", "no"),
        ("what", {}),
        ("record", []),
        ("record", "x"),
        ("more", 1),
    ],
)
def test_a_value_that_is_none_of_ours_makes_the_whole_unsound(tmp_path, name, value):
    assert journal.read(written(tmp_path, SOUND | {name: value})) is None


@pytest.mark.parametrize("name", sorted(set(SOUND) - {"folder", "inode", "keep", "what", "record"}))
def test_without_its_version_or_state_it_is_no_journal(tmp_path, name):
    assert journal.read(written(tmp_path, {key: value for key, value in SOUND.items() if key != name})) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"x"',
        b"\xff\xfe\x00",
        b"\x00" * 400,
        b'{"version": NaN}',
        b"[" * 200_000,
        b"1" * 9999,
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_no_json_or_no_object_is_nothing_to_go_by(tmp_path, content):
    assert journal.read(written(tmp_path, content)) is None


def test_ten_megabytes_are_not_even_read(tmp_path):
    huge = written(tmp_path, SOUND | {"what": "x" * 10_000_000})
    with limits(calls=2000, memory=6_000_000):
        assert journal.read(huge) is None


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_of_ours_is_not_read(tmp_path, kind):
    path = tmp_path / "journal.json"
    if kind == "link":
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        path.symlink_to(written(elsewhere, SOUND) / "journal.json")
    elif kind == "pipe":
        os.mkfifo(path)  # reading it would wait for ever
    else:
        path.mkdir()

    assert journal.read(tmp_path) is None


def test_words_that_would_move_the_cursor_are_told_as_text(tmp_path):
    entry = journal.read(written(tmp_path, SOUND | {"what": "TensorFlow\x1b[2J\nrm -rf ~" + "x" * 5000}))

    assert entry is None or ("\x1b" not in entry.what and "\n" not in entry.what and len(entry.what) <= 300)


def test_an_environment_is_ours_by_its_marker_and_a_link_never(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    journal.mark(ours, {"made_by": "tfcompat 0.1"})
    (tmp_path / "link").symlink_to(ours)

    assert journal.is_ours(ours)
    assert not journal.is_ours(theirs)
    assert not journal.is_ours(tmp_path / "link")
    assert not journal.is_ours(tmp_path / "nowhere")


def test_the_marker_that_cannot_be_written_is_an_error_of_ours(tmp_path):
    with pytest.raises(CannotAct, match="cannot write"):
        journal.mark(tmp_path / "nowhere", {})


@pytest.mark.parametrize(
    "content, ours",
    [
        (b"# tfcompat: TensorFlow 2.18.1\ndemo==1.0\n", True),
        (b"# tfcompat: ", True),
        (b"demo==1.0\n# tfcompat: no\n", False),
        (b"", False),
        (b"\xff\xfe# tfcompat: ", False),
        (b"# tfcompat\n", False),
    ],
    ids=repr,
)
def test_pins_are_ours_by_their_first_words(tmp_path, content, ours):
    (tmp_path / "env.requirements.txt").write_bytes(content)

    assert journal.is_our_pins(tmp_path / "env.requirements.txt") is ours


def test_a_link_a_folder_or_nothing_is_not_our_pins(tmp_path):
    disk.replace(tmp_path / "pins.txt", "# tfcompat: x\n")
    (tmp_path / "link").symlink_to(tmp_path / "pins.txt")
    (tmp_path / "folder").mkdir()

    assert not any(journal.is_our_pins(tmp_path / name) for name in ("link", "folder", "nothing"))


@pytest.mark.parametrize("code, said", [(errno.EACCES, "not ours"), (errno.EMFILE, None), (errno.EIO, None)], ids=str)
def test_pins_the_system_cannot_read_are_not_called_somebody_elses(tmp_path, monkeypatch, code, said):
    (tmp_path / "pins.txt").write_text("# tfcompat: x\n")

    def refuses(*_args, **_rest):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Path, "open", refuses)
    if said is not None:
        assert not journal.is_our_pins(tmp_path / "pins.txt")
        return
    with pytest.raises(OSError, match=os.strerror(code)):
        journal.is_our_pins(tmp_path / "pins.txt")


def test_of_a_long_first_line_only_the_beginning_is_read(tmp_path):
    (tmp_path / "pins.txt").write_bytes(b"x" * 20_000_000)
    with limits(calls=2000, memory=2_000_000):
        assert not journal.is_our_pins(tmp_path / "pins.txt")
