"""The simple index (PEP 691, 700): one page per distribution, checked entry by entry before anything believes it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from refreshing.failure import RefreshError
from refreshing.web import Answer

if TYPE_CHECKING:
    from refreshing.cache import Cache
    from refreshing.web import Web

ACCEPT = "application/vnd.pypi.simple.v1+json"
SHA256 = re.compile(r"[0-9a-f]{64}")
OK, NOT_MODIFIED, MISSING = 200, 304, 404
SIZE_LIMIT = 1 << 40
"""Bytes of a file that is taken for one; the largest wheel of the family has 6e8."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class IndexFile:
    """One file as the index lists it."""

    filename: str
    url: str
    sha256: str
    size: int
    """Bytes."""
    uploaded: dt.date
    """UTC."""
    requires_python: str | None
    yanked: str | None
    """The reason, "yanked" where none was given, None where the file stands."""
    sidecar_sha256: str | None
    """PEP 658: the hash of `<url>.metadata`, where the index offers that file and vouches for it."""


def page_url(index: str, name: str) -> str:
    return f"{index.rstrip('/')}/{name}/"


def files_of(web: Web, index: str, name: str, cache: Cache) -> tuple[IndexFile, ...]:
    """Every file of a distribution. RefreshError when the index has none or its page cannot be believed."""
    url = page_url(index, name)
    body = _page(web, url, name, cache)
    try:
        entries = json.loads(body)["files"]
        return tuple(_file(url, entry) for entry in entries)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise RefreshError(
            f"{url}: the answer is not an index page in JSON with sizes and upload times",
            hint="the index must speak PEP 691 and PEP 700, as pypi.org does",
        ) from None


def _page(web: Web, url: str, name: str, cache: Cache) -> bytes:
    remembered = cache.page(url)
    headers = {"Accept": ACCEPT} | ({"If-None-Match": remembered[0]} if remembered else {})
    answer = web.get(url, headers=headers)
    if remembered and answer.status == NOT_MODIFIED:
        return remembered[1]
    if answer.status == MISSING:
        raise RefreshError(f"{url}: the index has no distribution {name} (404)")
    if answer.status != OK:
        raise RefreshError(f"{url}: answered {answer.status}")
    _remember(cache, url, answer)
    return answer.body


def _remember(cache: Cache, url: str, answer: Answer) -> None:
    etag = answer.headers.get("ETag")
    if etag:
        cache.keep_page(url, etag, answer.body)


def _file(page: str, entry: dict[str, object]) -> IndexFile:
    """ValueError, KeyError or TypeError where the entry is not what the standards say."""
    url = urljoin(page, _text(entry["url"]))
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError(url)
    hashes, size, requires = entry["hashes"], entry["size"], entry.get("requires-python")
    if not isinstance(hashes, dict) or type(size) is not int or not 0 <= size <= SIZE_LIMIT:
        raise ValueError(url)
    return IndexFile(
        filename=_text(entry["filename"]),
        url=url,
        sha256=_sha256(hashes["sha256"]),
        size=size,
        uploaded=_day(_text(entry["upload-time"])),
        requires_python=_text(requires) if requires else None,
        yanked=_yanked(entry.get("yanked", False)),
        sidecar_sha256=_sidecar(entry),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    value.encode()  # half a surrogate pair is a JSON string, and no text that a file could hold
    return value


def _sha256(value: object) -> str:
    digest = _text(value)
    if not SHA256.fullmatch(digest):
        raise ValueError(digest)
    return digest


def _day(moment: str) -> dt.date:
    # fromisoformat reads the Z of PEP 700 only from Python 3.11 on.
    stamp = dt.datetime.fromisoformat(re.sub(r"(\.\d+)?Z$", "+00:00", moment))
    return stamp.astimezone(dt.timezone.utc).date()


def _yanked(value: object) -> str | None:
    """Give the reason. PEP 691: true, or a reason; what is false in Python (an empty text too) means it stands."""
    if not value:
        return None
    return " ".join(_text(value).split()) or "yanked" if isinstance(value, str) else "yanked"


def _sidecar(entry: dict[str, object]) -> str | None:
    """PEP 714 renamed the key; `true` offers a file that nothing vouches for, which is as good as none."""
    offered = entry.get("core-metadata", entry.get("dist-info-metadata"))
    return _sha256(offered["sha256"]) if isinstance(offered, dict) and "sha256" in offered else None
