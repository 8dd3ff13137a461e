"""Which of the copies of the matrix is in use: the folder the user names, the updated copy, or the bundled one."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from compat.errors import BadMatrix
from compat.matrix.files import read_json

NAMED = "TFCOMPAT_MATRICES"
RESET = "`tfcompat matrix update --reset` returns to the bundled data"
_ISO_DAY = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder with a matrix, and how it came to be the one."""

    root: Path
    origin: str
    """``given``, ``named`` (by TFCOMPAT_MATRICES), ``updated`` or ``bundled``."""
    passed_over: str = ""
    """Why an updated copy that is there is not in use."""
    hint: str = ""
    """What to do where this copy is broken."""


def in_use() -> Place:
    """Return the copy that is in use. Raises BadMatrix where the updated copy does not say of which day it is."""
    named = os.environ.get(NAMED)
    return Place(root=Path(named), origin="named") if named else installed()


def installed() -> Place:
    """Return the copy in use where the user names none.

    An updated copy older than the bundled one is passed over: tfcompat was upgraded since. Raises BadMatrix where
    the updated copy does not say of which day it is.
    """
    ours = Place(root=bundled(), origin="bundled")
    updated = updated_copy()
    return _newer(updated, ours) if updated.is_dir() else ours


def bundled() -> Path:
    """Return the data that came with the program: in a wheel inside the package, in a checkout beside it."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "matrices"
    return inside if inside.is_dir() else package.parent / "matrices"


def updated_copy() -> Path:
    """Return where ``tfcompat matrix update`` puts a matrix."""
    return data_folder() / "matrices"


def data_folder() -> Path:
    """Return the user's data folder, as ``platformdirs.user_data_dir("tfcompat")`` has it.

    Not by platformdirs itself, whose import takes longer than reading the matrix; a test holds both to one answer.
    """
    named = os.environ.get("XDG_DATA_HOME", "")
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tfcompat" / "tfcompat"
    if named.startswith("/"):
        return Path(named) / "tfcompat"
    inside = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    return Path(os.path.expanduser(f"~/{inside}")) / "tfcompat"  # noqa: PTH111 - it never raises


def _newer(updated: Path, ours: Place) -> Place:
    day, our_day = _day(updated, RESET), _day(ours.root, "")
    if day < our_day:
        said = f"the updated copy in {updated} is of {day}, the bundled data of {our_day}: the bundled data is used"
        return Place(root=ours.root, origin="bundled", passed_over=said)
    return Place(root=updated, origin="updated", hint=RESET)


def _day(root: Path, hint: str) -> str:
    """Return the day of a compiled copy; ISO days sort as text. Raises BadMatrix."""
    try:
        day = read_json(root / "compiled" / "index.json").get("date")
    except BadMatrix as error:
        raise BadMatrix(f"{root}: {error.message}", hint=hint) from error
    if not isinstance(day, str) or len(day) != _ISO_DAY or not day[:4].isdigit():
        raise BadMatrix(f"{root}: compiled/index.json: {day!r} is no day", hint=hint)
    return day
