"""The TOML files of a matrix out of a folder or an archive, copied by value into a folder of ours.

Nothing is trusted: names are checked before anything is written, bytes are counted as they come out and not as a header
promises, and whatever is no plain file or folder refuses the whole source.
"""

from __future__ import annotations

import gzip
import lzma
import os
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from compat.errors import CannotAct

MOST_BYTES = 20_000_000
"""Of an archive; the matrix is half a megabyte compressed."""

MOST_FILES = 5_000
MOST_UNPACKED = 30_000_000
"""Bytes of all members; the matrix is two million."""

MOST_RATIO = 200
"""Bytes out for a byte in: TOML tables give 10, a bomb a thousand."""

_RATIO_FROM = 1_000_000
"""Below this much nothing can be a bomb."""

_CHUNK = 65_536
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, gzip.BadGzipFile,
    EOFError, NotImplementedError, RuntimeError, ValueError, KeyError, IndexError, OverflowError,
)  # fmt: skip
"""What the readers of archives raise at bytes that are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file of a source, not read yet."""

    name: str
    open: Callable[[], IO[bytes]]


def unpack(source: Path, into: Path, called: str) -> None:
    """Copy the TOML files of the matrix in ``source``, a folder or an archive, into ``into``.

    Raises CannotAct with one line that says what is wrong with it, by the name it is ``called``.
    """
    try:
        if source.is_dir():
            _copy(list(islice(_folder(_base(source), called), MOST_FILES + 1)), into, called, None)
            return
        found = source.stat()
        if not stat.S_ISREG(found.st_mode):
            raise CannotAct(f"{called} is neither a folder nor a file")
        if found.st_size > MOST_BYTES:
            raise CannotAct(f"{called} is larger than the {MOST_BYTES // 1_000_000} MB a matrix may have")
        with _members(source, into, called) as members:
            _copy(members, into, called, found.st_size)
    except OSError as error:
        raise CannotAct(f"{called}: {error.strerror or error}") from error
    except _BROKEN as error:
        raise CannotAct(f"{called} is a broken archive: {type(error).__name__}: {error}") from error


@contextmanager
def _members(source: Path, scratch: Path, called: str) -> Iterator[list[Member]]:
    with source.open("rb") as file:
        begin = file.read(4)
    if begin[:2] == b"PK":
        with zipfile.ZipFile(source) as archive:
            yield [Member(name=info.filename, open=_zip_opener(archive, info)) for info in _zip_files(archive, called)]
    elif begin[:2] == b"\x1f\x8b":
        plain = scratch.with_name(f"{scratch.name}.tar")
        try:
            _inflate(source, plain, called)
            with tarfile.open(plain, "r:") as tar:
                yield [Member(name=info.name, open=_tar_opener(tar, info)) for info in _tar_files(tar, called)]
        finally:
            plain.unlink(missing_ok=True)
    else:
        raise CannotAct(f"{called} is neither a folder, a .zip or .whl, nor a .tar.gz")


def _inflate(source: Path, into: Path, called: str) -> None:
    """Undo gzip by itself first: what the tar says of its own sizes is then no more than a bounded file can hold."""
    total, most = 0, MOST_UNPACKED + MOST_FILES * tarfile.BLOCKSIZE * 4
    with gzip.open(source) as file, into.open("wb") as out:
        while chunk := file.read(_CHUNK):
            total += len(chunk)
            _bounded(total, source.stat().st_size, called, most)
            out.write(chunk)


def _bounded(total: int, packed: int | None, called: str, most: int = MOST_UNPACKED) -> None:
    if total > most:
        raise CannotAct(f"{called} unpacks to more than the {MOST_UNPACKED // 1_000_000} MB a matrix may have")
    if packed is not None and total > max(_RATIO_FROM, packed * MOST_RATIO):
        raise CannotAct(f"{called} unpacks to more than {MOST_RATIO} times its size: no matrix does")


def _zip_files(archive: zipfile.ZipFile, called: str) -> Iterator[zipfile.ZipInfo]:
    for info in archive.infolist():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise CannotAct(f"{called}: {info.filename!r} is a link or a device")
        if info.flag_bits & 1:
            raise CannotAct(f"{called}: {info.filename!r} is encrypted")
        if not info.is_dir():
            yield info


def _tar_files(tar: tarfile.TarFile, called: str) -> Iterator[tarfile.TarInfo]:
    for count, info in enumerate(tar):
        if count > MOST_FILES * 2:
            raise CannotAct(f"{called} holds more than {MOST_FILES} files")
        if not info.isreg() and not info.isdir():
            raise CannotAct(f"{called}: {info.name!r} is a link or a device")
        if not info.isdir():
            yield info


def _folder(root: Path, called: str) -> Iterator[Member]:
    """Only what makes up a matrix: whoever names a folder may keep other things in it."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith(".") and name != "compiled")
        for name in [*names, *sorted(files)]:
            path = Path(folder) / name
            mode, shown = path.lstat().st_mode, path.relative_to(root).as_posix()
            if stat.S_ISDIR(mode) or not (name.endswith(".toml") or name in names):
                continue
            if not stat.S_ISREG(mode):
                raise CannotAct(f"{called}: {shown!r} is a link or a device")
            yield Member(name=shown, open=_file_opener(path))


def _base(folder: Path) -> Path:
    """Return the matrix in a folder: itself, or that of a checkout or an installed package."""
    inside = (folder, folder / "matrices", folder / "compat" / "matrices")
    return next((one for one in inside if (one / "releases").is_dir()), folder / "releases")


def _copy(members: list[Member], into: Path, called: str, packed: int | None) -> None:
    if len(members) > MOST_FILES:
        raise CannotAct(f"{called} holds more than {MOST_FILES} files")
    _check_names([member.name for member in members], called)
    prefix = _matrix_in([member.name for member in members], called)
    total = 0
    for member in members:
        if not member.name.startswith(prefix) or not member.name.endswith(".toml"):
            continue
        target = into / member.name.removeprefix(prefix)
        target.parent.mkdir(parents=True, exist_ok=True)
        with member.open() as file, target.open("xb") as out:
            for chunk in _chunks(file):
                total += len(chunk)
                _bounded(total, packed, called)
                out.write(chunk)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _check_names(names: list[str], called: str) -> None:
    """Refuse names that lead elsewhere, and two that are one on a disk that folds case or accents (macOS's does)."""
    seen: set[str] = set()
    for name in names:
        parts = PurePosixPath(name).parts
        if not name.isprintable() or "\\" in name or ":" in name or name.startswith("/") or ".." in parts:
            raise CannotAct(f"{called}: {name!r} leads out of its folder")
        folded = unicodedata.normalize("NFC", "/".join(parts)).casefold()
        if folded in seen:
            raise CannotAct(f"{called}: {name!r} stands there twice")
        seen.add(folded)


def _matrix_in(names: list[str], called: str) -> str:
    """Return where in the source the matrix begins: what stands before ``releases/``."""
    found = {
        "".join(f"{part}/" for part in path.parts[:-2])
        for path in map(PurePosixPath, names)
        if path.suffix == ".toml" and len(path.parts) > 1 and path.parts[-2] == "releases"
    }
    if not found:
        raise CannotAct(f"{called} holds no releases: it is no matrix")
    if len(found) > 1:
        raise CannotAct(f"{called} holds {len(found)} matrices: {', '.join(sorted(found))}")
    return found.pop()


def _zip_opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _tar_opener(tar: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        file = tar.extractfile(info)
        if file is None:
            raise CannotAct(f"{info.name!r} is no file")
        return file

    return opened


def _file_opener(path: Path) -> Callable[[], BinaryIO]:
    return lambda: path.open("rb")
