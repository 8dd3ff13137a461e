"""What a run has already learned, on disk, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from locking.records import Observation, Resolution, Target
from locking.text import write_atomically


class State:
    """One folder; every answer is kept under what was asked, so a changed question is asked anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def resolution(self, target: Target, asked: Sequence[str], make: Callable[[], Resolution]) -> Resolution:
        """The kept resolution of exactly these requirements on that day, or a new one."""
        kept = self._path("resolved", target, asked)
        if kept.is_file():
            return read_resolution(json.loads(kept.read_text(encoding="utf-8")))
        made = make()
        pins = [[name, version, sorted(hashes)] for name, version, hashes in made.pins]
        write_atomically(kept, json.dumps({**asdict(made), "pins": pins}, indent=1))
        return made

    def observation(self, target: Target, asked: Sequence[str], make: Callable[[], Observation]) -> Observation:
        """The kept observation, or a new one."""
        kept = self._path("observed", target, asked)
        if kept.is_file():
            return read_observation(target, json.loads(kept.read_text(encoding="utf-8")))
        made = make()
        write_atomically(kept, json.dumps({**asdict(made), "target": target.name}, indent=1))
        return made

    def verification(self, target: Target, asked: Sequence[str], make: Callable[[], dict[str, str]]) -> dict[str, str]:
        """The kept answers of a lock that was run, or new ones."""
        kept = self._path("verified", target, asked)
        if kept.is_file():
            answers: dict[str, str] = json.loads(kept.read_text(encoding="utf-8"))
            return answers
        made = make()
        write_atomically(kept, json.dumps(made, indent=1))
        return made

    def _path(self, kind: str, target: Target, asked: Sequence[str]) -> Path:
        digest = hashlib.sha256("\n".join(asked).encode()).hexdigest()[:16]
        return self.folder / kind / target.platform / f"{target.name}-{digest}.json"


def read_resolution(document: dict[str, Any]) -> Resolution:
    """A resolution as `State` writes it."""
    pins = tuple((name, version, frozenset(hashes)) for name, version, hashes in document["pins"])
    return Resolution(command=document["command"], uv=document["uv"], pins=pins)


def read_observation(target: Target, document: dict[str, Any]) -> Observation:
    """An observation as `State` writes it."""
    given = {**document, "target": target, "repairs": tuple(document["repairs"])}
    return Observation(**given)
