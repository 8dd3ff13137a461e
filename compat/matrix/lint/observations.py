"""What must hold of a run, of a vendor's claim, and of the machines they may name."""

from __future__ import annotations

from collections.abc import Iterator

from compat.matrix.lint import rows, words
from compat.matrix.lint.problem import Complaint
from compat.matrix.model import PLATFORMS, TIERS, Chip, MacOS, Observation, PythonBuild
from compat.matrix.versions import parse

_DARWINS = range(1, 1000)


def observation(row: Observation, today: str | None) -> Iterator[Complaint]:
    """Check one run, or one claim."""
    yield from rows.numbered(row.id, ("OBS",) if row.kind == "run" else ("CLM",))
    yield from rows.one_of(row.kind, ("run", "claim"), "kind")
    yield from rows.one_of(row.tier, TIERS, "tier")
    yield from rows.one_of(row.result, words.RESULTS, "result")
    if row.tier in TIERS and row.tier not in words.RESULTS.get(row.result, TIERS):
        yield "tier", "result-tier", f"a result {row.result!r} is not one of tier {row.tier!r}"
    yield from (_run(row) if row.kind == "run" else _claim(row))
    yield from rows.sources(row.sources, today)


def _run(row: Observation) -> Iterator[Complaint]:
    for name in ("tensorflow", "plugin_version", "python", "macos"):
        text = getattr(row, name)
        if text is not None and parse(text) is None:
            yield name, "version", f"{text!r} is not a version: a run has exactly one"
    if (row.plugin is None) != (row.plugin_version is None):
        yield "plugin_version", "run-shape", "a plugin without its version, or a version without its plugin"
    if not row.what.strip():
        yield "what", "empty-field", "empty: say what was run"
    if row.contradicted_by:
        yield "contradicted_by", "run-shape", "a run is not contradicted: both runs are rows"


def _claim(row: Observation) -> Iterator[Complaint]:
    for name in ("tensorflow", "python", "macos"):
        yield from rows.version_set(getattr(row, name), name)


def macos(row: MacOS) -> Iterator[Complaint]:
    """Check one macOS; its name may not be known yet."""
    yield from rows.version(row.version, "version")
    if row.darwin not in _DARWINS:
        yield "darwin", "number", "no major version of Darwin"


def chip(row: Chip) -> Iterator[Complaint]:
    """Check one chip family."""
    yield from rows.filled(row, ("name",))
    if f"macos-{row.architecture}" not in PLATFORMS:
        yield "architecture", "unknown-word", f"no Mac is {row.architecture!r}"


def python_build(row: PythonBuild, today: str | None) -> Iterator[Complaint]:
    """Check where a Python comes from."""
    for name in ("version", "first", "last"):
        text = getattr(row, name)
        if text is not None:
            yield from rows.version(text, name)
    yield from rows.one_of(row.origin, words.PYTHON_ORIGINS, "origin")
    yield from rows.one_of(row.binary, words.PYTHON_BINARIES, "binary")
    yield from rows.sources(row.sources, today)
