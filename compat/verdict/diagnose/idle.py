"""Causes from a line that says that TensorFlow finds no GPU: what the system, the release and the Python make of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compat.facts.pasted import NO_WHEEL, Lacking, Line, Pasted
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS
from compat.matrix.versions import contains, minor, ranges
from compat.verdict.diagnose.cause import LOW, MEDIUM, Cause
from compat.verdict.diagnose.fingerprint import serving
from compat.verdict.diagnose.picture import Picture, every, releases_of
from compat.verdict.diagnose.signed import NVIDIA_RULE
from compat.verdict.finding import Evidence, Remedy

_NO_WINDOWS_GPU = ">=2.11"
"""TensorFlow for native Windows is built without CUDA from 2.11 on (tensorflow.org/install/pip)."""
_GPU_PACKAGE = "tensorflow-gpu"


def from_no_gpu(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield what explains that no GPU is found; nothing where the plugin is seen at work."""
    if pasted.works is None:
        for cause in _found(pasted, picture, matrix):
            yield replace(cause, confidence=LOW) if pasted.errors else cause  # the text ends otherwise


def _found(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    line = pasted.no_gpu
    if picture.os == ("macos",):
        yield from _on_a_mac(line, pasted, picture, matrix)
    elif line and picture.os == ("windows",):
        yield from _on_windows(line, picture, matrix)
    elif line and picture.os == ("linux",) and picture.hardware != ("arm64",):
        in_container = any(row.name == "container" for row in pasted.stated)
        for cause in _on_linux(line, picture, matrix):
            yield replace(cause, confidence=LOW, missing=("chip",)) if in_container else cause  # a Mac's has no GPU


def _on_windows(line: Line, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    rows = [row for name in ("tensorflow", _GPU_PACKAGE) for row in picture.versions(name)]
    versions = [version for row in rows for version in releases_of(row, matrix)]
    too_new = every(versions, lambda version: contains(_NO_WINDOWS_GPU, version))
    if too_new:
        yield _named("MAC101", line, matrix, "native Windows has no GPU in this release", MEDIUM)
    elif too_new is None and picture.speaks_of_tensorflow:
        yield _named("MAC101", line, matrix, "native Windows has no GPU from 2.11 on", LOW, ("tensorflow",))


def _on_linux(line: Line, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    stated = any(row.value for name in TENSORFLOWS for row in picture.versions(name))
    if stated or picture.speaks_of_tensorflow:
        title = "TensorFlow finds no CUDA libraries or driver that match it"
        yield _named(NVIDIA_RULE, line, matrix, title, MEDIUM if stated else LOW, () if stated else ("tensorflow",))


def _on_a_mac(line: Line | None, pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """On a Mac the GPU is the plugin's: a Python without a wheel of it, else most often no plugin at all."""
    shown = line or _unnamed(pasted, picture)
    pythons = tuple(dict.fromkeys(minor(value) for value in picture.python))
    stated = any(row.value for row in picture.packages.get(APPLE_PLUGIN, ()))
    arm = "x86_64" not in (*picture.process, *picture.hardware)
    served = serving(APPLE_PLUGIN, "", "macos-arm64", matrix)
    if shown and pythons and not stated and arm and not set(pythons) & set(served):
        title = f"no wheel of {APPLE_PLUGIN} for Python {ranges(pythons)}, so TensorFlow has no GPU"
        yield _named("PY205", shown, matrix, title, MEDIUM if line else LOW, (APPLE_PLUGIN,), ranges(served))
    elif line and not stated and APPLE_PLUGIN not in picture.packages:
        yield _named("TF306", line, matrix, "no plugin may be installed", LOW, ("packages", "process"))


def _unnamed(pasted: Pasted, picture: Picture) -> Line | None:
    """Return a line that says there is no wheel, and of nothing else that the text names."""
    found: list[Lacking] = [item for item in pasted.lacking if not item.name and item.kind == NO_WHEEL]
    return found[0].line if found and not any(picture.packages.get(name) for name in TENSORFLOWS) else None


def _named(
    rule: str, line: Line, matrix: Matrix, title: str, confidence: str, missing: tuple[str, ...] = (), served: str = ""
) -> Cause:
    issue = _issue(rule, matrix)
    fact = f"{APPLE_PLUGIN} has wheels for Python {served}" if served else "the text says that no GPU is found"
    return Cause(
        id=issue.id if issue else rule,
        issue=issue.id if issue else None,
        rule=rule,
        title=issue.title if issue and not served else title,
        confidence=confidence,
        line=line,
        remedy=Remedy(text=issue.remedy, commands=issue.commands) if issue else Remedy(text="see the rule"),
        verify=issue.verify if issue else "",
        severity=issue.severity if issue else "warning",
        evidence=(Evidence(fact=fact, source=f"matrix: releases/{APPLE_PLUGIN}" if served else ""),),
        missing=missing,
        is_proved=bool(served),
    )


def _issue(rule: str, matrix: Matrix) -> Issue | None:
    return next((row for row in matrix.issues() if row.rule == rule and row.withdrawn is None), None)
