"""A bundle from whatever brought it here: read, and every file held against its sha256 before any of them is used."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from compat.builder.shelf import sha256_of
from compat.errors import CannotAct
from compat.plan.bundled import INTERPRETER, MANIFEST, TOOL, WHEELS, File, Manifest, checked

MOST_BYTES = 5_000_000
"""Of a manifest: one of 400 files is 150 kB."""
_AGAIN = "copy it again, or make it again with `tfcompat bundle`"


def read(folder: Path) -> Manifest:
    """Return what a bundle says of itself. Raises CannotAct for a folder that is none."""
    path = folder / MANIFEST
    try:
        mode = path.lstat()
        if not stat.S_ISREG(mode.st_mode) or mode.st_size > MOST_BYTES:
            raise CannotAct(f"{path} is no manifest: a link, no file, or too large", hint=_AGAIN)
        raw: Any = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise CannotAct(
            f"{folder} is no bundle: there is no {MANIFEST} in it", hint="name the folder `tfcompat bundle` made"
        ) from error
    except OSError as error:
        raise CannotAct(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise CannotAct(f"{path} is no JSON: {error}", hint=_AGAIN) from error
    return checked(raw, str(path))


def is_bundle(folder: Path) -> bool:
    """Tell whether a folder is one that ``tfcompat bundle`` made."""
    try:
        read(folder)
    except CannotAct:
        return False
    return not folder.is_symlink()


def others(folder: Path) -> Iterator[str]:
    """Yield what lies in a bundle and is not of it, by its manifest. Raises CannotAct, OSError."""
    named = {file.path for file in read(folder).files} | {MANIFEST}
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = (Path(place) / name).relative_to(folder).as_posix()
            if path not in named and name != ".DS_Store":
                yield path


def verify(folder: Path, manifest: Manifest, tell: Callable[[str], None] = lambda _text: None) -> None:
    """Read every file whole. Raises CannotAct where one is missing, is another, or is no file of the bundle's own."""
    problems = list(_problems(folder, manifest, tell))
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise CannotAct(f"{folder}: {problems[0]}{more}; nothing of it was used", hint=_AGAIN)


def _problems(folder: Path, manifest: Manifest, tell: Callable[[str], None]) -> Iterator[str]:
    for name in (WHEELS, INTERPRETER, TOOL):
        if manifest.in_folder(name) and not _is(folder / name, stat.S_ISDIR):
            yield f"{name} is no folder of its own"
            return
    for file in manifest.files:
        tell(f"checking {file.path}")
        try:
            problem = _problem(folder / file.path, file)
        except OSError as error:
            problem = f"{file.path} cannot be read: {error.strerror or error}"
        if problem:
            yield problem


def _problem(path: Path, file: File) -> str:
    if not os.path.lexists(path):
        return f"{file.path} is missing"
    if not _is(path, stat.S_ISREG):
        return f"{file.path} is a link or no file"
    size = path.lstat().st_size
    if size != file.size:
        return f"{file.path} has {size} bytes, not {file.size}"
    return "" if sha256_of(path) == file.sha256 else f"{file.path} is not what was bundled: another sha256"


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    """By the name itself: what a link leads to is not of the bundle."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False
