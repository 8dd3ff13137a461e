"""The files of gathered reports: which there are, what each is called, and their bytes.

Reports come from machines we need not trust: nothing is followed (links in a folder), waited for (pipes) or read
without a bound.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from compat.errors import CannotLook, one_line
from compat.probe.masking import mask_text
from compat.probe.replay import LIMIT_BYTES
from compat.verdict.fleet.machine import TEXT

SUFFIX = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One file to read."""

    path: Path
    named: bool = True
    """Whether the user wrote this very name, whose links are followed; the others were found in a folder."""
    problem: str = ""
    """Of a folder: why nothing is found in it."""


def places(paths: Iterable[Path]) -> Iterator[Place]:
    """Yield the files, those of a folder by name; one that is named twice, once."""
    been: set[str] = set()
    for place in _all(paths):
        real = _real(place)
        if real not in been:
            been.add(real)
            yield place


def _all(paths: Iterable[Path]) -> Iterator[Place]:
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 - pathlib's raises where it may not look
            yield Place(path=path)
            continue
        try:
            names = sorted(name for name in os.listdir(path) if _is_report(name))  # noqa: PTH208 - a pathlib object each
        except OSError as error:
            yield Place(path=path, problem=told(error))
            continue
        if not names:
            yield Place(path=path, problem=f"no {SUFFIX} file in this folder")
        for name in names:
            yield Place(path=path / name, named=False)


def _is_report(name: str) -> bool:
    """Hidden ones are leftovers: files half written, macOS's ``._name`` beside each file on a foreign disk."""
    return name.lower().endswith(SUFFIX) and not name.startswith(".")


def _real(place: Place) -> str:
    if place.named:
        return os.path.realpath(place.path)
    return os.path.join(_real_folder(place.path.parent), place.path.name)  # noqa: PTH118 - ten thousand of them


@functools.lru_cache(maxsize=64)
def _real_folder(folder: Path) -> str:
    return os.path.realpath(folder)


@functools.lru_cache(maxsize=64)
def _masked_folder(folder: Path) -> str:
    return mask_text(str(folder))


def shown(path: Path) -> str:
    """Return the path as it may be handed on: without the home folder and with nothing that moves a terminal."""
    return one_line(os.path.join(_masked_folder(path.parent), path.name), TEXT)  # noqa: PTH118


def told(error: OSError) -> str:
    """Return why a file could not be read, in a few words."""
    return "a symbolic link, not followed" if error.errno == errno.ELOOP else error.strerror or str(error)


def content(place: Place) -> bytes:
    """Read an ordinary file of bounded size; opening does not wait for a pipe's other end.

    Raises OSError, and CannotLook for what is no such file.
    """
    if not place.named and place.path.is_symlink():  # where the system has no O_NOFOLLOW
        raise OSError(errno.ELOOP, "")
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place.path, flags if place.named else flags | getattr(os, "O_NOFOLLOW", 0))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise CannotLook("not an ordinary file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            read = file.read(LIMIT_BYTES + 1) if status.st_size <= LIMIT_BYTES else None
    finally:
        os.close(descriptor)
    if read is None or len(read) > LIMIT_BYTES:
        raise CannotLook(f"more than {LIMIT_BYTES // 1_000_000} MB is no report")
    return read
