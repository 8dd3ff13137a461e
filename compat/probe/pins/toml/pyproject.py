"""A pyproject.toml: the standard tables, and those of the tools that spell dependencies their own way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compat.facts.pins import Included, Pin, PinFile, Unread
from compat.probe.pins.source import Source
from compat.probe.pins.toml import hatch, pdm, pep621, pixi, poetry, uv_tool
from compat.probe.pins.toml.document import Document, load
from compat.probe.pins.toml.groups import Found, Part, place


def read(source: Source) -> PinFile:
    """Return the pins of a pyproject.toml."""
    document = load(source, "pyproject")
    if isinstance(document, PinFile):
        return document
    parts = tuple(_parts(document))
    found = tuple(_settled(document, parts))
    return PinFile(
        path=str(source.path),
        kind="pyproject",
        pins=tuple(sorted((row for row in found if isinstance(row, Pin)), key=place)),
        unread=tuple(row for row in found if isinstance(row, Unread)),
        included=tuple(row for row in found if isinstance(row, Included)),
        requires_python=_python(parts),
        pythons=tuple(row for part in parts for row in part.pythons),
        scopes=tuple(dict.fromkeys(row for part in parts for row in part.scopes)),
        platforms=next((part.platforms for part in parts if part.platforms), ()),
        platforms_why=next((part.platforms_why for part in parts if part.platforms), ""),
        channels=tuple(row for part in parts for row in part.channels),
    )


def _parts(document: Document) -> Iterator[Part]:
    tools = document.table("tool")
    yield pep621.read(document)
    if "poetry" in tools:
        yield poetry.read(document)
    if "pdm" in tools:
        yield pdm.read(document)
    if tools.keys() & {"hatch"}:
        yield hatch.read(document)
    if tools.keys() & {"uv", "setuptools", "hatch"}:
        yield uv_tool.read(document)
    if "pixi" in tools:
        yield pixi.part(document, ("tool", "pixi"))


def _python(parts: tuple[Part, ...]) -> str | None:
    """All that is said holds: Poetry's Python narrows the project's."""
    said = tuple(dict.fromkeys(part.requires_python for part in parts if part.requires_python))
    return ",".join(said) or None


def _settled(document: Document, parts: tuple[Part, ...]) -> Iterator[Found]:
    """All that was found, each pin with the source the tool takes it from; what is overridden asks for nothing."""
    origins = uv_tool.origins(document)
    overridden = uv_tool.overridden(document) | pdm.overridden(document)
    for row in (row for part in parts for row in part.found):
        if not isinstance(row, Pin):
            yield row
            continue
        pin = row
        if pin.name in origins and pin.origin == "index":
            pin = replace(pin, origin=origins[pin.name])
        if pin.name in overridden and not pin.constraint:
            pin = replace(pin, admits=("",), writing=None)
        yield pin
