"""What commands know: the matrix in use, or one line that says why there is none."""

from __future__ import annotations

from compat.errors import BadMatrix
from compat.matrix.load import Matrix, load


def matrix() -> Matrix:
    """Return the matrix in use. Raises BadMatrix where it is broken or knows nothing.

    The bundled data was checked when it was made, an updated copy before it was put in place: these are read piece by
    piece. A folder of the user's own is read whole (a second, as TOML), so that a broken file is told as such, not as
    checks that crashed or found no fault.
    """
    found = load()
    if found.place.origin == "named":
        _read_whole(found)
    if not found.distributions:
        raise BadMatrix(f"{found.root} holds no releases: it is no matrix")
    return found


def _read_whole(found: Matrix) -> None:
    for part in (found.issues, found.repairs, found.observed, found.links, found.plugin_binaries):
        part()
    for other in (found.locks, found.macos, found.chips):
        other()
    for name in found.distributions:
        found.releases(name)
