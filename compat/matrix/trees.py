"""A matrix from wherever it lies: TOML files, their compiled form, or the compiled folder itself.

Where there are both, the TOML is read: it is what people write, and the compiled form may be older.
"""

from __future__ import annotations

from pathlib import Path

from compat.errors import BadMatrix
from compat.matrix.load import Matrix


class _Written(Matrix):
    """Reads the TOML files although there is a compiled form of them."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._compiled = None


class _Compiled(Matrix):
    """Reads a compiled folder that is named itself."""

    def __init__(self, root: Path) -> None:
        super().__init__(root.parent)
        self._compiled = root


def tree(root: Path) -> Matrix:
    """Return the matrix in a folder. Raises BadMatrix where there is none."""
    if not root.is_dir():
        raise BadMatrix(f"{root} is no folder", hint="name a folder like matrices/")
    if (root / "index.json").is_file():
        return _Compiled(root)
    found = _Written(root) if any((root / "releases").glob("*.toml")) else Matrix(root)
    if not found.distributions:
        raise BadMatrix(f"{root} holds no releases: it is no matrix", hint="name a folder like matrices/")
    return found
