"""Formats that are recognized so that nothing else reads them, and judged by nobody: conda's recipes."""

from __future__ import annotations

from compat.facts.pins import PinFile, Unread
from compat.probe.pins.source import Source


def read(source: Source) -> PinFile:
    """Return the file as seen: a recipe is a template (Jinja), and what it requires depends on how it is rendered."""
    seen = Unread(line=1, column=1, text=source.path.name, why="a conda recipe: a template, not judged")
    return PinFile(path=str(source.path), kind="conda-recipe", unread=(seen,))
