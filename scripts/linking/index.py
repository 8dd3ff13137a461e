"""Which releases there are to judge: the index's own list, reduced to one wheel for each side and architecture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version

from compat.errors import CannotLook

if TYPE_CHECKING:
    from collections.abc import Iterable

    import requests

SIMPLE = "https://pypi.org/simple/{}/"
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
    python: str = ""
    """``cp310``; empty for a source distribution."""
    architecture: str = ""


def list_files(session: requests.Session, distribution: str) -> tuple[File, ...]:
    """Read the index page: macOS wheels and source distributions. Raises requests' errors, CannotLook."""
    accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
    response = session.get(SIMPLE.format(distribution), headers=accept, timeout=60)
    response.raise_for_status()
    try:
        return tuple(file for entry in response.json()["files"] for file in _file(distribution, entry))
    except (KeyError, TypeError, ValueError) as error:
        raise CannotLook(f"{response.url} does not answer as an index does: {error!r}") from None


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


def _file(distribution: str, entry: dict[str, object]) -> list[File]:
    """At most one record of an index entry; files of other systems and of unreadable names are left out."""
    name = str(entry["filename"])
    common = {"distribution": distribution, "name": name, "url": str(entry["url"]), "size": int(str(entry["size"]))}
    hashes = entry["hashes"]
    common["sha256"] = str(hashes["sha256"]) if isinstance(hashes, dict) else ""
    try:
        if not name.endswith(".whl"):
            return [File(**common, version=parse_sdist_filename(name)[1])]  # type: ignore[arg-type]
        _, version, _, tags = parse_wheel_filename(name)
    except (InvalidSdistFilename, InvalidWheelFilename):
        return []
    tag = min(tags, key=str)
    if not tag.platform.startswith("macosx"):
        return []
    architecture = tag.platform.split("_", 3)[3]
    return [File(**common, version=version, python=tag.interpreter, architecture=architecture)]  # type: ignore[arg-type]
