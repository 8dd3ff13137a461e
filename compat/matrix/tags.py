"""Which targets a wheel's tag is for, read off the tag: all targets at once, where ``packaging.tags`` answers for one.

A test holds it to ``compat.matrix.query.fits`` for every tag of the matrix and every target asked about here.
"""

from __future__ import annotations

import functools
import re

from compat.matrix.model import Release, Target, Wheel

_CPYTHON = re.compile(r"cp(\d)(\d{1,2})")
_MACOS = re.compile(r"macosx_(\d{1,2})_(\d{1,2})_(arm64|x86_64|universal2|intel|fat64)")
_LINUX = re.compile(r"(?:many)?linux(?:\d{1,4})?(?:_\d{1,2}_\d{1,2})?_(x86_64|aarch64)")
_ARM_FLOOR = (11, 0)
_INTEL_FAT = frozenset({"intel", "fat64", "universal2"})


def has_wheel(row: Release, target: Target) -> bool:
    """Tell whether a release has a wheel that an installer on the target takes (CPython 3, a macOS floor or none)."""
    return wheel_for(row, target) is not None


def wheel_for(row: Release, target: Target) -> Wheel | None:
    """Return a wheel of the release that such an installer takes; several hold the same code."""
    taking = (wheel for wheel in row.wheels if takes(wheel.tag, target.platform, target.python, target.macos))
    return next(taking, None)


@functools.cache
def takes(tag: str, platform: str, python: str, macos: str | None) -> bool:
    """Tell whether an interpreter takes a wheel with that (compressed) tag."""
    pythons, abis, platforms = tag.split("-")
    return _python(pythons.split("."), abis.split("."), python) and any(
        _platform(word, platform, macos) for word in platforms.split(".")
    )


def is_for_python(tag: str, python: str) -> bool:
    """Tell whether a (compressed) tag is for a Python, on whatever platform."""
    pythons, abis, _ = tag.split("-")
    return _python(pythons.split("."), abis.split("."), python)


def _python(pythons: list[str], abis: list[str], python: str) -> bool:
    major, minor = (int(part) for part in python.split("."))
    for word in pythons:
        match = _CPYTHON.fullmatch(word)
        if match is None:
            if word in {f"py{major}", f"py{major}{minor}"} and "none" in abis:
                return True
            continue
        of = int(match[1]), int(match[2])
        own = {f"cp{of[0]}{of[1]}", f"cp{of[0]}{of[1]}m", "none", "abi3"}
        if of == (major, minor) and own & set(abis):
            return True
        if of[0] == major and of[1] <= minor and "abi3" in abis:
            return True
    return False


def _platform(word: str, platform: str, macos: str | None) -> bool:
    if word == "any":
        return True
    os, _, architecture = platform.partition("-")
    if os == "windows":
        return word == f"win_{architecture}"
    if os == "linux":
        match = _LINUX.fullmatch(word)
        return match is not None and match[1] == architecture
    return _is_for_mac(word, architecture, macos)


def _is_for_mac(word: str, architecture: str, macos: str | None) -> bool:
    match = _MACOS.fullmatch(word)
    if match is None:
        return False
    floor = int(match[1]), int(match[2])
    above = macos is not None and floor > tuple(int(part) for part in macos.split("."))
    if above or (floor[0] > 10 and floor[1] != 0):  # noqa: PLR2004 - from macOS 11 on tags end in _0
        return False
    if architecture == "arm64":
        return match[3] == "universal2" or (match[3] == "arm64" and floor >= _ARM_FLOOR)
    return match[3] == "x86_64" or match[3] in _INTEL_FAT
