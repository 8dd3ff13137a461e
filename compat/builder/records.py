"""Whether the files of an environment are what their wheels said they are.

uv links them to those of its cache where it can, and a file under two names that somebody has edited under the other is
edited here too: the hash of a wheel says nothing of that any more, those of its RECORD do
(https://packaging.python.org/specifications/recording-installed-packages/).
"""

from __future__ import annotations

import base64
import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path

_CHUNK = 1 << 20
_KIND = "sha256="


def altered(environment: Path) -> Iterator[str]:
    """Yield the files, below site-packages, that are not what their RECORD says, or are gone. Raises OSError."""
    for record in sorted(environment.glob("lib/python*/site-packages/*.dist-info/RECORD")):
        site = record.parent.parent
        with record.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                if _is_held(row) and not _is(site / row[0], row[1].removeprefix(_KIND)):
                    yield row[0]


def _is_held(row: list[str]) -> bool:
    """Bytecode is made anew here, also what a wheel brought along (NumPy 2.0 brings one file)."""
    return len(row) > 1 and row[1].startswith(_KIND) and not row[0].endswith(".pyc")


def _is(path: Path, digest: str) -> bool:
    try:
        found = hashlib.sha256()
        with path.open("rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                found.update(chunk)
    except FileNotFoundError:
        return False
    return base64.urlsafe_b64encode(found.digest()).rstrip(b"=").decode() == digest.rstrip("=")
