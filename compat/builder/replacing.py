"""Which folders may be replaced: what tfcompat made and nobody has added to, or what is to be exchanged."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from packaging.utils import canonicalize_name

from compat.builder import journal, transaction
from compat.errors import UsageError

ELSEWHERE = "name another folder: tfcompat fix --create-venv DIR"

_OF_AN_ENVIRONMENT = frozenset(
    ("bin", "Scripts", "lib", "lib64", "Lib", "include", "Include", "share", "etc", "man", "doc", "conf", "src", "var")
)
"""Folders that installers make at the top of an environment; Jupyter's go to ``share`` and ``etc``."""
_FILES = frozenset(
    (
        "pyvenv.cfg",
        "CACHEDIR.TAG",
        ".gitignore",
        ".lock",
        ".DS_Store",
        "pip-selfcheck.json",
        journal.MARKER,
        journal.PINS,
    )
)
_PIN = re.compile(r"^([A-Za-z0-9._-]+)\s*(?:==|@)", re.MULTILINE)
_SHOWN = 3


def check_folder(directory: Path, *, replace: bool, in_place: bool = False) -> None:
    """Refuse to touch what is not ours. Raises UsageError."""
    if os.path.ismount(directory):
        raise UsageError(f"{directory} is where a file system is mounted and cannot be replaced", hint=ELSEWHERE)
    _check_beside(directory, in_place=in_place)
    if not os.path.lexists(directory):
        return
    if in_place:
        _only_an_environment(directory)
        return
    if not journal.is_ours(directory):
        raise UsageError(f"{directory} exists and was not made by tfcompat", hint=ELSEWHERE)
    if not replace:
        raise UsageError(f"{directory} exists already", hint="add --yes to replace it once the new one has passed")
    added = [*foreign(directory), *installed_since(directory)]
    if added:
        raise UsageError(
            f"{directory} holds more than tfcompat put there: {_some(added)}",
            hint=f"tfcompat fix --in-place {directory} takes distributions along and keeps the old one",
        )


def _check_beside(directory: Path, *, in_place: bool) -> None:
    beside = transaction.pins_beside(directory)
    if os.path.lexists(beside) and not journal.is_our_pins(beside):
        raise UsageError(
            f"{beside} is there and was not made by tfcompat; the pins of the new environment go there",
            hint="move it away" if in_place else f"move it away, or {ELSEWHERE}",
        )


def _only_an_environment(directory: Path) -> None:
    """An exchange would take away whatever else lives in the folder: a whole project, where that is the environment."""
    if directory.is_symlink():
        raise UsageError(f"{directory} is a link", hint=f"name the folder itself: {os.path.realpath(directory)}")
    others = list(foreign(directory))
    if others:
        raise UsageError(
            f"{directory} holds more than an environment: {_some(others)}",
            hint=f"move that elsewhere first, or {ELSEWHERE}",
        )


def foreign(directory: Path) -> Iterator[str]:
    """Yield names at the top of an environment's folder that no installer put there."""
    for path in sorted(directory.iterdir()):
        if path.name not in (_OF_AN_ENVIRONMENT if path.is_dir() else _FILES):
            yield path.name


def installed_since(directory: Path) -> Iterator[str]:
    """Yield names of distributions that an environment of ours holds beyond its own pins."""
    try:
        text = (directory / journal.PINS).read_text("utf-8")
    except (OSError, ValueError):
        return
    pinned: set[str] = {canonicalize_name(name) for name in _PIN.findall(text)}
    for info in sorted(directory.glob("lib/python*/site-packages/*.dist-info")):
        name = canonicalize_name(info.name.partition("-")[0])
        if name not in pinned:
            yield name


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
