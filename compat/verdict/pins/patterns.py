"""Patterns of files, .gitignore's simple form: ``*``, ``?``, ``**``; without a slash any name on the way is meant."""

from __future__ import annotations

import posixpath
from fnmatch import fnmatchcase


def fits(pattern: str, path: str) -> bool:
    """Tell whether a pattern fits a path (from the root, with ``/``) or a folder it lies in."""
    body = pattern.removeprefix("./").rstrip("/")
    parts = body.lstrip("/").split("/") if "/" in body else ["**", body]
    names = path.split("/")
    reached = {0}  # how many names of the path the pattern so far can stand for
    for part in parts:
        if part == "**":
            reached = set(range(min(reached, default=len(names) + 1), len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatchcase(names[at], part)}
    return bool(reached)


def plain(path: str) -> str:
    """Return a path in its plainest spelling, so that a file and the same one included elsewhere are one."""
    return posixpath.normpath(path.replace("\\", "/"))
