"""The oldest macOS that every binary in the locks' wheels runs on: of the binary itself, not of the wheel's tag.

A Mach-O file says it in its load commands, which stand at its front. So only the front of each member is fetched, by
range requests over one connection, and every answer is kept under the wheel's sha256: a second run fetches nothing.
"""

from __future__ import annotations

import json
import mmap
import struct
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from packaging.utils import parse_wheel_filename
from remote_wheel import RemoteWheel

from compat.errors import BadBinary
from compat.probe.macho import FAT_MAGIC, FAT_MAGIC_64, MH_MAGIC_64, architectures, read_slice
from locking.text import write_atomically

if TYPE_CHECKING:
    import zipfile

    import requests
    from remote_wheel import Beginning

SCHEMA = 1
"""Of the kept answers; one of another schema is made anew."""
NATIVE = (".so", ".dylib", ".bundle")
HEADERS = "/include/"
"""C++ headers need no extension (``Eigen/Core``); no program lies among them."""
MACH_HEADER = 32
"""sizeof(mach_header_64), mach-o/loader.h; its words 5 and 6 count the load commands and their bytes."""
FAT_FRONT = 8 + 42 * 32
"""Bytes that hold the fat header and the table of as many architectures as the reader accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """One Mach-O file of a wheel, or one architecture of it."""

    member: str
    architecture: str
    minimum_macos: str | None
    """None where its load commands do not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one wheel's binaries say."""

    file: str
    sha256: str
    binaries: tuple[Binary, ...]
    fetched: int
    """Bytes it took, of ``size`` the wheel has."""
    size: int

    def asks_most(self, architecture: str) -> Binary | None:
        """The binary with the highest minimum; the first by name of several."""
        saying = [one for one in self.binaries if one.architecture == architecture and one.minimum_macos]
        return max(sorted(saying, key=lambda one: one.member), key=lambda one: order(one.minimum_macos), default=None)


class Reader:
    """Reads wheels of an index through a folder of earlier answers."""

    def __init__(self, session: requests.Session, kept: Path) -> None:
        self._session, self._kept = session, kept
        self.fetched = 0
        """Bytes fetched by this reader; answers that were kept cost none."""

    def read(self, file: str, sha256: str, size: int, url: str) -> Measured:
        """Every binary of a wheel, for each architecture its tags name. Raises BadWheel, BadBinary."""
        kept = self._kept / f"{sha256}.json"
        found = _kept_answer(kept)
        if found is None:
            wheel = RemoteWheel(self._session, url, size)
            try:
                binaries = tuple(_binaries(wheel, architectures_of(file)))
            finally:
                self.fetched += wheel.fetched
            found = Measured(file=file, sha256=sha256, binaries=binaries, fetched=wheel.fetched, size=size)
            write_atomically(kept, json.dumps({"schema": SCHEMA, **asdict(found)}, indent=1))
        return found


def architectures_of(file: str) -> tuple[str, ...]:
    """The architectures a macOS wheel is for by its tags; none for any other wheel."""
    platforms = [tag.platform for tag in parse_wheel_filename(file)[3] if tag.platform.startswith("macosx_")]
    endings = {"arm64": ("arm64", "universal2"), "x86_64": ("x86_64", "universal2", "intel", "fat64", "universal")}
    return tuple(arch for arch, known in endings.items() if any(one.endswith(known) for one in platforms))


def order(version: str | None) -> tuple[int, int, int]:
    """A macOS version as numbers; nothing said comes before everything."""
    parts = [int(part) for part in (version or "0").split(".")]
    major, minor, patch = (*parts, 0, 0)[:3]
    return major, minor, patch


def _kept_answer(path: Path) -> Measured | None:
    try:
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if raw.pop("schema", None) != SCHEMA:
        return None
    return Measured(**{**raw, "binaries": tuple(Binary(**one) for one in raw["binaries"])})


def _binaries(wheel: RemoteWheel, wanted: Iterable[str]) -> Iterator[Binary]:
    for info in sorted(wheel.members.values(), key=lambda one: one.header_offset):
        if not may_be_native(info):
            continue
        beginning = wheel.beginning(info.filename)
        if not _is_mach(beginning.upto(8)):
            continue
        try:
            yield from _read(beginning, wanted)
        except (BadBinary, struct.error) as error:
            raise BadBinary(f"{wheel.url}: {info.filename}: {error}") from error


def may_be_native(info: zipfile.ZipInfo) -> bool:
    """Whether a member could be a Mach-O file: by its ending, or because it has none and may be a program."""
    name = info.filename
    last = name.rsplit("/", 1)[-1]
    if info.file_size < MACH_HEADER or ".dist-info/" in name:
        return False
    if last.endswith(NATIVE) or ".so." in last:
        return True
    return "." not in last and HEADERS not in f"/{name}"


def _is_mach(data: bytes) -> bool:
    return data[:4] == MH_MAGIC_64 or int.from_bytes(data[:4], "big") in {FAT_MAGIC, FAT_MAGIC_64}


def _read(beginning: Beginning, wanted: Iterable[str]) -> Iterator[Binary]:
    """The wanted architectures of one member that it has.

    The reader checks every offset against the file's size, so what was not fetched is a hole in a file of that size.
    """
    size = beginning.info.file_size
    with tempfile.TemporaryFile(buffering=0) as sparse:
        sparse.truncate(size)
        _fill(sparse, beginning, FAT_FRONT)
        mapped = mmap.mmap(sparse.fileno(), size, access=mmap.ACCESS_READ)
        for place, architecture in sorted(zip(_places(mapped), architectures(mapped), strict=True)):
            if architecture in wanted:
                _fill(sparse, beginning, place + MACH_HEADER)
                commands = struct.unpack_from("<20xI", mapped, place)[0]
                _fill(sparse, beginning, place + MACH_HEADER + commands)
                minimum = read_slice(mapped, architecture).minimum_macos
                yield Binary(member=beginning.info.filename, architecture=architecture, minimum_macos=minimum)


def _fill(sparse: BinaryIO, beginning: Beginning, size: int) -> None:
    sparse.seek(0)
    sparse.write(beginning.upto(size)[: beginning.info.file_size])


def _places(mapped: mmap.mmap) -> list[int]:
    """Where each part begins, in the order of the fat header's table (mach-o/fat.h); a thin file is one part."""
    if mapped[:4] == MH_MAGIC_64:
        return [0]
    magic, count = struct.unpack_from(">II", mapped)
    layout, step = (">8xQ", 32) if magic == FAT_MAGIC_64 else (">8xI", 20)
    return [struct.unpack_from(layout, mapped, 8 + index * step)[0] for index in range(count)]
