"""A file's metadata without the file: its hashed sidecar where the index has one, else a few KB by HTTP Range."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from packaging.metadata import parse_email
from packaging.utils import canonicalize_name, parse_sdist_filename

from refreshing.failure import RefreshError
from refreshing.sdist_head import BrokenSdistError, read_pkg_info
from refreshing.zip_tail import METADATA_LIMIT, BrokenWheelError, read_metadata

if TYPE_CHECKING:
    from refreshing.cache import Cache
    from refreshing.index import IndexFile
    from refreshing.web import Web

WHOLE_FILE_LIMIT = 8 * 1024 * 1024
"""A server that does not know Range sends the whole file; up to this many bytes that is as good."""

WHOLE, PARTIAL, MISSING = 200, 206, 404


def metadata_of(web: Web, file: IndexFile, cache: Cache) -> bytes:
    """METADATA of a wheel, PKG-INFO of an sdist. RefreshError when it cannot be had or is not this file's."""
    known = cache.metadata(file.sha256)
    if known is not None:
        return known
    metadata = _sidecar(web, file)
    if metadata is None:
        metadata = _inside(web, file)
    if canonicalize_name(parse_email(metadata)[0].get("name", "")) != _project(file):
        raise RefreshError(f"{file.url}: its METADATA does not name {_project(file)}")
    cache.keep_metadata(file.sha256, metadata)
    return metadata


def _project(file: IndexFile) -> str:
    """Name the file's project; that of an old sdist may hold hyphens, a wheel's never does."""
    if file.filename.endswith(".whl"):
        return canonicalize_name(file.filename.split("-")[0])
    return parse_sdist_filename(file.filename)[0]


def _sidecar(web: Web, file: IndexFile) -> bytes | None:
    if file.sidecar_sha256 is None:
        return None
    answer = web.get(f"{file.url}.metadata", headers={}, limit=METADATA_LIMIT)
    if answer.status == MISSING:
        return None
    if answer.status != WHOLE:
        raise RefreshError(f"{file.url}.metadata: answered {answer.status}")
    if hashlib.sha256(answer.body).hexdigest() != file.sidecar_sha256:
        raise RefreshError(
            f"{file.url}.metadata: not the file whose sha256 the index gives",
            hint="the index contradicts itself; nothing from it should be trusted until it does not",
        )
    return answer.body


def _inside(web: Web, file: IndexFile) -> bytes:
    def read(start: int, end: int) -> bytes:
        return _range(web, file, start, end)

    wheel = file.filename.endswith(".whl")
    try:
        return read_metadata(read, file.size, _project(file)) if wheel else read_pkg_info(read, file.size)
    except (BrokenWheelError, BrokenSdistError) as broken:
        kind = "wheel" if wheel else "sdist"
        raise RefreshError(f"{file.url}: not a readable {kind} ({broken})") from broken


def _range(web: Web, file: IndexFile, start: int, end: int) -> bytes:
    headers = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
    limit = max(end - start, min(file.size, WHOLE_FILE_LIMIT))
    answer = web.get(file.url, headers=headers, limit=limit)
    if answer.status == WHOLE and len(answer.body) == file.size:
        return answer.body[start:end]
    if answer.status != PARTIAL:
        raise RefreshError(f"{file.url}: asked for bytes {start}-{end - 1}, answered {answer.status}")
    if answer.headers.get("Content-Range") != f"bytes {start}-{end - 1}/{file.size}" or len(answer.body) != end - start:
        raise RefreshError(f"{file.url}: asked for bytes {start}-{end - 1}, was sent others")
    return answer.body
