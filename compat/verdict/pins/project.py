"""Several files that belong together: what a rule about a project is asked about."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from compat.facts.pins import PinFile, PinSettings
from compat.verdict.pins.resolution import Resolver


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The files of one run, by the settings that hold for them."""

    files: tuple[PinFile, ...]
    resolver: Resolver
    settings: PinSettings

    def beside(self, file: PinFile) -> Iterator[PinFile]:
        """Yield the other files of the same folder."""
        folder = posixpath.dirname(file.path)
        for other in self.files:
            if other is not file and posixpath.dirname(other.path) == folder:
                yield other
