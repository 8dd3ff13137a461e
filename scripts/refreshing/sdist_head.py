"""PKG-INFO out of the front of a remote .tar.gz, reading as little as possible. Pure: the reader is handed in.

A gzip stream can only be unpacked from its start, but the top-level PKG-INFO usually stands early in it (the members
are sorted), so the first packed KBs hold it and the rest need not travel.
"""

from __future__ import annotations

import io
import tarfile
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from refreshing.zip_tail import Read

PIECE = 32 * 1024
"""Packed bytes asked for at a time."""
PACKED_LIMIT = 8 * 1024 * 1024
UNPACKED_LIMIT = 64 * 1024 * 1024
"""A PKG-INFO that stands behind more than this is not looked for."""
INFO_LIMIT = 4 * 1024 * 1024
GZIP = 16 + zlib.MAX_WBITS
"""zlib's word for "with a gzip header"."""


class BrokenSdistError(Exception):
    """The bytes are not those of a source distribution with PKG-INFO near its front."""


def read_pkg_info(read: Read, size: int) -> bytes:
    """PKG-INFO at the top of an sdist of `size` packed bytes. BrokenSdistError where it is none."""
    front = _Front(read, min(size, PACKED_LIMIT))
    try:
        with tarfile.open(fileobj=front, mode="r|", bufsize=tarfile.BLOCKSIZE) as archive:
            for member in archive:
                archive.members = []  # type: ignore[attr-defined] - what was passed is not gone back to
                if member.isreg() and member.name.count("/") == 1 and member.name.endswith("/PKG-INFO"):
                    return _content(archive, member)
    except (tarfile.TarError, zlib.error, EOFError, ValueError, OverflowError) as error:
        raise BrokenSdistError(" ".join(str(error).split()) or "not a tar file") from None
    raise BrokenSdistError("no PKG-INFO")


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if member.size > INFO_LIMIT:
        raise BrokenSdistError(f"PKG-INFO of {member.size:,} bytes")
    stream = archive.extractfile(member)
    content = stream.read() if stream else b""
    if len(content) != member.size:
        raise BrokenSdistError("PKG-INFO is cut short")
    return content


class _Front(io.RawIOBase):
    """The unpacked stream, fetched as it is read and never further than its limits."""

    def __init__(self, read: Read, end: int) -> None:
        super().__init__()
        self._read, self._end, self._at = read, end, 0
        self._left = UNPACKED_LIMIT
        self._inflate = zlib.decompressobj(GZIP)

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, fewer only at the end. BrokenSdistError beyond the limit."""
        parts, wanted = [], UNPACKED_LIMIT if size < 0 else size
        while wanted > 0 and (part := self._some(wanted)):
            parts.append(part)
            wanted -= len(part)
        return b"".join(parts)

    def _some(self, wanted: int) -> bytes:
        while not self._inflate.eof:
            packed = self._inflate.unconsumed_tail or self._next()
            part = self._inflate.decompress(packed, wanted)
            self._left -= len(part)
            if self._left < 0:
                raise BrokenSdistError(f"no PKG-INFO in its first {UNPACKED_LIMIT:,} bytes")
            if part:
                return part
            if not packed:
                break
        return b""

    def _next(self) -> bytes:
        start, self._at = self._at, min(self._at + PIECE, self._end)
        return self._read(start, self._at) if start < self._at else b""
