"""The door: one file from the disk into the pins its format's reader finds, whatever the file holds."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from compat.facts.pins import Ignore, PinFile
from compat.probe.pins import formats
from compat.probe.pins.source import Source, decoded

LIMIT_BYTES = 50_000_000
"""Above it nothing people write by hand or a tool locks is left; a reader's memory stays bounded."""

_IGNORE = re.compile(r"(?:#|;|//|<!--)[ \t]*tfcompat:[ \t]*ignore\b(?:[ \t]*\[([^\]\n]*)\])?")
"""In any of the formats' own comment signs."""


def read(path: Path) -> PinFile:
    """Return the pins of a file; a file that cannot be read says so in its ``problem``."""
    source = load(path)
    return source if isinstance(source, PinFile) else parse(source)


def load(path: Path) -> Source | PinFile:
    """Return a file's text, or the file with the problem that stands in the way."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            return _bad(path, "not a regular file")
        if about.st_size > LIMIT_BYTES:
            return _bad(path, "larger than 50 MB")
        text, encoding, mark = decoded(path.read_bytes())
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name, or text that is none
        return _bad(path, _why(error))
    if "\0" in text:
        return _bad(path, "not text")
    return Source(path, text, encoding, mark)


def parse(source: Source) -> PinFile:
    """Return what the source's format says, with the comments that ask for silence."""
    try:
        found = formats.read(source)
    except RecursionError:  # nested without end on purpose: no dependency file is
        return _bad(source.path, "nested too deeply")
    return replace(found, ignores=tuple(ignores(source))) if "tfcompat:" in source.text else found


def ignores(source: Source) -> Iterator[Ignore]:
    """Yield each comment ``tfcompat: ignore[PIN501]`` of a file."""
    for found in _IGNORE.finditer(source.text):
        line, column = source.place(found.start())
        before = source.text[source.start_of(line) : found.start()]
        ids = tuple(part.strip().upper() for part in (found[1] or "").split(",") if part.strip())
        yield Ignore(line=line, column=column, ids=ids, alone=not before.strip(' \t"'))


def _bad(path: Path, problem: str) -> PinFile:
    return PinFile(path=str(path), kind="unknown", problem=problem)


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return "not text" if isinstance(error, UnicodeDecodeError) else str(error)
