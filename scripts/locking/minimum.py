"""The macOS an environment must be resolved for, and the one its binaries need.

A wheel's tag may promise less than its library needs: tensorflow-metal 0.5.0 is tagged macosx_11_0 and built for 12.3.
What the libraries say is measured: `matrices/links/` holds the pairs' own, `matrices/files/macos.toml` every binary of
every wheel that a lock names (`scripts/locks --binaries`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name, parse_wheel_filename

from locking.records import LockingError, Target
from locking.repairs import read_toml
from locking.wheels import PLATFORMS, minimum_macos, parse

# Apple's plugin page asks for macOS 12: https://developer.apple.com/metal/tensorflow-plugin/
FLOOR = (12, 0)

Table = Mapping[str, Mapping[str, tuple[int, int]]]
"""Wheel → architecture → the highest minimum of its binaries."""


def resolution_minimum(target: Target, links: Path) -> str | None:
    """The macOS uv resolves for: 12.0, or more where a binary of the pair needs more; None off macOS."""
    if not PLATFORMS[target.platform].is_macos:
        return None
    return text(max([FLOOR, *_known(target, links)]))


def lock_minimum(target: Target, files: Iterable[str], links: Path) -> str | None:
    """The highest minimum of any wheel's tag and of any binary that was read; None off macOS."""
    place = PLATFORMS[target.platform]
    if not place.is_macos:
        return None
    named = list(files)
    tagged = minimum_macos(named, place.arch) or FLOOR
    return text(max([tagged, of_files(named, place.arch, _measured(links)), *_known(target, links)]))


def of_files(files: Iterable[str], arch: str, measured: Table) -> tuple[int, int]:
    """The highest minimum of any binary in these wheels; (0, 0) where none was measured."""
    return max((measured.get(file, {}).get(arch, (0, 0)) for file in files), default=(0, 0))


def tag_minimum(file: str, arch: str) -> tuple[int, int] | None:
    """The macOS a wheel's own tags ask for."""
    return minimum_macos([file], arch)


def read_measured(path: Path) -> Table:
    """What the binaries of each wheel say. Raises LockingError where the table is broken."""
    try:
        return {
            row["file"]: {arch: rounded(version) for arch, version in row["minimum"].items()}
            for row in read_toml(path)["wheels"]
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise LockingError(f"{path.name}: {error!r}") from error


def rounded(version: str) -> tuple[int, int]:
    """12.0.1 as (12, 1): a lock says no patch level, and must not promise less than is needed."""
    major, minor, *patch = (*map(int, version.split(".")), 0)[:3]
    return major, minor + bool(any(patch))


def loads(target: Target, links: Path) -> bool:
    """Whether the link matrix says that the target's plugin finds all it needs in the target's TensorFlow."""
    arch = PLATFORMS[target.platform].arch
    wanted = (target.distribution, target.tensorflow, target.plugin, target.plugin_version, arch)
    for path in sorted(links.glob("*.toml")):
        document = _document(path)
        for row in document.get("pairs", []):
            pair = (
                row["distribution"],
                row["tensorflow"],
                document["plugin"],
                row["plugin_version"],
                document["architecture"],
            )
            if pair == wanted:
                return bool(row.get("loads"))
    return False


def text(version: tuple[int, int]) -> str:
    """(12, 1) as "12.1"."""
    return f"{version[0]}.{version[1]}"


@cache
def _document(path: Path) -> dict[str, Any]:
    return read_toml(path)


def read_links(folder: Path, arch: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Minimum macOS of each binary the link matrix has read, by distribution and version; the highest of several."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for path in sorted(folder.glob("*.toml")):
        for name, version, minimum in _binaries(_document(path), arch):
            key = (name, version)
            found[key] = max(found.get(key, (0, 0)), parse(".".join(minimum.split(".")[:2])))
    return found


def _known(target: Target, links: Path) -> Iterator[tuple[int, int]]:
    """What is measured of the pair itself, the only part that is known before anything is resolved."""
    arch = PLATFORMS[target.platform].arch
    linked = read_links(links, arch)
    for pair in ((target.distribution, target.tensorflow), (target.plugin or "", target.plugin_version or "")):
        if pair in linked:
            yield linked[pair]
        for file, minimums in _measured(links).items():
            name, version, _, _ = parse_wheel_filename(file)
            if (name, str(version)) == (canonicalize_name(pair[0]), pair[1]) and arch in minimums:
                yield minimums[arch]


def _measured(links: Path) -> Table:
    """The table beside the links; none before the first measurement."""
    path = links.parent / "files" / "macos.toml"
    return read_measured(path) if path.is_file() else {}


def _binaries(document: dict[str, Any], arch: str) -> Iterator[tuple[str, str, str]]:
    if document.get("architecture") != arch:
        return
    for row in document.get("plugins", []):
        if "minimum_macos" in row:
            yield document["plugin"], row["version"], row["minimum_macos"]
    for row in document.get("tensorflows", []):
        if "minimum_macos" in row:
            yield row["distribution"], row["version"], row["minimum_macos"]
