"""Which wheel a machine takes: tags of a stated platform, without asking the machine this runs on.

The order of preference is packaging's own (https://packaging.pypa.io/en/stable/tags.html), which pip and uv follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

from locking.records import LockingError, Wheel


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A machine a lock is made for."""

    uv: str
    """uv's name for it (`--python-platform`)."""
    arch: str
    is_macos: bool


# uv resolves Linux for glibc 2.28 (RHEL 8, Debian 10; manylinux_2_28): the floor of NumPy's and h5py's newest wheels.
GLIBC = (2, 28)
PLATFORMS = {
    "macos-arm64": Platform(uv="aarch64-apple-darwin", arch="arm64", is_macos=True),
    "macos-x86_64": Platform(uv="x86_64-apple-darwin", arch="x86_64", is_macos=True),
    "linux-x86_64": Platform(uv="x86_64-manylinux_2_28", arch="x86_64", is_macos=False),
    "linux-aarch64": Platform(uv="aarch64-manylinux_2_28", arch="aarch64", is_macos=False),
}
_LEGACY = {(2, 17): "manylinux2014", (2, 12): "manylinux2010", (2, 5): "manylinux1"}
_MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_")
_MACOSX = re.compile(r"macosx_(\d+)_(\d+)_")


def tags(platform: str, python: str, minimum_macos: str | None) -> tuple[Tag, ...]:
    """Every tag that fits, best first; `minimum_macos` is the macOS the environment must still install on."""
    place = PLATFORMS[platform]
    version = parse(python)
    interpreter = f"cp{version[0]}{version[1]}"
    if place.is_macos:
        platforms = list(mac_platforms(parse(minimum_macos or ""), place.arch))
    else:
        platforms = list(_linux_platforms(place.arch))
    native = cpython_tags(version, [interpreter], platforms)
    return (*native, *compatible_tags(version, interpreter, platforms))


def choose(wheels: Sequence[Wheel], version: str, ranked: Sequence[Tag]) -> Wheel:
    """The wheel of that version a machine with these tags takes; a higher build number wins a tie.

    Raises LockingError where the version has no wheel that fits: no lock names a source distribution.
    """
    rank = {tag: place for place, tag in enumerate(ranked)}
    fitting = []
    for wheel in wheels:
        _, found, build, wheel_tags = parse_wheel_filename(wheel.file)
        places = [rank[tag] for tag in wheel_tags if tag in rank]
        if str(found) == version and places:
            fitting.append((min(places), -1 - build[0] if build else 0, wheel.file, wheel))
    if not fitting:
        raise LockingError(f"no wheel of version {version} fits {ranked[0]}")
    return min(fitting)[-1]


def fits(file: str, ranked: Iterable[Tag]) -> bool:
    """Whether a wheel installs on a machine with these tags."""
    return not parse_wheel_filename(file)[3].isdisjoint(set(ranked))


def minimum_macos(files: Iterable[str], arch: str) -> tuple[int, int] | None:
    """The highest macOS that any wheel's own tag asks for, its lowest tag where it has several."""
    found = [min(floors) for floors in (_macos_floors(file, arch) for file in files) if floors]
    return max(found, default=None)


def glibc(files: Iterable[str]) -> tuple[int, int] | None:
    """The highest glibc that any wheel's manylinux tags ask for, its lowest tag where it has several."""
    found = [min(floors) for floors in map(_glibc_floors, files) if floors]
    return max(found, default=None)


def parse(version: str) -> tuple[int, int]:
    """Read a version such as "12.1". Raises LockingError for anything else."""
    parts = version.split(".")
    if len(parts) != 2 or not all(part.isdigit() for part in parts):  # noqa: PLR2004
        raise LockingError(f"expected MAJOR.MINOR, got {version!r}")
    return int(parts[0]), int(parts[1])


def _linux_platforms(arch: str) -> Iterator[str]:
    # manylinux_2_5 is the oldest there is on x86_64 and 2_17 on everything else (PEP 599, PEP 600).
    oldest = 5 if arch == "x86_64" else 17
    for minor in range(GLIBC[1], oldest - 1, -1):
        yield f"manylinux_2_{minor}_{arch}"
        if (2, minor) in _LEGACY:
            yield f"{_LEGACY[2, minor]}_{arch}"
    yield f"linux_{arch}"


def _macos_floors(file: str, arch: str) -> list[tuple[int, int]]:
    return [
        (int(found[1]), int(found[2]))
        for tag in parse_wheel_filename(file)[3]
        if (found := _MACOSX.match(tag.platform)) and tag.platform.endswith((arch, "universal2"))
    ]


def _glibc_floors(file: str) -> list[tuple[int, int]]:
    floors = []
    for tag in parse_wheel_filename(file)[3]:
        if found := _MANYLINUX.match(tag.platform):
            floors.append((int(found[1]), int(found[2])))
        floors += [floor for floor, name in _LEGACY.items() if tag.platform.startswith(f"{name}_")]
    return floors
