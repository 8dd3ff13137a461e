"""What readers of commands find, one by one, and how it becomes a file's record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from compat.facts.pins import Image, Included, Pin, PinFile, StatedPython, Unread
from compat.probe.pins.source import Source

Found = Pin | Unread | Included | StatedPython | Image


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the surroundings say of all that a command installs."""

    marker: str = ""
    group: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    """What placeholders stand for, by their name: ``TF_VERSION``, ``matrix.tensorflow``."""
    editable: bool = True
    quiet: bool = False
    """What cannot be understood is not worth a word: the text is prose."""


Scopes = tuple[tuple[str, ...], ...]


def collected(source: Source, kind: str, found: Iterable[Found], scopes: Scopes = ()) -> PinFile:
    """Return the file's record; what was found twice at one place (a matrix's values) is told once."""
    rows: dict[type, list[Found]] = {}
    for row in dict.fromkeys(found):
        rows.setdefault(type(row), []).append(row)
    return PinFile(
        path=str(source.path),
        kind=kind,
        pins=tuple(row for row in rows.get(Pin, ()) if isinstance(row, Pin)),
        unread=tuple(row for row in rows.get(Unread, ()) if isinstance(row, Unread)),
        included=tuple(row for row in rows.get(Included, ()) if isinstance(row, Included)),
        pythons=tuple(row for row in rows.get(StatedPython, ()) if isinstance(row, StatedPython)),
        images=tuple(row for row in rows.get(Image, ()) if isinstance(row, Image)),
        scopes=scopes if any(len(scope) > 1 for scope in scopes) else (),
    )
