"""Which wheel of each pin a machine elsewhere takes, and where it is.

A shipped lock says the file; of pins resolved for a bundle the indexes' pages are read, and of a version's files the
one is taken that an installer there prefers (``packaging.tags`` decides), by a sha256 that uv accepted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from compat.builder import fetch, pages
from compat.builder.shelf import Shelf, Wanted
from compat.errors import CannotAct, one_line
from compat.matrix.model import Lock, LockedPackage, Target
from compat.matrix.query import ranked_tags

_HASH = re.compile(r"\s--hash=sha256:([0-9a-f]{64})")
_MACOS = re.compile(r"macosx_([0-9]+)_([0-9]+)_(.+)")
_LINUX = re.compile(r"manylinux_([0-9]+)_([0-9]+)_(.+)")
_LEGACY = {"manylinux1_": (2, 5), "manylinux2010_": (2, 12), "manylinux2014_": (2, 17)}
"""PEP 600's older names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One distribution, and the file it is."""

    name: str
    version: str
    wheel: Wanted


def of_lock(lock: Lock, urls: Mapping[str, str], indexes: Sequence[str], limits: fetch.Limits) -> Iterator[Pin]:
    """Yield the pins of a shipped lock, the addresses as known; of others the indexes are asked. Raises CannotAct."""
    for package in lock.packages:
        url = urls.get(package.file) or _address(package.name, package.file, package.sha256, indexes, limits)
        wheel = Wanted(file=package.file, url=url, sha256=package.sha256, size=package.size)
        yield Pin(name=package.name, version=package.version, wheel=wheel)


def of_text(text: str, target: Target, indexes: Sequence[str], limits: fetch.Limits) -> Iterator[Pin]:
    """Yield the pins of hashed requirements, each with the wheel the target takes. Raises CannotAct."""
    rank = {tag: place for place, tag in enumerate(ranked_tags(target))}
    for name, version, hashes in pinned(text):
        listed = [row for row in pages.of_any(name, indexes, limits) if row.sha256 in hashes]
        fitting = sorted((place, row.file, row) for row in listed if (place := _place(row.file, version, rank)))
        if not fitting:
            raise CannotAct(
                f"no index has a wheel of {name} {version} for {target.platform}, Python {target.python}",
                hint="a bundle holds wheels only: pin another version of it in the file of --with",
            )
        row = fitting[0][2]
        yield Pin(name=name, version=version, wheel=Wanted(file=row.file, url=row.url, sha256=row.sha256 or ""))


def fetched(chosen: Sequence[Pin], folder: Path, shelf: Shelf, say: Callable[[str], None]) -> Iterator[LockedPackage]:
    """Put the wheels into a folder; yield each as it came. Raises CannotAct."""
    for count, pin in enumerate(chosen, 1):
        say(f"{count}/{len(chosen)} {pin.wheel.file}")
        size = shelf.put(pin.wheel, folder / pin.wheel.file)
        file, sha256 = pin.wheel.file, pin.wheel.sha256
        yield LockedPackage(name=pin.name, version=pin.version, file=file, sha256=sha256, size=size)


def pinned(text: str) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield name, version and accepted hashes of each line of hashed requirements. Raises CannotAct."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        words = line.partition(" #")[0].strip()
        if not words or words.startswith("#"):
            continue
        try:
            wanted = Requirement(_HASH.sub("", f" {words}").strip())
        except InvalidRequirement as error:
            raise CannotAct(f"{one_line(words, 200)} cannot be put into a bundle") from error
        exact = [one.version for one in wanted.specifier if one.operator == "=="]
        if wanted.url or len(exact) != 1:
            raise CannotAct(
                f"{one_line(words, 200)} is from no index and cannot be put into a bundle",
                hint="leave it out of the file of --with, and install it on the target afterwards",
            )
        yield canonicalize_name(wanted.name), exact[0], frozenset(_HASH.findall(f" {words}"))


def minimum_macos(files: Iterable[str], platform: str) -> tuple[int, int] | None:
    """Return the macOS that the wheels' own tags ask for; None where none asks for any."""
    endings = (platform.partition("-")[2], "universal2", *(("intel", "fat64") if platform.endswith("x86_64") else ()))
    floors = (_floors(file, _MACOS, endings) for file in files)
    return max((min(found) for found in floors if found), default=None)


def minimum_glibc(files: Iterable[str], platform: str) -> tuple[int, int] | None:
    """Return the glibc that the wheels' own tags ask for; None where none asks for any."""
    floors = (_floors(file, _LINUX, (platform.partition("-")[2],)) for file in files)
    return max((min(found) for found in floors if found), default=None)


def _address(name: str, file: str, sha256: str, indexes: Sequence[str], limits: fetch.Limits) -> str:
    listed = [row for row in pages.of_any(name, indexes, limits) if row.file == file]
    agreed = [row.url for row in listed if row.sha256 in (sha256, None)]
    if agreed:
        return agreed[0]
    shown = ", ".join(fetch.shown(index) for index in indexes)
    if listed:
        raise CannotAct(
            f"{shown} has another {file} than the lock names (sha256 {listed[0].sha256}, not {sha256})",
            hint="the index serves another file than the lock names: do not install it",
        )
    raise CannotAct(f"{shown} has no {file}", hint="check UV_DEFAULT_INDEX, or choose another TensorFlow")


def _place(file: str, version: str, rank: Mapping[Tag, int]) -> tuple[int, int] | None:
    """How much an installer prefers a file: by its best tag, then by its build number; None where it does not fit."""
    try:
        _, found, build, tags = parse_wheel_filename(file)
    except InvalidWheelFilename:  # a source distribution, or nothing we know
        return None
    places = [rank[tag] for tag in tags if tag in rank]
    return (min(places), -build[0] if build else 1) if places and str(found) == version else None


def _floors(file: str, pattern: re.Pattern[str], endings: tuple[str, ...]) -> list[tuple[int, int]]:
    found = []
    for tag in parse_wheel_filename(file)[3]:
        match = pattern.fullmatch(tag.platform)
        if match and match[3].endswith(endings):
            found.append((int(match[1]), int(match[2])))
        found += [floor for name, floor in _LEGACY.items() if pattern is _LINUX and tag.platform.startswith(name)]
    return found
