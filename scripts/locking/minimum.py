"""The macOS an environment must be resolved for, and the one its binaries need.

A wheel's tag may promise less than its library needs: tensorflow-metal 0.5.0 is tagged macosx_11_0 and built for 12.3.
What the libraries say was read from their LC_BUILD_VERSION; `matrices/links/` is asked first, this table after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from locking.records import Target
from locking.repairs import read_toml
from locking.wheels import PLATFORMS, minimum_macos, parse

# Apple's plugin page asks for macOS 12: https://developer.apple.com/metal/tensorflow-plugin/
FLOOR = (12, 0)
# Minimum macOS of libmetal_plugin.dylib and of TensorFlow's core library in the wheels from PyPI, arm64.
_BINARIES = {
    ("tensorflow-metal", "0.5.0"): (12, 3),
    ("tensorflow-metal", "0.6.0"): (12, 5),
    ("tensorflow-metal", "0.7.0"): (11, 3),
    ("tensorflow-metal", "0.8.0"): (11, 3),
    ("tensorflow-metal", "1.0.0"): (11, 3),
    ("tensorflow-metal", "1.1.0"): (11, 3),
    ("tensorflow-metal", "1.2.0"): (12, 1),
}


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
    tagged = minimum_macos(files, place.arch)
    return text(max([*([tagged] if tagged else [FLOOR]), *_known(target, links)]))


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


def _known(target: Target, links: Path) -> list[tuple[int, int]]:
    arch = PLATFORMS[target.platform].arch
    known = {**(_BINARIES if arch == "arm64" else {}), **read_links(links, arch)}
    pair = [(target.distribution, target.tensorflow), (target.plugin or "", target.plugin_version or "")]
    return [known[one] for one in pair if one in known]


def _binaries(document: dict[str, Any], arch: str) -> Iterator[tuple[str, str, str]]:
    if document.get("architecture") != arch:
        return
    for row in document.get("plugins", []):
        if "minimum_macos" in row:
            yield document["plugin"], row["version"], row["minimum_macos"]
    for row in document.get("tensorflows", []):
        if "minimum_macos" in row:
            yield row["distribution"], row["version"], row["minimum_macos"]
