"""The environments to lock, and the combinations whose drift is measured.

The newest patch release of each TensorFlow minor that the platform has; plugins by the link bands proved from the
wheels (`matrices/links/`), newest that links, the vendor's own pairing where it names one.
"""

from __future__ import annotations

from collections.abc import Iterator

from locking.records import Target

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
# Intel Macs end at 2.16.2; CPU only, the plugin's last x86_64 wheel is 1.0.0 and wants an AMD GPU.
_MACOS_X86_64 = (
    ("2.12.1", ("3.11",)),
    ("2.15.1", ("3.11",)),
    ("2.16.2", ("3.9", "3.10", "3.11", "3.12")),
)
_LINUX_X86_64 = (
    ("2.9.3", ("3.10",)),
    ("2.10.1", ("3.8", "3.10")),
    ("2.11.1", ("3.10",)),
    ("2.12.1", ("3.11",)),
    ("2.13.1", ("3.8", "3.11")),
    ("2.14.1", ("3.11",)),
    ("2.15.1", ("3.11",)),
    ("2.16.2", ("3.12",)),
    ("2.17.1", ("3.12",)),
    ("2.18.1", ("3.9", "3.10", "3.11", "3.12")),
    ("2.19.1", ("3.12",)),
    ("2.20.0", ("3.13",)),
    ("2.21.0", ("3.13",)),
)
_LINUX_AARCH64 = (("2.18.1", ("3.12",)), ("2.20.0", ("3.13",)))
_CUDA = (("2.20.0", "3.12"),)
# Older releases and the patch levels whose declared dependencies differ from their minor's newest.
_DRIFT_ONLY = (
    ("2.21.0", "3.10"),
    ("2.14.0", "3.11"),
    ("2.9.0", "3.10"),
    ("2.8.4", "3.10"),
    ("2.8.1", "3.10"),
)


def targets() -> Iterator[Target]:
    """Every lock, the newest TensorFlow last."""
    for tensorflow, distribution, plugin, pythons in _MACOS_ARM64:
        for python in pythons:
            if plugin:
                yield _mac(tensorflow, distribution, python, plugin)
            yield _mac(tensorflow, distribution, python, None)
    yield from (
        Target(platform="macos-x86_64", python=python, distribution="tensorflow", tensorflow=tensorflow)
        for tensorflow, pythons in _MACOS_X86_64
        for python in pythons
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


def linux() -> Iterator[Target]:
    """The environments that are run where the locks are made."""
    return (_cpu(tensorflow, python) for tensorflow, pythons in _LINUX_X86_64 for python in pythons)


def measured() -> Iterator[Target]:
    """The combinations whose plain installation is observed and mended."""
    yield from linux()
    yield from (_cpu(tensorflow, python) for tensorflow, python in _DRIFT_ONLY)


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
