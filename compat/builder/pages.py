"""What a package index lists of a project: its files, where they are, and by which sha256 they are known.

Read are the pages of the simple repository API, as JSON (PEP 691) and as HTML (PEP 503), of the indexes uv is told of
by its variables, in uv's order; those of a uv.toml are not looked at.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit, urlunsplit

from packaging.utils import canonicalize_name

from compat.builder import fetch
from compat.errors import CannotAct

PYPI = "https://pypi.org/simple"
ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"
LIMITS = fetch.Limits(bytes=50_000_000, seconds=120.0, whose="a page of an index may have")
"""The page of a project with ten thousand files is 10 MB."""

_SHA256 = re.compile(r"sha256=([0-9a-f]{64})")
_NAMED = re.compile(r"[A-Za-z][A-Za-z0-9._-]*=(?=https?://)")
"""``name=`` before an address, as UV_INDEX has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One file on a page."""

    file: str
    url: str
    """May hold credentials."""
    sha256: str | None


def indexes(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return the indexes of uv's variables, the first asked first; credentials are in the addresses."""
    several = [*variables.get("UV_INDEX", "").split(), *variables.get("UV_EXTRA_INDEX_URL", "").split()]
    default = variables.get("UV_DEFAULT_INDEX") or variables.get("UV_INDEX_URL") or PYPI
    found = (_NAMED.sub("", url, count=1) for url in (*several, default.strip()))
    return tuple(dict.fromkeys(url.rstrip("/") for url in found if url))


def is_own(variables: Mapping[str, str]) -> bool:
    """Tell whether the user has named another index than PyPI."""
    return indexes(variables) != (PYPI,)


def listed(project: str, index: str, limits: fetch.Limits = LIMITS) -> tuple[Listed, ...]:
    """Return the files an index lists of a project; none where it does not have it. Raises CannotAct, UsageError."""
    with tempfile.TemporaryDirectory(prefix="tfcompat-") as scratch:
        page = Path(scratch) / "page"
        try:
            found_at = fetch.fetch(f"{index}/{canonicalize_name(project)}/", page, limits, accept=ACCEPT)
        except CannotAct as error:
            if " answered 404" in error.message:
                return ()
            raise
        return tuple(_read(page.read_text("utf-8", "replace"), found_at, index))


def of_any(project: str, known: Sequence[str], limits: fetch.Limits = LIMITS) -> Iterator[Listed]:
    """Yield what the indexes list of a project, the first index first."""
    for index in known:
        yield from listed(project, index, limits)


def _read(text: str, found_at: str, index: str) -> Iterator[Listed]:
    rows = _json(text, found_at) if text.lstrip().startswith("{") else _html(text)
    for file, address, sha256 in rows:
        url = _with_credentials(urldefrag(urljoin(found_at, address)).url, index)
        yield Listed(file=file, url=url, sha256=sha256)


def _json(text: str, found_at: str) -> Iterator[tuple[str, str, str | None]]:
    try:
        files: list[Any] = json.loads(text)["files"]
        for row in files:
            sha256 = row.get("hashes", {}).get("sha256")
            yield str(row["filename"]), str(row["url"]), sha256 if isinstance(sha256, str) else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CannotAct(f"{fetch.shown(found_at)} is no page of an index: {type(error).__name__}") from error


def _html(text: str) -> Iterator[tuple[str, str, str | None]]:
    anchors = _Anchors()
    anchors.feed(text)
    for address in anchors.addresses:
        found = _SHA256.search(urldefrag(address).fragment)
        yield unquote(urlsplit(address).path.rpartition("/")[2]), address, found[1] if found else None


class _Anchors(HTMLParser):
    """Gathers what a page links to."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _with_credentials(url: str, index: str) -> str:
    """Return the address with those of the index, where it is on the same host and brings none of its own."""
    there, here = urlsplit(index), urlsplit(url)
    whose = there.netloc.rpartition("@")
    if whose[0] and (here.scheme, here.netloc) == (there.scheme, whose[2]):
        return urlunsplit(here._replace(netloc=there.netloc))
    return url
