"""One run at a time on one folder: a lock of the system's, given back however its holder ends."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compat.errors import CannotAct, one_line

LOCK = "lock"
WAIT_SECONDS = 60.0
"""For what an interrupted run left running (a uv that still unpacks): it holds the lock until it has ended."""

_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)
"""Said by file systems that know no locks (some network homes); two runs at once are then nobody's to stop."""
_POLL_SECONDS = 0.1
_BEYOND = 4096


@contextmanager
def held(folder: Path, work: str) -> Iterator[int]:
    """Hold a folder of ours, made private where it is not there; yield the lock's descriptor, for children to inherit.

    ``work`` says what is done, to those who come second. Afterwards the folder is gone again unless something is kept
    in it. Raises CannotAct where another run holds it, and where the folder is not ours.
    """
    handle = _acquired(folder)
    try:
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid()} {work}\n".encode())
        yield handle
    finally:
        with contextlib.suppress(OSError):
            if os.listdir(folder) == [LOCK]:  # noqa: PTH208
                (folder / LOCK).unlink()
                folder.rmdir()
        os.close(handle)


def _acquired(folder: Path) -> int:
    """Return the locked descriptor of the lock file that stands there *now*: a run that ends removes its own."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        handle = _opened(folder)
        if _locked(handle):
            if _stands(handle, folder / LOCK):
                return handle
            os.close(handle)
            continue
        os.lseek(handle, 0, os.SEEK_SET)
        holder = os.read(handle, 400).decode("utf-8", "replace")
        os.close(handle)
        if _alive(holder) or time.monotonic() > until:
            raise _busy(holder, folder)
        time.sleep(_POLL_SECONDS)


def _opened(folder: Path) -> int:
    for _ in range(1000):  # another run may remove the folder between any two of our steps
        with contextlib.suppress(FileNotFoundError):
            return _open(folder)
    raise CannotAct(f"{folder} comes and goes: another run is at work there", hint="wait for it to end, then try again")


def _open(folder: Path) -> int:
    with contextlib.suppress(FileExistsError):  # pathlib would ask what is there, and by then nothing may be
        folder.mkdir(mode=0o700, parents=True)
    _must_be_ours(folder)
    return os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _must_be_ours(folder: Path) -> None:
    """Refuse a folder somebody else put there, in whose hands the build would be."""
    found = folder.lstat()
    foreign = hasattr(os, "geteuid") and found.st_uid not in (os.geteuid(), 0)
    if not stat.S_ISDIR(found.st_mode) or foreign:
        raise CannotAct(f"{folder} is not a folder of yours", hint="look at what it is, and remove it")


def _locked(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, _BEYOND, os.SEEK_SET)  # a locked byte cannot be read there, and the holder's name is to be
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK):
            return False
        if error.errno in _NO_LOCKS:
            return True
        raise
    return True


def _stands(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _alive(holder: str) -> bool:
    """Tell whether the process that wrote its number is there; one that cannot be read counts as there."""
    number = holder.partition(" ")[0]
    if not number.isdecimal() or os.name == "nt":
        return bool(holder.strip())
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _busy(holder: str, folder: Path) -> CannotAct:
    number, _, work = one_line(holder, 200).partition(" ")
    who = f"`{work}` (process {number})" if work else "another run"
    return CannotAct(f"{who} is at work there, in {folder}", hint="wait for it to end, then try again")
