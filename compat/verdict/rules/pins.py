"""Pins of a file against the matrix, for a Mac: wheels, links, and what an open bound would take today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compat.facts.pins import Pin, PinFile
from compat.matrix import query
from compat.matrix.load import Matrix
from compat.matrix.model import Target
from compat.matrix.versions import contains, is_final, order, ranges
from compat.verdict.finding import Severity

TITLES = {
    "PIN500": "the file can be read",
    "PIN501": "TensorFlow and tensorflow-metal can load together",
    "PIN502": "the newest versions a range admits can load together",
    "PIN503": "there is a wheel for some Python",
    "PIN504": "tensorflow-metal comes with a TensorFlow pin",
}

TARGET = "macos-arm64"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinFinding:
    """One judgement with its place."""

    id: str
    severity: Severity
    line: int
    column: int
    message: str
    targets: tuple[str, ...] = (TARGET,)


def judge_file(file: PinFile, matrix: Matrix) -> tuple[PinFinding, ...]:
    """Return what is wrong with the pins of one file, root cause first."""
    if file.problem is not None:
        text = f"cannot be read: {file.problem}"
        return (PinFinding(id="PIN500", severity=Severity.ERROR, line=1, column=1, message=text, targets=()),)
    pins = [pin for pin in file.pins if applies_on_a_mac(pin)]
    tensorflow = next((pin for pin in pins if pin.name in ("tensorflow", "tensorflow-macos")), None)
    plugin = next((pin for pin in pins if pin.name == query.APPLE_PLUGIN), None)
    pythons = [python for python in query.PYTHONS if _admits_python(file.requires_python, python)]
    found = [*_wheels(tensorflow, pythons, matrix), *_wheels(plugin, pythons, matrix)]
    return tuple(found or _pair(tensorflow, plugin, pythons, matrix))


def applies_on_a_mac(pin: Pin) -> bool:
    """Tell whether a pin's marker holds on Apple silicon for any Python (no marker: yes; unreadable: yes)."""
    if not pin.marker:
        return True
    from packaging.markers import Marker

    marker = Marker(pin.marker)
    return any(marker.evaluate(_environment(python)) for python in query.PYTHONS)


def _environment(python: str) -> dict[str, str]:
    """A Mac's marker environment (PEP 508)."""
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "platform_machine": "arm64",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_release": "23.0.0",
        "platform_version": "",
        "implementation_version": f"{python}.0",
        "extra": "",
    }


def _admits_python(requires_python: str | None, python: str) -> bool:
    """Whether any patch release of a Python minor is admitted; the bounds people write lie between 0 and 30."""
    return requires_python is None or any(contains(requires_python, f"{python}.{patch}") for patch in range(31))


def _wheels(pin: Pin | None, pythons: list[str], matrix: Matrix) -> Iterator[PinFinding]:
    if pin is None or not pin.specifier:
        return
    versions = [row.version for row in matrix.releases(pin.name) if contains(pin.specifier, row.version)]
    targets = [Target(platform=TARGET, python=python) for python in pythons]
    if not versions or any(query.has_wheel(matrix, pin.name, version, t) for version in versions for t in targets):
        return
    have = {python for version in versions for python in query.pythons_for(matrix, pin.name, version, _any(pythons))}
    where = f"; its wheels are for Python {ranges(have)}" if have else ""
    yield _finding("PIN503", pin, f"{pin.name}{pin.specifier} has no wheel for Apple silicon{where}")


def _any(pythons: list[str]) -> Target:
    return Target(platform=TARGET, python=pythons[0] if pythons else "3.11")


def _pair(tensorflow: Pin | None, plugin: Pin | None, pythons: list[str], matrix: Matrix) -> Iterator[PinFinding]:
    if plugin is None:
        return
    if tensorflow is None:
        text = "tensorflow-metal declares no TensorFlow: pin the one it loads on beside it"
        yield _finding("PIN504", plugin, text, Severity.WARNING)
        return
    tensorflows = _admitted(tensorflow, pythons, matrix)
    plugins = _admitted(plugin, pythons, matrix)
    if not tensorflows or not plugins:
        return
    newest = (tensorflows[0], plugins[0])
    if query.link(matrix, newest[0], query.APPLE_PLUGIN, newest[1], "arm64") is None or _loads(newest, matrix):
        return
    working = [(t, p) for t in tensorflows for p in plugins if _loads((t, p), matrix)]
    if working:
        yield _finding("PIN502", plugin, _bound(newest, working[0]), Severity.WARNING)
    else:
        yield _finding("PIN501", plugin, _cannot(newest, matrix))


def _admitted(pin: Pin, pythons: list[str], matrix: Matrix) -> list[str]:
    """Final versions a pin admits that install on a Mac for an admitted Python, newest first."""
    found = {
        version
        for python in pythons
        for version in query.versions_for(matrix, pin.name, Target(platform=TARGET, python=python))
        if not pin.specifier or contains(pin.specifier, version)
    }
    return sorted(filter(is_final, found), key=order, reverse=True)


def _loads(pair: tuple[str, str], matrix: Matrix) -> bool:
    row = query.link(matrix, pair[0], query.APPLE_PLUGIN, pair[1], "arm64")
    return row is not None and row.loads is True


def _bound(newest: tuple[str, str], working: tuple[str, str]) -> str:
    return (
        f"today these pins take TensorFlow {newest[0]} and tensorflow-metal {newest[1]}, which cannot load together;"
        f" {working[0]} and {working[1]} can: add tensorflow<={working[0]}"
    )


def _cannot(pair: tuple[str, str], matrix: Matrix) -> str:
    row = query.link(matrix, pair[0], query.APPLE_PLUGIN, pair[1], "arm64")
    missing = f": {row.missing[0]} is missing" if row is not None and row.missing else ""
    fitting = query.loadable_plugins(matrix, pair[0], "arm64")
    remedy = f"; tensorflow-metal {fitting[0]} can" if fitting else "; no tensorflow-metal release can"
    return f"tensorflow-metal {pair[1]} cannot load on TensorFlow {pair[0]}{missing}{remedy}"


def _finding(rule: str, pin: Pin, message: str, severity: Severity = Severity.ERROR) -> PinFinding:
    return PinFinding(id=rule, severity=severity, line=pin.line, column=pin.column, message=message)
