"""Files and folders into their places: whole or not at all, and on the disk before anything relies on them.

A rename decides which of two states a crash leaves; what it decides about must be on the disk before it (fsync of the
file, then of its folder), or a power cut may leave the name of one state with the content of neither:
https://pubs.opengroup.org/onlinepubs/9799919799/functions/rename.html promises atomicity, not durability.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from compat.errors import CannotAct

_HALF_WRITTEN = ".tmp"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
"""Of Linux's ``renameat2`` (linux/fs.h)."""
_RENAME_SWAP = 2
"""Of macOS's ``renamex_np`` (sys/stdio.h)."""
_CANNOT_SWAP = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Said by systems and file systems without an exchange of names (NFS, exFAT, older kernels)."""


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all; a device or a pipe, as ``/dev/null``, is written to. Raises CannotAct."""
    try:
        if path.exists() and not path.is_file():  # a rename would put a file in the place of the device
            path.write_text(text, "utf-8")
            return
        replace(path, text)
    except OSError as error:
        raise CannotAct(f"cannot write {path}: {error.strerror or error}") from error


def replace(path: Path, text: str, *, mode: int | None = None, scratch: Path | None = None) -> None:
    """Write a file, on the disk before it bears its name; ``mode`` None: what the umask gives. Raises OSError.

    What stands under the name, a link too, is replaced, never written through. ``scratch`` is a folder on the same file
    system for what is half-written, where a death leaves it (``sweep``); else that is beside the file.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_HALF_WRITTEN, dir=scratch or path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _ordinary() if mode is None else mode)  # noqa: PTH101 - a descriptor's own name
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
    sync(path.parent)


def sweep(folder: Path) -> None:
    """Remove what runs that died have left half-written in a folder of ours. Raises OSError."""
    for path in folder.glob(f".*{_HALF_WRITTEN}"):
        path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Put a file, or the names in a folder, on the disk. Raises OSError; a system that syncs no folders is let be."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(handle)


def _fsync(handle: int) -> None:
    """On macOS ``fsync`` leaves the content in the drive's cache; F_FULLFSYNC does not (fsync(2) there)."""
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):  # a file system without it still has fsync
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)


def flush(folder: Path, *, checked: bool = False) -> None:
    """Put everything written on a folder's file system on the disk, as far as the system can be asked to.

    ``checked``: raises OSError where that fails; else it is a head start, and who relies on it asks again.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC) if sys.platform == "linux" else -1
        try:
            _flush_all(handle)
        finally:
            if handle != -1:
                os.close(handle)
    except OSError:
        if checked:
            raise


def _flush_all(handle: int) -> None:
    """Of one file system where a descriptor on it is given and the system can tell them apart, else of all."""
    library = ctypes.CDLL(None, use_errno=True) if handle != -1 else None
    syncfs = getattr(library, "syncfs", None)
    if syncfs is None:
        if hasattr(os, "sync"):
            os.sync()
    elif syncfs(handle) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def put(source: Path, target: Path) -> None:
    """Let a folder appear under a name by one rename. Raises OSError; nothing has moved then.

    What stood there is at ``source`` afterwards: the two names are exchanged at once. Where the file system cannot do
    that it takes two renames, and a death between them leaves the old one at ``aside(source)``.
    """
    if not target.exists():
        source.rename(target)
    elif not _exchanged(source, target):
        _put_in_two(source, target)
    sync(target.parent)
    sync(source.parent)


def aside(source: Path) -> Path:
    """Return where the old folder stands between two renames."""
    return source.with_name(f"{source.name}.aside")


def _put_in_two(source: Path, target: Path) -> None:
    target.rename(aside(source))
    try:
        source.rename(target)
    except OSError:
        aside(source).rename(target)
        raise
    aside(source).rename(source)


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two names; False where this cannot be done here. Raises OSError."""
    swap = _swap()
    if swap is None:
        return False
    if swap(os.fsencode(one), os.fsencode(other)) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT_SWAP:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _swap() -> Callable[[bytes, bytes], int] | None:
    if sys.platform == "win32":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        rename = getattr(library, "renamex_np", None)
        return None if rename is None else lambda one, other: int(rename(one, other, _RENAME_SWAP))
    renameat = getattr(library, "renameat2", None)
    if renameat is None:
        return None
    return lambda one, other: int(renameat(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE))


def discard(folder: Path) -> None:
    """Remove a folder of ours, as far as the system lets us; a link is removed, never followed.

    A folder its owner may not write to cannot be emptied: it is opened first, where removing it failed.
    """
    if folder.is_symlink():
        folder.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.is_dir():
        for place, names, _ in os.walk(folder):
            for name in (".", *names):
                with contextlib.suppress(OSError):
                    if not os.path.islink(os.path.join(place, name)):  # noqa: PTH114, PTH118
                        os.chmod(os.path.join(place, name), 0o700)  # noqa: PTH101, PTH118
        shutil.rmtree(folder, ignore_errors=True)


def _ordinary() -> int:
    """Return the mode of a new file by the umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
