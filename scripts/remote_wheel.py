"""Read single members of a wheel on an index without fetching the whole file.

A wheel is a zip: its directory stands at the end, and HTTP range requests reach that and the members wanted.
"""

from __future__ import annotations

import io
import struct
import time
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

import requests
import urllib3
from refreshing.web import LONGEST_WAIT_SECONDS, asked_wait

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGINNING = 1 << 14
"""Packed bytes first asked for where only a member's beginning is wanted; each further request doubles it."""
TAIL = 1 << 16
"""Bytes at the end in which the end-of-directory record must lie (a zip comment is no longer than that)."""
DIRECTORY_LIMIT = 32 << 20
"""Bytes of a zip's directory; a TensorFlow wheel has 12,000 entries of some 130."""
MEMBER_LIMIT = 2 << 30
"""Bytes of one unpacked member; the largest library of TensorFlow's has 7e8."""
END_RECORD = 22
"""Bytes of the end-of-directory record without its comment (APPNOTE.TXT 4.3.16)."""
CHUNK = 1 << 20
NAME_AND_EXTRA = 2 * 0xFFFF
"""Bytes that a local header's name and extra field have at most."""
LOCAL_HEADER = 30
"""Bytes of a member's local header before its name and its extra field, whose lengths are its last two words."""
ENCRYPTED = 0x1
"""Of a member's flags (APPNOTE.TXT 4.4.4)."""
ATTEMPTS = 6
"""Requests in a row that may fail before giving up."""
BREAKS = 100
"""Requests for one stretch of bytes that may break off before giving up, however much each brought."""
TIMEOUT = 60
"""Seconds without a byte after which a request is made anew."""
UNREACHABLE = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


class BadWheel(Exception):
    """The file cannot be fetched, is no zip, or a member is damaged."""


@dataclass
class RemoteWheel:
    """The members of one wheel; ``fetched`` counts the bytes it took to read them."""

    session: requests.Session
    url: str
    size: int
    """Bytes, as the index says."""
    pause: float = 0.5
    """Seconds to wait after a failed request; doubled for each further one."""
    fetched: int = 0
    members: dict[str, zipfile.ZipInfo] = field(default_factory=dict)
    _ends: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Fetch the directory. Raises BadWheel."""
        tail = b"".join(self._range(max(0, self.size - TAIL), self.size))
        found = tail.rfind(b"PK\5\6", 0, max(0, len(tail) - END_RECORD + 4))
        if found < 0:
            raise BadWheel(f"{self.url}: no zip directory at the end")
        length, start = struct.unpack_from("<II", tail, found + 12)
        if start + length > self.size:
            raise BadWheel(f"{self.url}: the zip directory lies beyond the end")
        if self.size - start > DIRECTORY_LIMIT:
            raise BadWheel(f"{self.url}: a zip directory of {self.size - start:,} bytes")
        known = max(start, self.size - len(tail))
        directory = b"".join(self._range(start, known)) + tail[known - self.size :]
        infos = self._infos(directory)
        for info in infos:
            info.header_offset += start  # zipfile took the directory for the whole file
            if not 0 <= info.header_offset < start:
                raise BadWheel(f"{self.url}: {info.filename!r} lies outside the file")
        offsets = sorted(info.header_offset for info in infos)
        self._ends = dict(zip(offsets, [*offsets, start][1:], strict=True))
        self.members = {info.filename: info for info in infos}

    def _infos(self, directory: bytes) -> list[zipfile.ZipInfo]:
        try:
            return zipfile.ZipFile(io.BytesIO(directory)).infolist()
        except (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError, OverflowError, EOFError) as error:
            raise BadWheel(f"{self.url}: {' '.join(str(error).split())}") from None

    def unpack(self, member: str, target: BinaryIO) -> None:
        """Unpack a whole member into ``target``. Raises BadWheel where size or checksum are not as declared."""
        info = self.members.get(member)
        if info is None:
            raise BadWheel(f"{self.url}: no {member} in it")
        if info.file_size > MEMBER_LIMIT:
            raise BadWheel(f"{self.url}: {member} claims {info.file_size:,} bytes")
        checksum, size = 0, 0
        for chunk in self._unpacked(info):
            size += len(chunk)
            if size > info.file_size:  # a bomb: stopped before it is written
                raise BadWheel(f"{self.url}: {member} is longer than it claims")
            checksum = zlib.crc32(chunk, checksum)
            target.write(chunk)
        if size != info.file_size or checksum != info.CRC:
            raise BadWheel(f"{self.url}: {member} is damaged")

    def beginning(self, member: str) -> Beginning:
        """Return a reader of the member's first bytes, which fetches no more than it is asked for."""
        return Beginning(self, self.members[member])

    def packed(self, info: zipfile.ZipInfo, start: int, end: int) -> bytes:
        """Fetch bytes ``start`` to ``end`` of the member as it lies in the zip, local header included."""
        limit = self._ends[info.header_offset] - info.header_offset
        return b"".join(self._range(info.header_offset + start, info.header_offset + min(end, limit)))

    def _unpacked(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        packed = self._packed(info)
        if info.compress_type == zipfile.ZIP_STORED:
            yield from packed
            return
        if info.compress_type != zipfile.ZIP_DEFLATED or info.flag_bits & ENCRYPTED:
            raise BadWheel(f"{self.url}: {info.filename} is packed in a way that no wheel is")
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            for chunk in packed:
                rest = chunk
                while rest and not inflate.eof:
                    yield inflate.decompress(rest, CHUNK)  # a limit, because 1 MB may unpack to 1 GB
                    rest = inflate.unconsumed_tail
            while piece := inflate.decompress(b"", CHUNK):
                yield piece
        except zlib.error as error:
            raise BadWheel(f"{self.url}: {info.filename}: {error}") from None

    def _packed(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The member's bytes as they lie in the zip, after its local header (whose length only it knows)."""
        header, left = b"", info.compress_size
        body_start = 0
        furthest = info.header_offset + LOCAL_HEADER + NAME_AND_EXTRA + info.compress_size
        for chunk in self._range(info.header_offset, min(furthest, self._ends[info.header_offset])):
            data = chunk
            if not body_start:
                header += chunk
                body_start = _header_size(header)
                if not body_start:
                    continue
                data = header[body_start:]
            yield data[:left]
            left -= min(left, len(data))
        if left:
            raise BadWheel(f"{self.url}: {info.filename} is cut short")

    def _range(self, start: int, end: int) -> Iterator[bytes]:
        """Bytes from ``start`` to ``end``; a response that breaks off is taken up where it stopped."""
        failures, breaks, reason = 0, 0, "it ends early"
        while start < end:
            asked = 0.0
            try:
                with self._open(start, end) as response:
                    while chunk := response.raw.read(min(CHUNK, end - start)):
                        failures = 0
                        start += len(chunk)
                        self.fetched += len(chunk)
                        yield chunk
            except UNREACHABLE as error:
                reason = str(error)
                response = getattr(error, "response", None)
                asked = 0.0 if response is None else asked_wait(response)
            if start < end:
                failures, breaks = failures + 1, breaks + 1
                if failures > ATTEMPTS or breaks > BREAKS:
                    raise BadWheel(f"{self.url} cannot be read: {reason}")
                time.sleep(max(self.pause * 2**failures, min(asked, LONGEST_WAIT_SECONDS)))

    def _open(self, start: int, end: int) -> requests.Response:
        headers = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
        response = self.session.get(self.url, headers=headers, stream=True, timeout=TIMEOUT)
        if response.ok and response.status_code != requests.codes.partial_content:
            response.close()
            raise BadWheel(f"{self.url}: the server does not serve ranges")
        slow_down = response.status_code == requests.codes.too_many_requests
        if requests.codes.bad_request <= response.status_code < requests.codes.server_error and not slow_down:
            response.close()
            raise BadWheel(f"{self.url}: the server answers {response.status_code}")
        response.raise_for_status()
        return response


@dataclass
class Beginning:
    """The front of one member, unpacked as far as it was asked for; the end of the member is not checked."""

    wheel: RemoteWheel
    info: zipfile.ZipInfo
    _packed: bytes = b""
    """What was fetched and not yet unpacked."""
    _asked: int = 0
    _unpacked: bytearray = field(default_factory=bytearray)
    _inflate: zlib._Decompress | None = None

    def upto(self, size: int) -> bytes:
        """At least the first ``size`` bytes, or the whole member where it is shorter. Raises BadWheel."""
        wanted = min(size, self.info.file_size)
        while len(self._unpacked) < wanted:
            if self._inflate is None or not self._packed:
                self._fetch()
            self._take(wanted)
        return bytes(self._unpacked)

    def _fetch(self) -> None:
        """Get as much again as there is, so that a long way takes few requests."""
        fresh = self.wheel.packed(self.info, self._asked, self._asked + max(BEGINNING, self._asked))
        if not fresh:
            raise BadWheel(f"{self.wheel.url}: {self.info.filename} is cut short")
        self._asked += len(fresh)
        self._packed += fresh

    def _take(self, wanted: int) -> None:
        if self._inflate is None:
            header = _header_size(self._packed)
            if not header:
                return
            self._packed = self._packed[header:]
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        if self.info.compress_type == zipfile.ZIP_STORED:
            self._unpacked += self._packed
            self._packed = b""
            return
        # A limit, because a small packed piece may be a huge unpacked one.
        try:
            self._unpacked += self._inflate.decompress(self._packed, wanted - len(self._unpacked) + BEGINNING)
        except zlib.error as error:
            raise BadWheel(f"{self.wheel.url}: {self.info.filename}: {error}") from None
        self._packed = self._inflate.unconsumed_tail


def _header_size(data: bytes) -> int:
    """Bytes of the local header that ``data`` begins with; 0 while it is not all there."""
    if len(data) < LOCAL_HEADER:
        return 0
    size = LOCAL_HEADER + sum(struct.unpack_from("<HH", data, LOCAL_HEADER - 4))
    return size if len(data) >= size else 0
