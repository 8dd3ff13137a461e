"""What was done, on disk: which environments are ours, and how far a run had come when it ended."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from compat.builder import disk
from compat.errors import one_line

MARKER = "tfcompat.json"
"""Inside an environment we made: says so, and what it holds."""

PINS = "tfcompat-requirements.txt"
"""Beside it: the hashed pins it was made of."""

HEAD = "# tfcompat: "
"""The first words of such pins, by which the copy beside an environment is known to be ours."""

BUILDING, PLACING = "building", "placing"
NEW, PREVIOUS = "new-", "previous"
"""What goes to a target comes out of a folder whose name begins so, or is the environment that was kept."""

_FILE = "journal.json"
_VERSION = 1
_LARGEST = 1_000_000
"""Bytes of a journal; ours have a few hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """How far a run has come. One stands in the journal at a time: the next replaces it, whole."""

    state: str
    """``building``: nothing has been touched yet. ``placing``: what ``folder`` names passed and goes to the target."""
    folder: str = ""
    """What goes to the target, below the folder of the journal."""
    inode: int = 0
    """Its number, by which it is known again under either name."""
    keep: bool = False
    """Whether what it replaces stays, for a way back."""
    what: str = ""
    """What it is, for people: ``TensorFlow 2.18.1, CPU, Python 3.11``."""
    record: dict[str, Any] = field(default_factory=dict)
    """What else is to be told of it once it is placed."""


def write(folder: Path, entry: Entry) -> None:
    """Put down how far we are, on the disk before this returns. Raises OSError."""
    text = json.dumps({"version": _VERSION, **asdict(entry)}, indent=1, sort_keys=True)
    disk.replace(folder / _FILE, text + "\n", mode=0o600)


def read(folder: Path) -> Entry | None:
    """Return what the last run put down; None where there is nothing, or nothing we can go by."""
    try:
        raw = json.loads(_content(folder / _FILE))
        if raw.pop("version") != _VERSION:
            return None
        entry = Entry(**raw)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return replace(entry, what=one_line(entry.what, 200)) if _is_sound(entry) else None


def _content(path: Path) -> str:
    """Read a file, and nothing that is none: a pipe would keep us for ever. Raises OSError, ValueError."""
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, os.O_RDONLY | flags), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            raise ValueError(f"{path} is no journal of ours")
        return file.read(_LARGEST).decode("utf-8")


def clear(folder: Path) -> None:
    """Put down that everything is done. Raises OSError."""
    (folder / _FILE).unlink(missing_ok=True)


def _is_sound(entry: Entry) -> bool:
    """Whoever can write there could name any folder: only our own names below it are gone by."""
    values = (entry.state, entry.folder, entry.what, entry.inode, entry.keep, entry.record)
    kinds = (str, str, str, int, bool, dict)
    if not all(type(value) is kind for value, kind in zip(values, kinds, strict=True)):
        return False
    if entry.state == BUILDING:
        return entry.folder == ""
    return entry.state == PLACING and entry.inode > 0 and _is_a_name_of_ours(entry.folder)


def _is_a_name_of_ours(folder: str) -> bool:
    first, slash, rest = folder.partition("/")
    if first == PREVIOUS:
        return not slash
    return first.startswith(NEW) and rest not in ("", ".", "..") and not set(first + rest) & {"/", "\\", "\0"}


def is_ours(folder: Path) -> bool:
    """Tell whether tfcompat made that environment."""
    return (folder / MARKER).is_file() and not folder.is_symlink()


def is_our_pins(path: Path) -> bool:
    """Tell whether a file beside an environment is the copy of its pins that we put there.

    Raises OSError where the system cannot say; what we may not read is not ours.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return not path.is_symlink() and file.read(len(HEAD)) == HEAD
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError):
        return False


def mark(folder: Path, record: dict[str, Any]) -> None:
    """Write the marker. Raises CannotAct."""
    disk.write(folder / MARKER, json.dumps(record, indent=1, sort_keys=True) + "\n")
