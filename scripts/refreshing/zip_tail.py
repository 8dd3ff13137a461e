"""One small file out of a large remote zip, reading as little as possible. Pure: the reader is handed in.

A TensorFlow wheel has up to 600 MB and ten thousand entries; its METADATA a few KB. The entries of a zip file are
listed at its end in the order they were written, and the dist-info folder is written last (PEP 427 asks for it), so
the last 64 KB nearly always name it.
"""

from __future__ import annotations

import dataclasses
import struct
import zlib
from collections.abc import Callable, Iterator

from packaging.utils import canonicalize_name

Read = Callable[[int, int], bytes]
"""(start, end) -> the bytes of that half-open interval."""

TAIL = 64 * 1024
METADATA_LIMIT = 4 * 1024 * 1024
DIRECTORY_LIMIT = 32 * 1024 * 1024

# https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16
_END, _END_MARK = struct.Struct("<4s4H2LH"), b"PK\x05\x06"
_ENTRY, _ENTRY_MARK = struct.Struct("<4s6H3L5H2L"), b"PK\x01\x02"
_LOCAL, _LOCAL_MARK = struct.Struct("<4s5H3L2H"), b"PK\x03\x04"
_STORED, _DEFLATED = 0, 8
_ZIP64 = 0xFFFFFFFF


class BrokenWheelError(Exception):
    """The bytes are not those of a wheel with METADATA in it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    name: bytes
    method: int
    crc: int
    compressed: int
    size: int
    offset: int


def read_metadata(read: Read, size: int, project: str) -> bytes:
    """METADATA out of a wheel of `size` bytes, reading as little as possible. BrokenWheelError where it is none."""
    if size < _END.size:
        raise BrokenWheelError("too short for a zip file")
    start = max(0, size - TAIL)
    tail = read(start, size)

    def nearby(begin: int, end: int) -> bytes:
        return tail[begin - start : end - start] if begin >= start else read(begin, end)

    entry = _find(nearby, tail, start, project)
    if entry.size > METADATA_LIMIT or entry.compressed > METADATA_LIMIT:
        raise BrokenWheelError(f"METADATA of {entry.size:,} bytes")
    return _unpack(entry, _packed(nearby, entry, size))


def _find(read: Read, tail: bytes, start: int, project: str) -> _Entry:
    end = tail.rfind(_END_MARK)
    if end < 0 or end + _END.size > len(tail):
        raise BrokenWheelError("no end of a zip file")
    *_, length, offset, _comment = _END.unpack_from(tail, end)
    if _ZIP64 in {length, offset}:
        raise BrokenWheelError("zip64, which no wheel below 4 GB needs")
    first = start + end - length
    if first < 0 or length > DIRECTORY_LIMIT:
        raise BrokenWheelError("a directory that does not fit")
    try:
        return _metadata_entry(_last_entries(tail, end), project)
    except BrokenWheelError:
        directory = read(first, start + end)
        return _metadata_entry(_entries(directory, 0, len(directory)), project)


def _last_entries(tail: bytes, end: int) -> Iterator[_Entry]:
    """Give the entries wholly inside `tail`. A chance mark in a name does not chain up to the end, a real one does.

    Chains that meet end alike, so no place is stepped on twice, however many marks there are.
    """
    stepped_on: set[int] = set()
    at = tail.find(_ENTRY_MARK)
    while 0 <= at < end:
        if _chains(tail, at, end, stepped_on):
            return _entries(tail, at, end)
        at = tail.find(_ENTRY_MARK, at + 1)
    return iter(())


def _chains(tail: bytes, at: int, end: int, stepped_on: set[int]) -> bool:
    """Whether entry follows entry from `at` to `end`; places known not to lead there are in `stepped_on`."""
    while at != end:
        if at in stepped_on or at + _ENTRY.size > end or not tail.startswith(_ENTRY_MARK, at):
            return False
        stepped_on.add(at)
        at += _ENTRY.size + sum(_ENTRY.unpack_from(tail, at)[10:13])
    return True


def _entries(directory: bytes, at: int, end: int) -> Iterator[_Entry]:
    while at != end:
        if at + _ENTRY.size > end or not directory.startswith(_ENTRY_MARK, at):
            raise BrokenWheelError("a directory that does not chain")
        fields = _ENTRY.unpack_from(directory, at)
        name_length, extra, comment = fields[10:13]
        name_at = at + _ENTRY.size
        yield _Entry(
            name=directory[name_at : name_at + name_length],
            method=fields[4],
            crc=fields[7],
            compressed=fields[8],
            size=fields[9],
            offset=fields[16],
        )
        at = name_at + name_length + extra + comment


def _metadata_entry(entries: Iterator[_Entry], project: str) -> _Entry:
    """Find ours: at the top, and with our name. A wheel may carry other projects' dist-info folders deeper down."""
    for entry in entries:
        folder, _, rest = entry.name.decode("utf-8", "replace").partition("/")
        if rest == "METADATA" and folder.endswith(".dist-info"):
            name = folder.removesuffix(".dist-info").rpartition("-")[0]
            if canonicalize_name(name) == project:
                return entry
    raise BrokenWheelError("no METADATA")


def _packed(read: Read, entry: _Entry, size: int) -> bytes:
    # The local header repeats the name but has extra fields of its own, whose length only it knows.
    generous = entry.offset + _LOCAL.size + len(entry.name) + entry.compressed + 256
    block = read(entry.offset, min(generous, size))
    if len(block) < _LOCAL.size or not block.startswith(_LOCAL_MARK):
        raise BrokenWheelError("METADATA is not where the directory says")
    name_length, extra = _LOCAL.unpack_from(block)[9:11]
    begin = _LOCAL.size + name_length + extra
    if begin + entry.compressed > len(block):
        block = read(entry.offset, min(entry.offset + begin + entry.compressed, size))
    return block[begin : begin + entry.compressed]


def _unpack(entry: _Entry, packed: bytes) -> bytes:
    if entry.method not in {_STORED, _DEFLATED}:
        raise BrokenWheelError(f"compression method {entry.method}")
    try:
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        content = packed if entry.method == _STORED else inflate.decompress(packed, METADATA_LIMIT)
    except zlib.error:
        raise BrokenWheelError("METADATA does not decompress") from None
    if zlib.crc32(content) != entry.crc:
        raise BrokenWheelError("METADATA does not match its checksum")
    return content
