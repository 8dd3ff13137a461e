"""Why not: the fewest facts that make a wish impossible, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.matrix import query
from compat.matrix.load import Matrix
from compat.matrix.model import Target
from compat.matrix.versions import contains, is_final, newest, order, ranges
from compat.plan.candidates import (
    BODIES,
    FIRST_AND_CUDA,
    OLDEST_TENSORFLOW,
    accelerator_kind,
    built_for_newer_macos,
    target_of,
)
from compat.plan.model import Cause, Option, Wish
from compat.plan.reasons import first_missing

_ANY_PYTHON = "3.11"
"""Stands in where a cause does not depend on the Python."""


def unknown_machine(facts: Facts) -> tuple[Cause, ...]:
    """Return why nothing can be planned for a machine whose system or architecture is not known."""
    system = known(facts.machine.os) or "unknown system"
    arch = known(facts.machine.architecture) or "unknown architecture"
    return (Cause(text=f"TensorFlow has no wheels for this platform: {system}, {arch}", source="facts"),)


def causes(conflict: tuple[str, ...], wish: Wish, facts: Facts, matrix: Matrix) -> tuple[Cause, ...]:
    """Return the fewest facts that prove the conflicting parts of a wish cannot be met on this machine."""
    target = target_of(facts.machine, wish.python if "python" in conflict and wish.python else _ANY_PYTHON)
    if target is None:
        return unknown_machine(facts)
    if "gpu" in conflict and accelerator_kind(facts.machine) is None:
        return (Cause(text=_no_accelerator(facts), source="facts"),)
    if not conflict:
        return (Cause(text=f"every TensorFlow wheel asks for a newer system than {_words(target)}", source="releases"),)
    return tuple(_causes(conflict, wish, target, matrix))


def _no_accelerator(facts: Facts) -> str:
    if facts.machine.platform == "linux-aarch64":
        return "TensorFlow's Linux arm64 wheels are CPU only; Metal is not reachable from Linux or a container"
    if facts.machine.platform == "windows-amd64":
        return "TensorFlow's last native Windows GPU build is 2.10; use WSL2"
    return "no NVIDIA GPU was found on this machine"


def _causes(conflict: tuple[str, ...], wish: Wish, target: Target, matrix: Matrix) -> Iterator[Cause]:
    if "tensorflow" in conflict:
        yield from _tensorflow_wheels(conflict, wish, target, matrix)
    elif "python" in conflict:
        yield from _python_wheels(conflict, wish, target, matrix)
    if "gpu" in conflict and target.platform.startswith("macos"):
        yield from _plugin(conflict, wish, target, matrix)
    elif "gpu" in conflict:
        yield from _cuda(target, matrix)


def _tensorflow_wheels(conflict: tuple[str, ...], wish: Wish, target: Target, matrix: Matrix) -> Iterator[Cause]:
    """That no admitted TensorFlow has a wheel here (at all, or for this Python)."""
    pythons = (target.python,) if "python" in conflict else query.PYTHONS
    have = {
        version: [p for p in pythons if _body(matrix, version, query.on_python(target, p))]
        for version in _versions(matrix, target)
        if wish.tensorflow is None or contains(wish.tensorflow, version)
    }
    if any(have.values()):
        yield from _too_old(have, wish)
        return
    last = newest(v for p in query.PYTHONS for v in _installable(matrix, query.on_python(target, p)))
    where = f"{_words(target)}" + (f" with Python {target.python}" if "python" in conflict else "")
    wheels = f"; the newest that has is {last}" if last else ""
    yield Cause(
        text=f"TensorFlow {wish.tensorflow} has no wheel for {where}{wheels}",
        source="releases/tensorflow",
    )
    fitting = sorted(
        {p for v in have for p in query.PYTHONS if _body(matrix, v, query.on_python(target, p))}, key=order
    )
    if fitting and "python" in conflict:
        yield Cause(text=f"its wheels are for Python {ranges(fitting)}", source="releases/tensorflow")


def _too_old(have: Mapping[str, Sequence[str]], wish: Wish) -> Iterator[Cause]:
    """That what has a wheel is older than anything planned without a lock."""
    if all(order(version) < order(OLDEST_TENSORFLOW) for version, pythons in have.items() if pythons):
        yield Cause(
            text=f"TensorFlow {wish.tensorflow} has wheels, but is older than {OLDEST_TENSORFLOW}, and no pins"
            " are known with which it works whole",
            source="locks",
        )


def _python_wheels(conflict: tuple[str, ...], wish: Wish, target: Target, matrix: Matrix) -> Iterator[Cause]:
    """That no TensorFlow, or no plugin, has a wheel for the wished Python."""
    if not _installable(matrix, target):
        fitting = [p for p in query.PYTHONS if _installable(matrix, query.on_python(target, p))]
        yield Cause(
            text=f"no TensorFlow release has a wheel for Python {wish.python} on {_words(target)}"
            f" (they have for {ranges(fitting)})",
            source="releases/tensorflow",
        )
    elif "gpu" not in conflict or not target.platform.startswith("macos"):
        return
    elif not query.versions_for(matrix, query.APPLE_PLUGIN, target):
        having = query.pythons_with_any(matrix, query.APPLE_PLUGIN, target)
        yield Cause(
            text=f"no tensorflow-metal release has a wheel for Python {wish.python} on {_words(target)}"
            f" (they have for {ranges(having)})",
            source="releases/tensorflow-metal",
        )


def _plugin(conflict: tuple[str, ...], wish: Wish, target: Target, matrix: Matrix) -> Iterator[Cause]:
    """That no plugin loads on the admitted TensorFlow, or all that do were built for a newer macOS."""
    arch = target.platform.partition("-")[2]
    versions = [v for v in _versions(matrix, target) if wish.tensorflow is None or contains(wish.tensorflow, v)]
    loading = {p for v in versions for p in query.loadable_plugins(matrix, v, arch)}
    if "tensorflow" in conflict and versions and not loading:
        yield from _cannot_load(versions, arch, matrix)
    elif loading and all(built_for_newer_macos(plugin, target, matrix) for plugin in loading):
        yield Cause(
            text=f"every tensorflow-metal that loads was built for a newer macOS than {target.macos}",
            source=f"links/tensorflow-metal.{arch}",
        )
    elif loading and not any(_has_any_wheel(plugin, target, matrix) for plugin in loading):
        yield Cause(
            text=f"no tensorflow-metal that loads has a wheel for macOS {target.macos}",
            source="releases/tensorflow-metal",
        )
    elif "tensorflow" in conflict and "python" in conflict:
        pythons = {p for plugin in loading for p in query.pythons_for(matrix, query.APPLE_PLUGIN, plugin, target)}
        yield Cause(
            text=f"the tensorflow-metal releases that load on it have wheels for Python {ranges(pythons) or 'none'}",
            source="releases/tensorflow-metal",
        )


def _cuda(target: Target, matrix: Matrix) -> Iterator[Cause]:
    """That the CUDA libraries come with TensorFlow's own extra only from a release on, and which Pythons that has."""
    first = next((v for v in reversed(_versions(matrix, target)) if order(v) >= order(FIRST_AND_CUDA)), FIRST_AND_CUDA)
    pythons = query.pythons_for(matrix, "tensorflow", first, target)
    yield Cause(
        text=f"CUDA libraries come with TensorFlow's and-cuda extra, which starts with {first}"
        f" (wheels for Python {ranges(pythons)} and newer ones later)",
        source="releases/tensorflow",
    )


def _has_any_wheel(plugin: str, target: Target, matrix: Matrix) -> bool:
    """Whether an installer would take a plugin release on this macOS, whatever the Python, and its binary allows it."""
    return bool(query.pythons_for(matrix, query.APPLE_PLUGIN, plugin, target)) and not built_for_newer_macos(
        plugin, target, matrix
    )


def _cannot_load(versions: list[str], arch: str, matrix: Matrix) -> Iterator[Cause]:
    newest_plugin = newest(row.version for row in matrix.releases(query.APPLE_PLUGIN))
    for version in versions[:1]:
        row = query.link(matrix, version, query.APPLE_PLUGIN, newest_plugin or "", arch)
        why = f": {newest_plugin} needs {first_missing(row)}" if row is not None and row.missing else ""
        yield Cause(
            text=f"no release of Apple's tensorflow-metal can load on TensorFlow {version}{why}",
            source=f"links/tensorflow-metal.{arch}",
        )


def third_party_option(wish: Wish, facts: Facts, matrix: Matrix) -> Option | None:
    """Return the third-party plugin as an option where its own terms are met (exactly TensorFlow 2.21, macOS 15+)."""
    macos = known(facts.machine.os_version)
    fits = facts.machine.platform == "macos-arm64" and macos is not None and order(macos) >= order("15")
    if not fits or wish.tensorflow is None or not contains(wish.tensorflow, "2.21.0"):
        return None
    if not matrix.releases("tensorflow-metal-plugin"):
        return None
    return Option(
        text="with the third-party tensorflow-metal-plugin (source only, alpha, for TensorFlow 2.21 on macOS 15+):"
        " not judged here, tfcompat does not build it",
        candidate=None,
    )


def _versions(matrix: Matrix, target: Target) -> list[str]:
    rows = {row.version for name in BODIES[target.platform] for row in matrix.releases(name) if is_final(row.version)}
    return sorted(rows, key=order, reverse=True)


def _installable(matrix: Matrix, target: Target) -> list[str]:
    return [v for name in BODIES[target.platform] for v in query.versions_for(matrix, name, target, bodies=True)]


def _body(matrix: Matrix, version: str, target: Target) -> bool:
    return any(query.carries_tensorflow(matrix, name, version, target) for name in BODIES[target.platform])


def _words(target: Target) -> str:
    names = {
        "macos-arm64": "Apple silicon",
        "macos-x86_64": "Intel Macs",
        "linux-x86_64": "Linux x86_64",
        "linux-aarch64": "Linux arm64",
        "windows-amd64": "Windows",
    }
    floor = f", macOS {target.macos}" if target.macos else f", glibc {target.glibc}" if target.glibc else ""
    return names.get(target.platform, target.platform) + floor
