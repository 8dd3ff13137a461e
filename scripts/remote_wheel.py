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

if TYPE_CHECKING:
    from collections.abc import Iterator

TAIL = 1 << 16
"""Bytes at the end in which the end-of-directory record must lie (a zip comment is no longer than that)."""
CHUNK = 1 << 20
LOCAL_HEADER = 30
"""Bytes of a member's local header before its name and its extra field, whose lengths are its last two words."""
ATTEMPTS = 6
"""Requests in a row that may fail before giving up."""
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
        found = tail.rfind(b"PK\5\6")
        if found < 0:
            raise BadWheel(f"{self.url}: no zip directory at the end")
        length, start = struct.unpack_from("<II", tail, found + 12)
        if start + length > self.size:
            raise BadWheel(f"{self.url}: the zip directory lies beyond the end")
        known = max(start, self.size - len(tail))
        directory = b"".join(self._range(start, known)) + tail[known - self.size :]
        try:
            infos = zipfile.ZipFile(io.BytesIO(directory)).infolist()
        except zipfile.BadZipFile as error:
            raise BadWheel(f"{self.url}: {error}") from None
        for info in infos:
            info.header_offset += start  # zipfile took the directory for the whole file
        offsets = sorted(info.header_offset for info in infos)
        self._ends = dict(zip(offsets, [*offsets[1:], start], strict=True))
        self.members = {info.filename: info for info in infos}

    def unpack(self, member: str, target: BinaryIO) -> None:
        """Unpack a whole member into ``target``. Raises BadWheel where its checksum is wrong."""
        info = self.members[member]
        checksum = 0
        for chunk in self._unpacked(info):
            checksum = zlib.crc32(chunk, checksum)
            target.write(chunk)
        if checksum != info.CRC:
            raise BadWheel(f"{self.url}: {member} is damaged")

    def _unpacked(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        packed = self._packed(info)
        if info.compress_type == zipfile.ZIP_STORED:
            yield from packed
            return
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        for chunk in packed:
            yield inflate.decompress(chunk)
        yield inflate.flush()

    def _packed(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The member's bytes as they lie in the zip, after its local header (whose length only it knows)."""
        header, left = b"", info.compress_size
        body_start = 0
        for chunk in self._range(info.header_offset, self._ends[info.header_offset]):
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
        failures, reason = 0, "it ends early"
        while start < end:
            try:
                with self._open(start, end) as response:
                    while chunk := response.raw.read(min(CHUNK, end - start)):
                        failures = 0
                        start += len(chunk)
                        self.fetched += len(chunk)
                        yield chunk
            except UNREACHABLE as error:
                reason = str(error)
            if start < end:
                failures += 1
                if failures > ATTEMPTS:
                    raise BadWheel(f"{self.url} cannot be read: {reason}")
                time.sleep(self.pause * 2**failures)

    def _open(self, start: int, end: int) -> requests.Response:
        headers = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
        response = self.session.get(self.url, headers=headers, stream=True, timeout=TIMEOUT)
        if response.ok and response.status_code != requests.codes.partial_content:
            response.close()
            raise BadWheel(f"{self.url}: the server does not serve ranges")
        if requests.codes.bad_request <= response.status_code < requests.codes.server_error:
            response.close()
            raise BadWheel(f"{self.url}: the server answers {response.status_code}")
        response.raise_for_status()
        return response


def _header_size(data: bytes) -> int:
    """Bytes of the local header that ``data`` begins with; 0 while it is not all there."""
    if len(data) < LOCAL_HEADER:
        return 0
    size = LOCAL_HEADER + sum(struct.unpack_from("<HH", data, LOCAL_HEADER - 4))
    return size if len(data) >= size else 0
