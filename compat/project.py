"""The folder tfcompat was called in: files there are looked at, and none is executed unless the user named it.

People call a checker in folders they have just been given: a clone, an unpacked archive, somebody else's homework. A
program, a Python or a uv that lies there must not run only because ``PATH`` reaches it, by an empty entry, by ``.`` or
by name.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

_REPOSITORY = (".git", ".hg", ".svn")
_SEARCHED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
"""Where the system looks for programs and libraries; an empty entry is the current folder to it (ld.so(8))."""


def folder(current: Path | None = None) -> Path | None:
    """Return the project of a folder: the repository around it, else the folder itself; links resolved.

    None where that would be the home folder or hold it: programs of one's own live there.
    """
    try:
        here = Path(os.path.realpath(current or Path.cwd()))
    except OSError:  # the current folder is gone: nothing lies in it
        return None
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 - Path.home() raises without one
    for place in (here, *here.parents):
        if place == home or place in home.parents:
            break
        if any((place / name).exists() for name in _REPOSITORY):
            return place
    return None if here == home or here in home.parents else here


def holds(path: str | os.PathLike[str], current: Path | None = None) -> bool:
    """Tell whether what a path leads to lies in the project."""
    project = folder(current)
    return project is not None and _within(Path(os.path.realpath(path)), project)


def leads_through(path: str | os.PathLike[str], current: Path | None = None) -> bool:
    """Tell whether a path lies in the project or leads there: the project decides then what is found by it."""
    return _leads(path, folder(current))


def search_path(variables: Mapping[str, str] | None = None, current: Path | None = None) -> str:
    """Return ``PATH`` as children get it: without relative and empty entries, and without those that lead here."""
    return _cleared((os.environ if variables is None else variables).get("PATH", os.defpath), folder(current))


def left_out(variables: Mapping[str, str], current: Path | None = None) -> dict[str, str]:
    """Return a child's environment in which neither programs nor libraries are looked for in the project."""
    project = folder(current)
    cleared = {name: _cleared(variables[name], project) for name in _SEARCHED if name in variables}
    return {name: value for name, value in {**variables, **cleared}.items() if value or name not in cleared}


def program(name: str) -> str | None:
    """Return where a program lies on ``PATH``, the project left out; None where it is not there."""
    found = shutil.which(name, path=search_path())
    return None if found is None or leads_through(found) else found


def _cleared(entries: str, project: Path | None) -> str:
    absolute = [entry for entry in entries.split(os.pathsep) if os.path.isabs(entry)]  # noqa: PTH117
    return os.pathsep.join(entry for entry in absolute if not _leads(entry, project))


def _leads(path: str | os.PathLike[str], project: Path | None) -> bool:
    if project is None:
        return False
    written = Path(os.path.abspath(path))  # noqa: PTH100 - links stay links
    return any(_within(place, project) for place in (written, _parent_resolved(written), Path(os.path.realpath(path))))


def _parent_resolved(path: Path) -> Path:
    return Path(os.path.realpath(path.parent)) / path.name


def _within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents
