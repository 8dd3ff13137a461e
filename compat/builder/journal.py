"""What was done, on disk: which folders are ours, and what an interrupted run left behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from compat.errors import CannotAct

MARKER = "tfcompat.json"
"""Inside an environment we made: says so, and what it holds."""

_BUILDING = ".tfcompat-building-"
_OLD = ".tfcompat-old-"


def is_ours(folder: Path) -> bool:
    """Tell whether tfcompat made that environment."""
    return (folder / MARKER).is_file() and not folder.is_symlink()


def start(target: Path) -> Path:
    """Return a new, empty, private sibling folder to build in; leftovers of interrupted runs are removed.

    Raises CannotAct where the parent cannot be written.
    """
    clear_leftovers(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{target.name}{_BUILDING}", dir=target.parent))
    except OSError as error:
        raise CannotAct(
            f"cannot write beside {target}: {error.strerror or error}",
            hint="choose a folder you may write to: tfcompat fix --create-venv DIR",
        ) from error


def clear_leftovers(target: Path) -> None:
    """Remove building folders of runs that died; a replaced environment whose successor never came is put back."""
    with contextlib.suppress(OSError):
        for leftover in target.parent.glob(f".{target.name}{_OLD}*"):
            if not target.exists():
                leftover.rename(target)
            else:
                discard(leftover)
        for leftover in target.parent.glob(f".{target.name}{_BUILDING}*"):
            discard(leftover)


def discard(folder: Path) -> None:
    """Remove a folder of ours, as far as the system lets us."""
    shutil.rmtree(folder, ignore_errors=True)


def mark(folder: Path, record: dict[str, Any]) -> None:
    """Write the marker. Raises CannotAct."""
    write(folder / MARKER, json.dumps(record, indent=1, sort_keys=True) + "\n")


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all; a device or a pipe, as ``/dev/null``, is written to. Raises CannotAct."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if path.exists() and not path.is_file():  # a rename would put a file in the place of the device
            path.write_text(text, "utf-8")
            return
        temporary.write_text(text, "utf-8")
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise CannotAct(f"cannot write {path}: {error.strerror or error}") from error


def hand_over(building: Path, target: Path) -> None:
    """Let the finished folder appear under its name by one rename; an older environment of ours steps aside first.

    Raises CannotAct; the old environment is back in its place then.
    """
    old = target.with_name(f".{target.name}{_OLD}{os.getpid()}")
    replaced = target.exists()
    try:
        if replaced:
            target.rename(old)
        building.rename(target)
    except OSError as error:
        if replaced and not target.exists():
            old.rename(target)
        raise CannotAct(f"cannot put the environment at {target}: {error.strerror or error}") from error
    if replaced:
        discard(old)
