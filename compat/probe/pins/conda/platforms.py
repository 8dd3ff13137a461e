"""Conda's platforms: its folder names as markers and as the project's platforms, and what gives an export away.

Source of the names: https://docs.conda.io/projects/conda/en/stable/dev-guide/api/conda/base/constants/ (KNOWN_SUBDIRS).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from packaging.markers import InvalidMarker, Marker

_SUBDIRS = {
    "osx-arm64": ("macos-arm64", "darwin", "arm64"),
    "osx-64": ("macos-x86_64", "darwin", "x86_64"),
    "linux-64": ("linux-x86_64", "linux", "x86_64"),
    "linux-aarch64": ("linux-aarch64", "linux", "aarch64"),
    "win-64": ("windows-amd64", "win32", "AMD64"),
    "win-arm64": ("windows-arm64", "win32", "ARM64"),
    "linux-ppc64le": ("linux-ppc64le", "linux", "ppc64le"),
    "linux-armv7l": ("linux-armv7l", "linux", "armv7l"),
    "linux-32": ("linux-i686", "linux", "i686"),
    "win-32": ("windows-x86", "win32", "x86"),
}

_LINUX_ONLY = re.compile(r"-libgcc-mutex|libgcc-ng|libstdcxx-ng|libgfortran-ng|libgomp|.*-linux-(64|aarch64)")
_WINDOWS_ONLY = re.compile(r"vs20\d\d-runtime|vc|vc14-runtime|ucrt|wincertstore|m2w64-.*|pywin32|pywinpty")
_MACOS_ONLY = re.compile(r"appnope|.*-osx-(64|arm64)|pyobjc-.*")
_CUDA = re.compile(r"cudatoolkit(-dev)?|-?cuda(-.*)?|cudnn|nccl|libcu(blas|dnn|fft|rand|solver|sparse)(-dev)?")
"""All of them match normalized names: ``_libgcc_mutex`` is ``-libgcc-mutex``."""
_CUDA_BUILD = re.compile(r".*(cuda|gpu_)(?!.*(no|non)cuda).*")
_CPU_BUILD = re.compile(r".*(cpu|mkl_|eigen_|nocuda).*")
"""A package that has CUDA builds and CPU builds says which one it is in its build string."""

Found = tuple[tuple[str, ...], str]
"""Platforms, and in words what says so."""

_LIMIT = 200
"""Characters of a selector."""
_SELECTOR = re.compile(r"[()]|[^()\s]+")
_GRAMMAR = frozenset({"and", "or", "not", "(", ")"})
_OF_NAME = {
    "osx": ("sys_platform", "darwin"),
    "linux": ("sys_platform", "linux"),
    "win": ("sys_platform", "win32"),
    "arm64": ("platform_machine", "arm64"),
    "aarch64": ("platform_machine", "aarch64"),
    "x86_64": ("platform_machine", "x86_64"),
}
_OF_SUBDIR = {"osx64": "osx-64", "linux64": "linux-64", "win64": "win-64", "win32": "win-32", "linux32": "linux-32"}


def marker(subdir: str) -> str:
    """Return the marker a folder name stands for; empty for ``noarch`` and unknown ones."""
    row = _SUBDIRS.get(subdir)
    return f"sys_platform == '{row[1]}' and platform_machine == '{row[2]}'" if row else ""


def platform(subdir: str) -> str:
    """Return the project's name of a platform; conda's own for one it has no name for."""
    return _SUBDIRS[subdir][0] if subdir in _SUBDIRS else subdir


def given_away(packages: Iterable[tuple[str, str]]) -> Found:
    """Return for which platforms a set of conda packages can only be meant; empty where any will do.

    A package is its normalized name and its build.
    """
    listed = tuple(packages)
    if any(_CUDA.fullmatch(name) or _is_cuda(build) for name, build in listed):
        windows = any(_WINDOWS_ONLY.fullmatch(name) for name, _ in listed)
        return (("windows-amd64" if windows else "linux-x86_64",), "CUDA packages")
    names = tuple(name for name, _ in listed)
    if any(map(_LINUX_ONLY.fullmatch, names)):
        arm = any(name.endswith("-linux-aarch64") for name in names)
        return (("linux-aarch64" if arm else "linux-x86_64",), "exported on Linux")
    if any(map(_WINDOWS_ONLY.fullmatch, names)):
        return (("windows-amd64",), "exported on Windows")
    if any(map(_MACOS_ONLY.fullmatch, names)):
        return (_macs(names), "exported on macOS")
    return ((), "")


@functools.lru_cache(maxsize=1024)
def selected(selector: str) -> str | None:
    """Return the marker of a comment ``# [osx and arm64]`` (the part in the brackets), None where it is not understood.

    conda-lock and conda-devenv read these comments; conda itself installs the line everywhere.
    """
    words = _SELECTOR.findall(selector[:_LIMIT])
    parts: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        atom = word if word in _GRAMMAR else _atom(word, negated=before == "not")
        if atom is None:
            return None
        parts.extend([atom] if atom != "not" else [])
    alone = len(parts) == 1 and parts[0].startswith("(")
    return _valid(parts[0][1:-1] if alone else " ".join(parts))


def _is_cuda(build: str) -> bool:
    return bool(_CUDA_BUILD.fullmatch(build)) and not _CPU_BUILD.fullmatch(build)


def _macs(names: tuple[str, ...]) -> tuple[str, ...]:
    if any(name.endswith("-osx-arm64") for name in names):
        return ("macos-arm64",)
    return ("macos-x86_64",) if any(name.endswith("-osx-64") for name in names) else ("macos-arm64", "macos-x86_64")


def _atom(name: str, *, negated: bool) -> str | None:
    sign = "!=" if negated else "=="
    if name == "unix":
        return f"sys_platform {'==' if negated else '!='} 'win32'"
    if name in _OF_SUBDIR:
        _, system, machine = _SUBDIRS[_OF_SUBDIR[name]]
        joint = "or" if negated else "and"
        return f"(sys_platform {sign} '{system}' {joint} platform_machine {sign} '{machine}')"
    key = _OF_NAME.get(name)
    return f"{key[0]} {sign} '{key[1]}'" if key else None


def _valid(text: str) -> str | None:
    try:
        Marker(text)
    except InvalidMarker:
        return None
    return text.replace("( ", "(").replace(" )", ")")
