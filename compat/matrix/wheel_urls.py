"""Where the index keeps the wheels that locks name: read only to write a ``pylock.toml``, which must say it.

PyPI's addresses are made from another hash than the one installers check, so they cannot be derived.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from compat.errors import BadMatrix
from compat.matrix.files import read_toml

TABLE = Path("files") / "urls.toml"
FOLDER = re.compile(r"[0-9a-f]+(?:/[0-9a-f]+)*")
"""As PyPI names its folders, after the file's BLAKE2b-256."""


def wheel_urls(root: Path) -> Mapping[str, str]:
    """Return the URL of each wheel by its file name, of the matrix in ``root``. Raises BadMatrix."""
    raw = read_toml(root / TABLE)
    base, folders = raw.get("base"), raw.get("folders")
    if not isinstance(base, str) or not base.startswith("https://") or not isinstance(folders, dict):
        raise BadMatrix(f"{TABLE.as_posix()}: no base that begins with https://, or no folders")
    for file, folder in folders.items():
        if not isinstance(folder, str) or not FOLDER.fullmatch(folder):
            raise BadMatrix(f"{TABLE.as_posix()}: folders.{file} is not hexadecimal digits and slashes")
    return {file: f"{base}/{folder}/{file}" for file, folder in folders.items()}
