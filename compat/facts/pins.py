"""Requirements with a place: what a dependency file pins, where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One requirement in a file."""

    name: str
    """Normalized (PEP 503)."""
    specifier: str
    """PEP 440 set, empty where any version is admitted."""
    marker: str
    line: int
    """From 1."""
    column: int
    """From 1."""
    extras: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PinFile:
    """A dependency file as far as it was understood."""

    path: str
    kind: str
    """``requirements``, ``pyproject``, or ``unknown`` (seen, not judged)."""
    pins: tuple[Pin, ...] = ()
    requires_python: str | None = None
    problem: str | None = None
    """Why it could not be read."""
