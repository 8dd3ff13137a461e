"""Files by their sha256: fetched once, checked, and kept until what they are for is whole.

A bundle is half a gigabyte over networks that break off. What has arrived and is what it should be stays in a folder of
the user's cache, under its hash, so that the next run goes on from there; what is not leaves nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compat.builder import fetch
from compat.errors import CannotAct

ATTEMPTS = 2
SECONDS = 3600.0
"""For one file: as long as uv may take to install (``uv.INSTALL_SECONDS``)."""
LARGEST = 8_000_000_000
"""Where nobody said a size; the CUDA libraries are wheels of up to 900 MB."""

_CHUNK = 1 << 20
_HOPELESS = ("disk space", "do not install it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One file, and what it must be."""

    file: str
    url: str
    sha256: str
    size: int | None = None
    """None: whatever has the sha256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A private folder of checked files."""

    folder: Path
    got: Callable[[str, int], None]
    """Told a file's name and how many bytes of it have come."""
    seconds: float = SECONDS
    silence: float = 60.0

    def put(self, wanted: Wanted, into: Path) -> int:
        """Let the file be at ``into``, fetched or from an earlier run; return its size.

        Raises CannotAct for one that is not to be had, or is another than it must be; UsageError for its address.
        """
        kept = self.folder / wanted.sha256
        if not (kept.is_file() and not kept.is_symlink() and sha256_of(kept) == wanted.sha256):
            self._fetch(wanted, kept)
        _linked(kept, into)
        return into.stat().st_size

    def clear(self, hashes: frozenset[str]) -> None:
        """Let go of files that are where they were to go."""
        for sha256 in hashes:
            (self.folder / sha256).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _fetch(self, wanted: Wanted, kept: Path) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for attempt in range(1, ATTEMPTS + 1):
            handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=self.folder)
            os.close(handle)
            part = Path(name)
            try:
                self._fetch_once(wanted, part)
                part.replace(kept)
            except CannotAct as error:
                if attempt == ATTEMPTS or any(words in error.hint for words in _HOPELESS):
                    raise CannotAct(f"{wanted.file}: {error.message}", hint=error.hint) from error
            else:
                return
            finally:
                part.unlink(missing_ok=True)

    def _fetch_once(self, wanted: Wanted, part: Path) -> None:
        limits = fetch.Limits(
            bytes=LARGEST if wanted.size is None else wanted.size,
            seconds=self.seconds,
            silence=self.silence,
            whose="it should have",
        )
        fetch.fetch(wanted.url, part, limits, got=lambda count: self.got(wanted.file, count))
        found = sha256_of(part)
        if found != wanted.sha256:
            raise CannotAct(
                f"{fetch.shown(wanted.url)} is another file: its sha256 is {found}, not {wanted.sha256}",
                hint="the index served another file than the lock names: do not install it; run it again later",
            )


def sha256_of(path: Path) -> str:
    """Return a file's sha256; a link at its name is not followed. Raises OSError."""
    digest = hashlib.sha256()
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb", buffering=0) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def cache_folder() -> Path:
    """Return where files wait, in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("tfcompat", appauthor=False) / "wheels"


def _linked(source: Path, target: Path) -> None:
    """One file under two names where the file system can, else a copy."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
    target.chmod(0o644)
