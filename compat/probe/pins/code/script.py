"""A script's header (PEP 723): TOML in comments between ``# /// script`` and ``# ///``.

The file with everything but the header blanked out is TOML at the same offsets, so places need no translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from compat.facts.pins import Pin, PinFile, Unread
from compat.probe.pins.source import Source
from compat.probe.pins.toml.document import Document, load, requirements

_BEGIN = re.compile(r"(?m)^# /// script[ \t]*\r?$")
_LINE = re.compile(r"#(?: [^\n]*|\r?)(?:\n|\Z)")
_END = re.compile(r"# ///[ \t]*\r?(?:\n|\Z)")
_VISIBLE = re.compile(r"[^\r\n]")
_LISTS = (
    (("dependencies",), False),
    (("tool", "uv", "constraint-dependencies"), True),
    (("tool", "uv", "override-dependencies"), True),
)
"""Where requirements stand, and whether they only limit what is installed."""


def read(source: Source) -> PinFile:
    """Return what a script's header requires."""
    header = _header(source.text)
    if header is None:
        return PinFile(path=str(source.path), kind="script")
    document = load(Source(source.path, _blanked(source.text, *header)), "script")
    if isinstance(document, PinFile):
        return document
    found = tuple(_found(document, source))
    required = document.text("requires-python")
    return PinFile(
        path=str(source.path),
        kind="script",
        pins=tuple(one for one in found if isinstance(one, Pin)),
        unread=tuple(one for one in found if isinstance(one, Unread)),
        requires_python=required if _is_set(required) else None,
    )


def _header(text: str) -> tuple[int, int] | None:
    """Where the header's own lines stand; of the lines that could end it, the last one does (PEP 723)."""
    begin = _BEGIN.search(text)
    if begin is None:
        return None
    start = at = text.find("\n", begin.end() - 1) + 1
    end = None
    while start and (line := _LINE.match(text, at)) is not None and line.end() > at:
        end = at if _END.fullmatch(line[0]) else end
        at = line.end()
    return (start, end) if end is not None else None


def _blanked(text: str, start: int, end: int) -> str:
    """The text with the header alone, without its comment signs, every character in its place."""
    inside = re.sub(r"(?m)^# ?", lambda found: " " * len(found[0]), text[start:end])
    return _VISIBLE.sub(" ", text[:start]) + inside


def _found(document: Document, source: Source) -> Iterator[Pin | Unread]:
    for path, constraint in _LISTS:
        for one in requirements(document, *path, constraint=constraint):
            yield _commented(one, source) if isinstance(one, Pin) else one


def _commented(pin: Pin, source: Source) -> Pin:
    """What is written on a new line of the header begins with the comment sign again."""
    if pin.writing is None:
        return pin
    joint, opening, closing = (
        part.replace(f"{source.newline}  ", f"{source.newline}# ")
        for part in (pin.writing.joint, pin.writing.opening, pin.writing.closing)
    )
    return replace(pin, writing=replace(pin.writing, joint=joint, opening=opening, closing=closing))


def _is_set(text: str) -> bool:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return False
    return bool(text)
