"""A matrix from wherever it lies: TOML files, their compiled form, or the compiled folder itself.

Where there are both, the TOML is read: it is what people write, and the compiled form may be older.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from compat.errors import BadMatrix
from compat.matrix.compiled import Read, Table, section
from compat.matrix.files import read_toml
from compat.matrix.load import Matrix


class _Written(Matrix):
    """Reads the TOML files although there is a compiled form of them."""

    def __init__(self, root: Path, toml: Read) -> None:
        super().__init__(root)
        self._compiled, self._toml = None, toml

    def _read(self, name: str) -> Table:
        return section(self._root, name, self._toml)


class _Compiled(Matrix):
    """Reads a compiled folder that is named itself."""

    def __init__(self, root: Path) -> None:
        super().__init__(root.parent)
        self._compiled = root


def remembering() -> Read:
    """Return a reader that parses files of the same bytes once: two copies of a matrix share nearly all of theirs."""
    kept: dict[bytes, Table] = {}

    def read(path: Path) -> Table:
        if not path.is_file():
            return read_toml(path)  # which says what it is
        digest = sha256(path.read_bytes()).digest()
        if digest not in kept:
            kept[digest] = read_toml(path)
        return kept[digest]

    return read


def tree(root: Path, toml: Read = read_toml) -> Matrix:
    """Return the matrix in a folder, its TOML files read by ``toml``. Raises BadMatrix where there is none."""
    if not root.is_dir():
        raise BadMatrix(f"{root} is no folder", hint="name a folder like matrices/")
    if (root / "index.json").is_file():
        return _Compiled(root)
    found = _Written(root, toml) if any((root / "releases").glob("*.toml")) else Matrix(root)
    if not found.distributions:
        raise BadMatrix(f"{root} holds no releases: it is no matrix", hint="name a folder like matrices/")
    return found
