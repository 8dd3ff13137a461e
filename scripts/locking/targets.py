"""The environments to lock, and the combinations whose drift is measured.

Linux: every final release of tensorflow-cpu with a wheel (`matrices/releases/`) on every Python it has one for. Intel
Macs: the newest patch of each minor. Apple silicon: the newest patch of each minor; plugins by the link bands proved
from the wheels (`matrices/links/`), newest that links, the vendor's own pairing where it names one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from packaging.utils import parse_tag
from packaging.version import Version

from locking.records import Target
from locking.repairs import read_toml

RELEASES = Path(__file__).resolve().parents[2] / "matrices" / "releases"
PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
# 2.5 and 2.6 ask for termcolor 1.1 and clang 5, which have no wheel: no lock names a source distribution.
OLDEST_LINUX = Version("2.7")
OLDEST_MAC = Version("2.9")
# (release, Python) that has a wheel itself on x86_64, but asks for something that has none.
WITHOUT_WHEELS = {
    ("2.12.0", "3.8"): "asks for jax, whose releases for Python 3.8 have no wheel",
    ("2.12.1", "3.8"): "asks for jax, whose releases for Python 3.8 have no wheel",
}
# Packages whose newest wheels carry libraries built for a newer macOS than their tag (`matrices/files/macos.toml`),
# with the newest that keep an environment on macOS 12 and 13; only for an environment that has the package anyway.
HELD_BACK = {
    "macos-arm64": {"tensorflow-io-gcs-filesystem": "tensorflow-io-gcs-filesystem<0.36"},
    "macos-x86_64": {"tensorflow-io-gcs-filesystem": "tensorflow-io-gcs-filesystem<0.37.1"},
}
# Patch levels whose declared dependencies differ from their minor's newest.
_OTHER_PATCHES = (("2.14.0", "3.11"), ("2.9.0", "3.10"), ("2.8.1", "3.10"), ("2.7.2", "3.9"))

PLUGIN = "tensorflow-metal"
# The newest environment of the matrix that has a plugin which links; the extra `tfcompat[metal]` is made from it.
RECOMMENDED = ("2.18.1", "1.2.0", "3.12")
# TensorFlow with code for macOS arm64: distribution, plugin that links (None from 2.20), Pythons with wheels.
# 2.9-2.15.0 carry their code in tensorflow-macos; `tensorflow` is absent there or a shell that requires it.
_MACOS_ARM64 = (
    ("2.9.2", "tensorflow-macos", "0.5.0", ("3.8", "3.9", "3.10")),
    ("2.10.0", "tensorflow-macos", "0.6.0", ("3.8", "3.9", "3.10")),
    ("2.11.0", "tensorflow-macos", "0.7.0", ("3.8", "3.9", "3.10")),
    # Not 3.8: this one asks for jax, whose releases for Python 3.8 have no wheel.
    ("2.12.0", "tensorflow-macos", "0.8.0", ("3.9", "3.10", "3.11")),
    ("2.13.1", "tensorflow-macos", "1.0.0", ("3.9", "3.10", "3.11")),
    ("2.14.1", "tensorflow-macos", "1.1.0", ("3.9", "3.10", "3.11")),
    ("2.15.1", "tensorflow", "1.1.0", ("3.9", "3.10", "3.11")),
    ("2.16.2", "tensorflow", "1.1.0", ("3.9", "3.10", "3.11")),
    ("2.17.1", "tensorflow", "1.1.0", ("3.9", "3.10", "3.11")),
    ("2.16.2", "tensorflow", "1.2.0", ("3.12",)),
    ("2.17.1", "tensorflow", "1.2.0", ("3.12",)),
    ("2.18.1", "tensorflow", "1.2.0", ("3.9", "3.10", "3.11", "3.12")),
    ("2.19.1", "tensorflow", "1.2.0", ("3.9", "3.10", "3.11", "3.12")),
    ("2.20.0", "tensorflow", None, ("3.9", "3.10", "3.11", "3.12", "3.13")),
    ("2.21.0", "tensorflow", None, ("3.10", "3.11", "3.12", "3.13")),
)
_LINUX_AARCH64 = (("2.18.1", ("3.12",)), ("2.20.0", ("3.13",)))
_CUDA = (("2.20.0", "3.12"),)


def targets() -> Iterator[Target]:
    """Every lock, the newest TensorFlow last."""
    for tensorflow, distribution, plugin, pythons in _MACOS_ARM64:
        for python in pythons:
            if plugin:
                yield _mac(tensorflow, distribution, python, plugin)
            yield _mac(tensorflow, distribution, python, None)
    yield from (
        Target(platform="macos-x86_64", python=python, distribution="tensorflow", tensorflow=tensorflow)
        for tensorflow, python in newest(combinations("tensorflow", "macosx", "x86_64", OLDEST_MAC))
        if (tensorflow, python) not in WITHOUT_WHEELS
    )
    yield from linux()
    yield from (
        Target(platform="linux-aarch64", python=python, distribution="tensorflow", tensorflow=tensorflow)
        for tensorflow, pythons in _LINUX_AARCH64
        for python in pythons
    )
    yield from (
        Target(platform="linux-x86_64", python=python, distribution="tensorflow", tensorflow=tensorflow, cuda=True)
        for tensorflow, python in _CUDA
    )


def linux() -> tuple[Target, ...]:
    """The environments that are run where the locks are made; newest patches first, then the others."""
    every = tuple(
        one for one in combinations("tensorflow-cpu", "linux", "x86_64", OLDEST_LINUX) if one not in WITHOUT_WHEELS
    )
    first = newest(every)
    return tuple(_cpu(*one) for one in (*first, *(one for one in every if one not in first)))


def measured() -> tuple[Target, ...]:
    """The combinations that are mended repair by repair: each minor's newest patch on its newest Python, and others."""
    newest_python: dict[str, Target] = {}
    for one in linux():
        newest_python.setdefault(one.tensorflow.rpartition(".")[0], one)
    return (*newest_python.values(), *(_cpu(*one) for one in _OTHER_PATCHES))


@cache
def combinations(distribution: str, system: str, arch: str, oldest: Version) -> tuple[tuple[str, str], ...]:
    """(release, Python) of every final release that is not yanked and has a wheel there, newest first."""
    found = []
    for row in read_toml(RELEASES / f"{distribution}.toml")["releases"]:
        version = Version(row["version"])
        if version.is_prerelease or version < oldest or row.get("yanked"):
            continue
        tags = {one for wheel in row["wheels"] for one in parse_tag(wheel["tag"])}
        fits = {one.interpreter for one in tags if system in one.platform and one.platform.endswith(arch)}
        found += [(row["version"], python) for python in PYTHONS if f"cp{python.replace('.', '')}" in fits]
    return tuple(sorted(found, key=lambda one: (Version(one[0]), Version(one[1])), reverse=True))


def newest(every: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Those of the newest patch release of each minor."""
    patch: dict[tuple[int, ...], Version] = {}
    for tensorflow, _ in every:
        version = Version(tensorflow)
        patch[version.release[:2]] = max(patch.get(version.release[:2], version), version)
    return tuple(one for one in every if Version(one[0]) in patch.values())


def _cpu(tensorflow: str, python: str) -> Target:
    return Target(platform="linux-x86_64", python=python, distribution="tensorflow-cpu", tensorflow=tensorflow)


def _mac(tensorflow: str, distribution: str, python: str, plugin: str | None) -> Target:
    return Target(
        platform="macos-arm64",
        python=python,
        distribution=distribution,
        tensorflow=tensorflow,
        plugin=PLUGIN if plugin else None,
        plugin_version=plugin,
    )
