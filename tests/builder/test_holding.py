"""One run at a time on one folder, whoever dies; and no folder that is somebody else's."""

import contextlib
import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from compat.builder import holding
from compat.errors import CannotAct
from tests.cli.running import ROOT

HOLDER = """
import subprocess, sys
from pathlib import Path
from compat.builder import holding
with holding.held(Path(sys.argv[1]), "tfcompat fix") as handle:
    if sys.argv[2:] == ["with a child"]:
        child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], pass_fds=[handle])
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / ".env.tfcompat"


@contextlib.contextmanager
def holder(folder, *words):
    """Another process that holds the folder until its stdin ends or it is killed."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", HOLDER, str(folder), *words]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout.readline() == b"held\n"
        yield process


def test_what_is_held_is_private_and_gone_afterwards(folder):
    before = os.umask(0)
    try:
        with holding.held(folder, "tfcompat fix"):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert stat.S_IMODE((folder / "lock").stat().st_mode) == 0o600
            assert (folder / "lock").read_text() == f"{os.getpid()} tfcompat fix\n"
    finally:
        os.umask(before)
    assert not folder.exists()


def test_what_is_kept_in_it_stays(folder):
    with holding.held(folder, "tfcompat fix"):
        (folder / "previous").mkdir()

    assert sorted(path.name for path in folder.iterdir()) == ["lock", "previous"]
    with holding.held(folder, "tfcompat fix"):  # and the lock that stayed is nobody's
        pass


def test_an_error_inside_gives_it_back(folder):
    with pytest.raises(ValueError, match="inside"), holding.held(folder, "tfcompat fix"):
        raise ValueError("inside")
    assert not folder.exists()


def test_the_second_is_told_who_is_at_work(folder):
    with holder(folder) as first:
        with pytest.raises(CannotAct) as caught, holding.held(folder, "tfcompat fix --rollback"):
            pass
        assert caught.value.message == f"`tfcompat fix` (process {first.pid}) is at work there, in {folder}"
        assert "wait" in caught.value.hint
        assert (folder / "lock").read_text() == f"{first.pid} tfcompat fix\n"
        first.stdin.close()
        first.wait()
        with holding.held(folder, "tfcompat fix"):
            pass


def test_a_dead_holder_is_no_holder(folder):
    with holder(folder) as first:
        first.kill()
        first.wait()
        with holding.held(folder, "tfcompat fix"):
            assert (folder / "lock").read_text().startswith(f"{os.getpid()} ")


def test_the_child_of_a_dead_holder_is_waited_for(folder):
    with holder(folder, "with a child") as first:
        first.kill()
        first.wait()
        ended = []
        threading.Timer(1.0, lambda: (ended.append(True), first.stdin.close())).start()
        with holding.held(folder, "tfcompat fix"):
            assert ended


def test_the_child_of_a_dead_holder_is_not_waited_for_forever(folder, monkeypatch):
    monkeypatch.setattr(holding, "WAIT_SECONDS", 0.3)
    with holder(folder, "with a child") as first:
        first.kill()
        first.wait()
        with pytest.raises(CannotAct, match=rf"`tfcompat fix` \(process {first.pid}\)"), holding.held(folder, "again"):
            pass
        first.stdin.close()


def test_a_holder_that_stands_still_holds(folder):
    with holder(folder) as first:
        first.send_signal(signal.SIGSTOP)
        with pytest.raises(CannotAct, match=f"process {first.pid}"), holding.held(folder, "tfcompat fix"):
            pass
        first.send_signal(signal.SIGCONT)
        first.stdin.close()


@pytest.mark.parametrize(
    "text", [b"", b"\xff\xfe\x00", b"99999999999999999999 x", b"-1 x", b"0x10", b"\x1b[2Jx" * 99], ids=repr
)
def test_a_holder_that_says_nothing_sound_is_another_run(folder, monkeypatch, text):
    monkeypatch.setattr(holding, "WAIT_SECONDS", 0.2)
    folder.mkdir()
    (folder / "lock").write_bytes(text)
    with (folder / "lock").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(CannotAct, match="is at work there") as caught, holding.held(folder, "tfcompat fix"):
            pass

    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 400


def test_a_folder_that_the_one_before_removes_meanwhile_is_made_again(folder, monkeypatch):
    real, seen = holding._must_be_ours, []

    def removed(path):
        real(path)
        if len(seen) < 3:
            seen.append(path)
            path.rmdir()

    monkeypatch.setattr(holding, "_must_be_ours", removed)
    with holding.held(folder, "tfcompat fix"):
        assert folder.is_dir()
    assert len(seen) == 3


def test_a_folder_that_always_goes_away_is_said_so(folder, monkeypatch):
    monkeypatch.setattr(holding, "_must_be_ours", lambda path: path.rmdir())

    with pytest.raises(CannotAct, match="comes and goes"), holding.held(folder, "tfcompat fix"):
        pass


def test_a_lock_on_a_file_that_was_removed_is_no_lock(folder, monkeypatch):
    real, seen = holding._locked, []

    def first_is_removed(handle):
        done = real(handle)
        if not seen:
            seen.append(os.fstat(handle).st_ino)
            (folder / "lock").unlink()
        return done

    monkeypatch.setattr(holding, "_locked", first_is_removed)
    with holding.held(folder, "tfcompat fix") as handle:
        assert os.path.samestat(os.fstat(handle), (folder / "lock").stat())


def test_many_at_once_come_one_after_the_other(folder):
    """In processes of their own: each writes its number inside, and finds no other's there."""
    code = """
import os, sys, time
from pathlib import Path
from compat.builder import holding
from compat.errors import CannotAct
folder, seen = Path(sys.argv[1]), Path(sys.argv[2])
for _ in range(8):
    while True:
        try:
            with holding.held(folder, "tfcompat fix"):
                handle = os.open(seen, os.O_CREAT | os.O_EXCL)
                time.sleep(0.002)
                os.close(handle)
                seen.unlink()
            break
        except CannotAct:
            time.sleep(0.001)
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", code, str(folder), str(folder.parent / "inside")]
    running = [subprocess.Popen(argv, env=env, stderr=subprocess.PIPE) for _ in range(4)]

    assert [(process.communicate()[1], process.returncode) for process in running] == [(b"", 0)] * 4
    assert not folder.exists()


def test_a_link_in_its_place_is_refused(folder, tmp_path):
    (tmp_path / "precious").mkdir()
    folder.symlink_to(tmp_path / "precious")

    with pytest.raises(CannotAct, match="is not a folder of yours"), holding.held(folder, "tfcompat fix"):
        pass
    assert list((tmp_path / "precious").iterdir()) == []


def test_another_users_folder_is_refused(folder, monkeypatch):
    folder.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    folder_of_root_is_fine = folder.stat().st_uid == 0
    if folder_of_root_is_fine:
        os.chown(folder, 12345, -1)
    with pytest.raises(CannotAct, match="is not a folder of yours"), holding.held(folder, "tfcompat fix"):
        pass


def test_a_file_in_its_place_is_refused_and_stays(folder):
    folder.write_text("mine")

    with pytest.raises((CannotAct, FileExistsError)), holding.held(folder, "tfcompat fix"):
        pass
    assert folder.read_text() == "mine"


def test_a_link_in_the_place_of_the_lock_is_never_followed(folder, tmp_path):
    folder.mkdir()
    (tmp_path / "precious.txt").write_text("mine")
    (folder / "lock").symlink_to(tmp_path / "precious.txt")

    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)), holding.held(folder, "tfcompat fix"):
        pass
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_where_the_file_system_knows_no_locks_a_run_goes_on(folder, monkeypatch):
    def flock(_handle, _how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with holding.held(folder, "tfcompat fix"):
        assert folder.is_dir()


def test_a_lock_that_fails_otherwise_is_an_error(folder, monkeypatch):
    def flock(_handle, _how):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(OSError, match="Input/output"), holding.held(folder, "tfcompat fix"):
        pass


def test_no_descriptor_is_left_open(folder, monkeypatch):
    monkeypatch.setattr(holding, "WAIT_SECONDS", 0.0)

    def opened():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = opened()
    with holder(folder) as first:
        held = opened()
        for _ in range(3):
            with pytest.raises(CannotAct), holding.held(folder, "again"):
                pass
        assert opened() == held
        first.stdin.close()
        first.wait()
    for _ in range(3):
        with holding.held(folder, "again"):
            time.sleep(0)
    assert opened() == before
