"""Which releases there are to judge: the index's own list, reduced to one wheel for each side and architecture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version
from refreshing.cache import Cache
from refreshing.index import IndexFile, files_of

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from refreshing.web import Web

PYPI = "https://pypi.org/simple"
OLDEST_TENSORFLOW = Version("2.5")
"""The first release that loads plugins (PluggableDevice)."""
SHELL_LIMIT = 1_000_000
"""Bytes below which a TensorFlow wheel is a shell that only requires the other distribution (they have 2 KB)."""
PREFERRED_PYTHONS = ("cp310", "cp39", "cp38", "cp311", "cp312")
"""Which wheel stands for its release: cp310 is the one most releases of both sides have."""


@dataclass(frozen=True)
class File:
    """One file of a release."""

    distribution: str
    version: Version
    name: str
    url: str
    size: int
    sha256: str
    listed: IndexFile
    """The entry of the index."""
    python: str = ""
    """``cp310``; empty for a source distribution."""
    architecture: str = ""


def list_files(web: Web, distribution: str, *, index: str = PYPI, as_of: dt.date | None = None) -> tuple[File, ...]:
    """Read the index page: macOS wheels and source distributions, uploaded up to that day. Raises RefreshError."""
    entries = files_of(web, index, distribution, Cache(folder=None))
    return tuple(
        file for entry in entries if as_of is None or entry.uploaded <= as_of for file in _file(distribution, entry)
    )


def judged_tensorflows(files: Iterable[File], architecture: str) -> tuple[File, ...]:
    """One wheel per release that has a body: finals since 2.5 and pre-releases of what comes after the newest final."""
    bodies = [
        file
        for file in files
        if file.architecture == architecture and file.size >= SHELL_LIMIT and file.version >= OLDEST_TENSORFLOW
    ]
    newest = max((file.version for file in bodies if not file.version.is_prerelease), default=OLDEST_TENSORFLOW)
    return tuple(
        wheels[0]
        for (_, version), wheels in by_release(bodies).items()
        if not version.is_prerelease or version > newest
    )


def by_release(files: Iterable[File]) -> dict[tuple[str, Version], list[File]]:
    """Group wheels by distribution and version, newest first, the one that stands for the release in front."""
    groups: dict[tuple[str, Version], list[File]] = {}
    for file in sorted(files, key=lambda each: (each.version, each.distribution), reverse=True):
        groups.setdefault((file.distribution, file.version), []).append(file)
    return {release: sorted(wheels, key=_preference) for release, wheels in groups.items()}


def _preference(file: File) -> tuple[int, str]:
    known = file.python in PREFERRED_PYTHONS
    return (PREFERRED_PYTHONS.index(file.python) if known else len(PREFERRED_PYTHONS), file.name)


def _file(distribution: str, entry: IndexFile) -> list[File]:
    """At most one record of an index entry; files of other systems and of unreadable names are left out."""
    name = entry.filename
    try:
        if not name.endswith(".whl"):
            return [_record(distribution, parse_sdist_filename(name)[1], entry)]
        _, version, _, tags = parse_wheel_filename(name)
    except (InvalidSdistFilename, InvalidWheelFilename):
        return []
    tag = min(tags, key=str)
    _, *macos = tag.platform.split("_", 3)
    if not tag.platform.startswith("macosx_") or len(macos) < 3:  # noqa: PLR2004 - major, minor, architecture
        return []
    return [_record(distribution, version, entry, python=tag.interpreter, architecture=macos[2])]


def _record(distribution: str, version: Version, entry: IndexFile, *, python: str = "", architecture: str = "") -> File:
    return File(
        distribution=distribution,
        version=version,
        name=entry.filename,
        url=entry.url,
        size=entry.size,
        sha256=entry.sha256,
        python=python,
        architecture=architecture,
        listed=entry,
    )
