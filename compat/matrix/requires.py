"""What a release's wheel requires in a place nobody is at: its Requires-Dist, markers decided for the target."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement

from compat.matrix.model import Target, Wheel

_SYSTEMS = {
    "macos": ("darwin", "Darwin", "posix"),
    "linux": ("linux", "Linux", "posix"),
    "windows": ("win32", "Windows", "nt"),
}
_MACHINES = {"amd64": "AMD64"}
_KERNELS = {
    "macos-arm64": "Darwin Kernel Version 23.0.0: root:xnu-10002.1.13~1/RELEASE_ARM64_T6000",
    "macos-x86_64": "Darwin Kernel Version 23.0.0: root:xnu-10002.1.13~1/RELEASE_X86_64",
    "linux-x86_64": "#1 SMP",
    "linux-aarch64": "#1 SMP",
    "windows-amd64": "10.0.22631",
}
"""``platform_version`` as ``uname -v`` gives it: files ask it for ``ARM``."""


@functools.lru_cache(maxsize=64)
def _variables(platform: str, python: str) -> dict[str, str]:
    system, _, architecture = platform.partition("-")
    sys_platform, platform_system, os_name = _SYSTEMS[system]
    return {
        "extra": "",
        "implementation_name": "cpython",
        "implementation_version": f"{python}.0",
        "os_name": os_name,
        "platform_machine": _MACHINES.get(architecture, architecture),
        "platform_python_implementation": "CPython",
        "platform_release": "23.0.0",
        "platform_system": platform_system,
        "platform_version": _KERNELS.get(platform, ""),
        "python_full_version": python if python.count(".") > 1 else f"{python}.0",
        "python_version": ".".join(python.split(".")[:2]),
        "sys_platform": sys_platform,
    }


def environment(target: Target) -> dict[str, str]:
    """Return the markers' variables (PEP 508) of a place nobody is at."""
    return dict(_variables(target.platform, target.python))


@functools.lru_cache(maxsize=8192)
def holds(marker: str, platform: str, python: str, extra: str = "") -> bool | None:
    """Tell whether a marker holds there; None where it is none (it does not parse)."""
    parsed = _parsed(marker)
    if parsed is None:
        return None
    try:
        return parsed.evaluate(_variables(platform, python) | {"extra": extra})
    except (UndefinedEnvironmentName, ValueError):
        return None


@functools.lru_cache(maxsize=2048)
def _parsed(marker: str) -> Marker | None:
    try:
        return Marker(marker)
    except InvalidMarker:
        return None


def requirements(wheel: Wheel, target: Target) -> Iterator[Requirement]:
    """Yield what a wheel requires on the target, without extras."""
    for text in wheel.requires or ():
        found = _requirement(text)
        if found is not None and (found.marker is None or holds(str(found.marker), target.platform, target.python)):
            yield found


@functools.lru_cache(maxsize=8192)
def _requirement(text: str) -> Requirement | None:
    try:
        return Requirement(text)
    except InvalidRequirement:  # METADATA of old releases is not always PEP 508
        return None
