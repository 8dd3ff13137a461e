"""The package index's pages: which wheels a project has, with hash, size and upload time.

Pages are kept in the state folder, so that a resumed run reads what the first one read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from locking.records import LockingError, Wheel
from locking.text import write_atomically

# The JSON form of the simple API: https://packaging.python.org/en/latest/specifications/simple-repository-api/
ACCEPT = "application/vnd.pypi.simple.v1+json"
INDEX = "https://pypi.org/simple"

Fetch = Callable[[str], str]


class Index:
    """Pages by project name, read once."""

    def __init__(self, folder: Path, fetch: Fetch | None = None) -> None:
        self._folder = folder
        self._fetch = fetch or download
        self._pages: dict[str, tuple[Wheel, ...]] = {}
        self._fresh: set[str] = set()
        """Pages read from the index in this run."""

    def wheels(self, name: str, day: str) -> tuple[Wheel, ...]:
        """Every wheel uploaded before that day (00:00 UTC), yanked ones left out."""
        return tuple(one for one in self._page(canonicalize_name(name)) if one.uploaded[:10] < day and not one.yanked)

    def find(self, name: str, sha256: str) -> Wheel | None:
        """The very file, yanked or not; a kept page that lacks it is read anew, because files are only ever added."""
        key = canonicalize_name(name)
        for found in self._page(key):
            if found.sha256 == sha256:
                return found
        if key in self._fresh:
            return None
        del self._pages[key]
        (self._folder / f"{key}.json").unlink(missing_ok=True)
        return self.find(key, sha256)

    def _page(self, key: str) -> tuple[Wheel, ...]:
        if key not in self._pages:
            self._pages[key] = tuple(read_page(self._text(key), key))
        return self._pages[key]

    def _text(self, name: str) -> str:
        kept = self._folder / f"{name}.json"
        if kept.is_file():
            return kept.read_text(encoding="utf-8")
        text = self._fetch(f"{INDEX}/{name}/")
        self._fresh.add(name)
        write_atomically(kept, text)
        return text


def read_page(text: str, name: str) -> list[Wheel]:
    """The wheels of one page; names that are no valid wheel name are left out, as installers leave them out.

    Raises LockingError where the page is not the JSON the specification promises.
    """
    try:
        files: list[dict[str, Any]] = json.loads(text)["files"]
        return [_wheel(one) for one in files if _is_wheel(one["filename"])]
    except (ValueError, KeyError, TypeError) as error:
        raise LockingError(f"the index's page of {name} cannot be read: {error!r}") from error


def download(url: str) -> str:
    """The page's text. Raises LockingError where the index does not answer with it."""
    import requests

    try:
        answer = requests.get(url, headers={"Accept": ACCEPT}, timeout=60)
        answer.raise_for_status()
    except requests.RequestException as error:
        raise LockingError(f"the index did not answer {url}: {error}") from error
    return answer.text


def _is_wheel(file: str) -> bool:
    try:
        parse_wheel_filename(file)
    except InvalidWheelFilename:
        return False
    return True


def _wheel(one: dict[str, Any]) -> Wheel:
    return Wheel(
        file=one["filename"],
        sha256=one["hashes"]["sha256"],
        size=one["size"],
        uploaded=one["upload-time"],
        yanked=bool(one.get("yanked")),
        url=one.get("url", ""),
    )
