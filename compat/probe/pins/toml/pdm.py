"""What ``[tool.pdm]`` adds to the standard tables.

Source: https://pdm-project.org/latest/reference/pep621/ and …/usage/dependency/ (development groups, overrides).
"""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.pins import Pin
from compat.probe.pins.toml.constraints import admitted, compact
from compat.probe.pins.toml.document import Document, keyed, requirements, unread
from compat.probe.pins.toml.groups import Found, Part
from compat.probe.pins.toml.pep621 import group
from compat.probe.pins.toml.places import Path


def read(document: Document) -> Part:
    """Return what PDM's own table asks for."""
    found = [*_groups(document), *_overrides(document)]
    return Part(found=tuple(found))


def overridden(document: Document) -> frozenset[str]:
    """Return the names whose versions an override decides alone."""
    return frozenset(row.name for row in _overrides(document) if isinstance(row, Pin))


def _groups(document: Document) -> Iterator[Found]:
    for name in document.table("tool", "pdm", "dev-dependencies"):
        yield from requirements(document, "tool", "pdm", "dev-dependencies", name, group=group(name))


def _overrides(document: Document) -> Iterator[Found]:
    """A bare version is exact, as in Poetry; an address is not judged."""
    table: Path = ("tool", "pdm", "resolution", "overrides")
    for name, value in document.table(*table).items():
        path = (*table, name)
        if not isinstance(value, str) or "/" in value:
            yield unread(document, path, name, "not a version")
            continue
        pin = Pin(
            name=name,
            specifier=compact(value),
            admits=admitted(value),
            marker="",
            line=1,
            column=1,
            constraint=True,
        )
        yield keyed(document, path, path, "poetry", pin)
