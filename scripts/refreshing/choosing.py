"""Which files of an index page the matrix keeps: CPython wheels for the platforms it speaks of, and sdists."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from packaging.version import Version

    from refreshing.distributions import Followed
    from refreshing.index import IndexFile

_PLATFORM = re.compile(r"any|macosx_\d+_\d+_(arm64|x86_64|universal2|intel)|manylinux\w*_(x86_64|aarch64)|win_amd64")
_INTERPRETER = re.compile(r"cp3\d*|py3\d*")
# cp36m and cp37m are what CPython 3.6 and 3.7 call their ordinary abi; cp313t is the free-threaded one, left out.
_ABI = re.compile(r"none|abi3|cp3\d+m?")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A file of the index that the matrix keeps, with what its name says."""

    file: IndexFile
    version: Version
    tag: str | None
    """As in the file name, compressed sets included; None for an sdist."""
    build: str | None


def kept_files(followed: Followed, files: Iterable[IndexFile], as_of: dt.date) -> tuple[Kept, ...]:
    """Choose the files worth keeping among those uploaded up to and on `as_of`."""
    read = tuple(kept for file in files if file.uploaded <= as_of and (kept := _read_name(followed.name, file)))
    first_days: dict[Version, dt.date] = {}
    for kept in read:
        day = first_days.get(kept.version, kept.file.uploaded)
        first_days[kept.version] = min(day, kept.file.uploaded)
    newest = max(first_days, default=None)
    return tuple(
        kept
        for kept in read
        if first_days[kept.version] >= followed.since
        and (followed.floor is None or kept.version >= followed.floor)
        and _is_final_or_candidate(kept.version, newest)
        and (kept.tag is None or fits(kept.tag))
    )


def fits(tag: str) -> bool:
    """Tell whether a tag of this set is for a platform, an interpreter and an abi that the matrix speaks of."""
    interpreters, abis, platforms = (part.split(".") for part in tag.split("-"))
    return (
        any(map(_INTERPRETER.fullmatch, interpreters))
        and any(map(_ABI.fullmatch, abis))
        and any(map(_PLATFORM.fullmatch, platforms))
    )


def _is_final_or_candidate(version: Version, newest: Version | None) -> bool:
    """Keep finals always, release candidates only of the newest minor, whose final may not be out yet."""
    if not version.is_prerelease:
        return True
    if version.is_devrelease or version.pre is None or version.pre[0] != "rc" or newest is None:
        return False
    return version.release[:2] == newest.release[:2]


def _read_name(name: str, file: IndexFile) -> Kept | None:
    """Give None for what pip would not install either: eggs, installers, odd names, other projects' files."""
    try:
        if file.filename.endswith(".whl"):
            project, version, build, _ = parse_wheel_filename(file.filename)
            tag = "-".join(file.filename.removesuffix(".whl").split("-")[-3:])
            kept = Kept(
                file=file,
                version=version,
                tag=tag,
                build="".join(map(str, build)) or None,
            )
        else:
            project, version = parse_sdist_filename(file.filename)
            kept = Kept(file=file, version=version, tag=None, build=None)
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None
    return kept if project == canonicalize_name(name) else None
