"""What is written to disk: whole or not at all, and never in the place of what is no file."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import threading
import types
from pathlib import Path

import pytest

from compat.builder import disk
from compat.errors import CannotAct


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("an older, longer report")
    disk.write(path, "new")

    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_text()), daemon=True)
    reader.start()
    disk.write(path, "told")
    reader.join(10)

    assert read == ["told"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_a_folder_is_refused_and_stays(tmp_path):
    (tmp_path / "reports").mkdir()

    with pytest.raises(CannotAct, match="cannot write"):
        disk.write(tmp_path / "reports", "x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["reports"]


def renaming(real, seen):
    def renamed(one, other):
        seen.append(("rename", Path(other).name))
        real(one, other)

    return renamed


@pytest.fixture
def calls(monkeypatch):
    """What reaches the disk, in order: fsync and rename, each with what it is about."""
    seen = []
    fsync = os.fsync

    def synced(handle):
        seen.append(("fsync", Path(f"/proc/self/fd/{handle}").readlink().name))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renaming(os.replace, seen))
    monkeypatch.setattr(Path, "rename", renaming(Path.rename, seen))
    return seen


def tree(folder, text):
    folder.mkdir(parents=True)
    (folder / "what.txt").write_text(text)
    return folder


def test_a_file_is_on_the_disk_before_it_bears_its_name_and_its_name_before_anything_relies_on_it(tmp_path, calls):
    disk.replace(tmp_path / "journal.json", "{}")

    (first, written), second, third = calls
    assert first == "fsync"
    assert written.startswith(".journal.json.")
    assert (second, third) == (("rename", "journal.json"), ("fsync", tmp_path.name))


@pytest.mark.parametrize("umask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_has_the_mode_the_umask_gives(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        disk.replace(tmp_path / "pins.txt", "demo==1.0")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "pins.txt").stat().st_mode) == mode


def test_a_private_file_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        disk.replace(tmp_path / "journal.json", "{}", mode=0o600)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "journal.json").stat().st_mode) == 0o600


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path):
    (tmp_path / "precious.txt").write_text("mine")
    (tmp_path / "pins.txt").symlink_to(tmp_path / "precious.txt")
    disk.replace(tmp_path / "pins.txt", "demo==1.0")

    assert (tmp_path / "precious.txt").read_text() == "mine"
    assert not (tmp_path / "pins.txt").is_symlink()
    assert (tmp_path / "pins.txt").read_text() == "demo==1.0"


@pytest.mark.parametrize("at", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr)
def test_what_cannot_be_written_whole_leaves_the_old_one_and_nothing_half(tmp_path, monkeypatch, at, error):
    (tmp_path / "pins.txt").write_text("old")

    def fails(*_args):
        raise error

    monkeypatch.setattr(os, at, fails)
    with pytest.raises(type(error)):
        disk.replace(tmp_path / "pins.txt", "new")
    assert (tmp_path / "pins.txt").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["pins.txt"]


def test_what_is_half_written_lies_in_the_folder_it_was_given_and_is_swept_from_there(tmp_path, monkeypatch):
    private = tmp_path / "private"
    private.mkdir()
    (private / "lock").write_text("")

    def dies(_path):
        raise SystemExit  # a process that is killed unlinks nothing

    with monkeypatch.context() as dying:
        dying.setattr(os, "fsync", dies)
        dying.setattr(os, "unlink", lambda _path: None)
        with pytest.raises(SystemExit):
            disk.replace(tmp_path / "pins.txt", "new", scratch=private)
    assert [entry.name for entry in tmp_path.iterdir()] == ["private"]
    assert len(list(private.iterdir())) == 2

    disk.sweep(private)
    assert [entry.name for entry in private.iterdir()] == ["lock"]


def test_two_names_are_exchanged_at_once_and_the_folders_around_them_synced(tmp_path, calls):
    source, target = tree(tmp_path / "private" / "new", "new"), tree(tmp_path / "env", "old")
    disk.put(source, target)

    assert (target / "what.txt").read_text() == "new"
    assert (source / "what.txt").read_text() == "old"
    assert calls == [("fsync", tmp_path.name), ("fsync", "private")]


def test_while_names_are_exchanged_both_are_always_there(tmp_path):
    source, target, gone = tree(tmp_path / "new", "1"), tree(tmp_path / "env", "2"), []
    ended = threading.Event()

    def watch():
        while not ended.is_set():
            gone.extend(path for path in (source, target) if not path.exists())

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(200):
        disk.put(source, target)
    ended.set()
    watcher.join()

    assert gone == []


def test_where_nothing_stands_it_is_one_rename(tmp_path, calls):
    disk.put(tree(tmp_path / "private" / "new", "new"), tmp_path / "env")

    assert (tmp_path / "env" / "what.txt").read_text() == "new"
    assert calls == [("rename", "env"), ("fsync", tmp_path.name), ("fsync", "private")]


def refusing(monkeypatch, code):
    """An exchange the system answers with an error."""
    monkeypatch.setattr(disk, "_swap", lambda: lambda _one, _other: ctypes.set_errno(code) or -1)


@pytest.mark.parametrize("code", [None, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP], ids=str)
def test_where_names_cannot_be_exchanged_it_takes_renames(tmp_path, monkeypatch, calls, code):
    if code is None:
        monkeypatch.setattr(disk, "_swap", lambda: None)
    else:
        refusing(monkeypatch, code)
    source, target = tree(tmp_path / "private" / "new", "new"), tree(tmp_path / "env", "old")
    disk.put(source, target)

    assert (target / "what.txt").read_text() == "new"
    assert (source / "what.txt").read_text() == "old"
    assert [what for what in calls if what[0] == "rename"] == [
        ("rename", "new.aside"),
        ("rename", "env"),
        ("rename", "new"),
    ]
    assert not disk.aside(source).exists()


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.EIO], ids=errno.errorcode.get)
def test_an_exchange_that_is_refused_is_told_and_nothing_has_moved(tmp_path, monkeypatch, code):
    refusing(monkeypatch, code)
    source, target = tree(tmp_path / "new", "new"), tree(tmp_path / "env", "old")

    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        disk.put(source, target)
    assert caught.value.filename == str(target)
    assert (target / "what.txt").read_text() == "old"
    assert (source / "what.txt").read_text() == "new"


def test_a_second_rename_that_fails_brings_the_old_one_back(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "_swap", lambda: None)
    source, target = tree(tmp_path / "new", "new"), tree(tmp_path / "env", "old")
    real, seen = Path.rename, []

    def second_fails(one, other):
        seen.append(other)
        if len(seen) == 2:
            raise OSError(errno.EIO, "Input/output error")
        real(one, other)

    monkeypatch.setattr(Path, "rename", second_fails)
    with pytest.raises(OSError, match="Input/output"):
        disk.put(source, target)
    assert (target / "what.txt").read_text() == "old"
    assert (source / "what.txt").read_text() == "new"


def test_a_folder_that_cannot_be_synced_is_let_be_and_a_broken_disk_is_not(tmp_path, monkeypatch):
    def says(code):
        def fsync(_handle):
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(os, "fsync", fsync)

    says(errno.EINVAL)  # by file systems that have nothing to sync in a folder
    disk.sync(tmp_path)
    says(errno.EIO)
    with pytest.raises(OSError, match="Input/output"):
        disk.sync(tmp_path)


@pytest.mark.parametrize("missing", [False, True], ids=["syncfs", "without syncfs"])
def test_everything_written_is_flushed_with_what_the_system_has(tmp_path, monkeypatch, missing):
    asked = []
    has = {} if missing else {"syncfs": lambda handle: asked.append(Path(f"/proc/self/fd/{handle}").readlink()) or 0}
    monkeypatch.setattr(ctypes, "CDLL", lambda *_args, **_rest: types.SimpleNamespace(**has))
    monkeypatch.setattr(os, "sync", lambda: asked.append("everything"))
    disk.flush(tmp_path)

    assert asked == (["everything"] if missing else [tmp_path])


def test_a_disk_that_takes_nothing_any_more_is_an_error_for_who_relies_on_it_only(tmp_path, monkeypatch):
    broken = types.SimpleNamespace(syncfs=lambda _handle: ctypes.set_errno(errno.EIO) or -1)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_args, **_rest: broken)

    disk.flush(tmp_path)
    with pytest.raises(OSError, match="Input/output"):
        disk.flush(tmp_path, checked=True)


def test_what_is_discarded_is_removed_and_a_link_never_followed(tmp_path):
    precious = tree(tmp_path / "precious", "mine")
    ours = tree(tmp_path / "ours", "half")
    (ours / "inside").symlink_to(precious)
    (tmp_path / "link").symlink_to(precious)
    for path in (ours, tmp_path / "link", tmp_path / "nothing"):
        disk.discard(path)

    assert [entry.name for entry in tmp_path.iterdir()] == ["precious"]
    assert (precious / "what.txt").read_text() == "mine"
