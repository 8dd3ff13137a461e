"""Several files that belong together: what a rule about a project is asked about."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from compat.facts.pins import PinFile, PinSettings
from compat.verdict.pins.resolution import Resolver


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The files of one run, by the settings that hold for them."""

    files: tuple[PinFile, ...]
    resolver: Resolver
    settings: PinSettings

    def folders(self) -> tuple[tuple[PinFile, ...], ...]:
        """Return the files of each folder."""
        found: dict[str, list[PinFile]] = {}
        for file in self.files:
            found.setdefault(posixpath.dirname(file.path), []).append(file)
        return tuple(tuple(files) for files in found.values())
