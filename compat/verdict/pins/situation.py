"""A file taken apart into situations: pins that are installed together, on one platform, for the Pythons admitted."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from compat.facts.pins import Pin, PinFile, PinSettings, StatedPython
from compat.matrix import query, requires
from compat.matrix.model import Target
from compat.matrix.versions import contains, minor
from compat.verdict.pins.offers import FOREIGN, PLUGINS

FIRST = "macos-arm64"
"""What a file is judged for where it does not say otherwise."""

PLACES = {
    "macos-arm64": "Apple silicon",
    "macos-x86_64": "Intel Macs",
    "linux-x86_64": "Linux x86_64",
    "linux-aarch64": "Linux aarch64",
    "windows-amd64": "Windows",
}
"""Platforms as people call them."""

DEFAULT_TARGETS = ("macos-arm64", "macos-x86_64", "linux-x86_64")
"""The others only where the file's own markers name them."""

SUBJECTS = frozenset((*query.TENSORFLOWS, *PLUGINS, *FOREIGN))
"""Distributions whose presence makes a file worth judging."""

_NOT_FOR_MACS = re.compile(r"(?:^|[-_. ])(?:linux|cuda|cu\d+|gpu|nvidia|rocm)(?:[-_. ]|$)", re.IGNORECASE)
"""How people name files and groups that are for machines with NVIDIA's or AMD's cards, or for Linux."""
_FOR_WINDOWS = re.compile(r"(?:^|[-_. ])(?:windows|win|win32|win64)(?:[-_. ]|$)", re.IGNORECASE)

_ABOUT_PLATFORM = re.compile(r"\b(sys_platform|platform_machine|platform_system|platform_version|os_name)\b")
_NEWEST_PATCH = 30
"""No Python minor has had more patch releases than 3.6's and 3.7's 15–17, 3.8's 20; bounds people write stay below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A pin and the file it stands in."""

    path: str
    pin: Pin


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is installed together on one platform."""

    file: PinFile
    platform: str
    group: str
    """The group beside what is always installed, empty for that alone."""
    pins: tuple[Placed, ...]
    """Of all Pythons and platforms; ``on`` picks those whose markers hold."""
    pythons: tuple[str, ...]
    """Minors that the file admits and the matrix knows, oldest first."""
    stated: tuple[StatedPython, ...]
    """The Pythons the file names as those that run."""
    bounded: bool
    """Whether the file says anything of Python at all."""

    def target(self, python: str) -> Target:
        """Return what wheels must fit."""
        return Target(platform=self.platform, python=python)

    def on(self, python: str) -> tuple[Placed, ...]:
        """Return the pins whose markers hold there; a marker that does not parse holds."""
        return tuple(row for row in self.pins if _holds(row.pin, self.platform, python))

    def anywhere(self) -> tuple[Placed, ...]:
        """Return the pins that hold on the platform for some admitted Python."""
        pythons = self.pythons or query.PYTHONS[-1:]
        return tuple(row for row in self.pins if any(_holds(row.pin, self.platform, python) for python in pythons))


def _holds(pin: Pin, platform: str, python: str) -> bool:
    return not pin.marker or requires.holds(pin.marker, platform, python) is not False


def situations(file: PinFile, settings: PinSettings) -> Iterator[Situation]:
    """Yield every situation of a file in which TensorFlow or a plugin is asked for."""
    pins = tuple(_all_pins(file, constraint=False))
    if not any(row.pin.name in SUBJECTS for row in pins):
        return
    for groups in scopes(file, pins):
        together = tuple(row for row in pins if row.pin.group in groups)
        if any(row.pin.name in SUBJECTS and not row.pin.constraint for row in together):
            for platform in platforms(file, groups, together, settings):
                yield _situation(file, platform, groups, together)


def _situation(file: PinFile, platform: str, groups: tuple[str, ...], pins: tuple[Placed, ...]) -> Situation:
    stated = tuple(row for row in file.pythons if not row.group or row.group in groups)
    return Situation(
        file=file,
        platform=platform,
        group=", ".join(group for group in groups if group),
        pins=pins,
        pythons=tuple(_pythons(file.requires_python, stated)),
        stated=stated,
        bounded=bool(stated or file.requires_python),
    )


def _all_pins(file: PinFile, *, constraint: bool) -> Iterator[Placed]:
    for pin in file.pins:
        yield Placed(path=file.path, pin=replace(pin, constraint=True) if constraint else pin)
    for row in file.included:
        yield from _all_pins(row.file, constraint=constraint or row.constraint)


def scopes(file: PinFile, pins: tuple[Placed, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the sets of groups that are installed together; each alone where the file does not say."""
    groups = tuple(dict.fromkeys(row.pin.group for row in pins if row.pin.group))
    said = tuple(("", *row) for row in file.scopes)
    alone = tuple(("", group) for group in groups if not any(group in row for row in said))
    always = (("",),) if any(not row.pin.group and row.pin.name in SUBJECTS for row in pins) else ()
    return (*always, *alone, *said)


def _pythons(requires_python: str | None, stated: tuple[StatedPython, ...]) -> Iterator[str]:
    named = {minor(row.version) for row in stated}
    for python in query.PYTHONS:
        if named and python not in named:
            continue
        if requires_python is None or admits_python(requires_python, python):
            yield python


@functools.lru_cache(maxsize=2048)
def admits_python(requires_python: str, python: str) -> bool:
    """Tell whether any patch release of a Python minor is admitted."""
    return any(contains(requires_python, f"{python}.{patch}") for patch in range(_NEWEST_PATCH + 1))


def platforms(
    file: PinFile, groups: tuple[str, ...], pins: tuple[Placed, ...], settings: PinSettings
) -> tuple[str, ...]:
    """Return the platforms that what is installed together is judged for.

    Those asked for, those the file is for (by its name or its groups' names too: ``requirements-cuda.txt``, the extra
    ``gpu``), else Apple silicon and those its markers single out.
    """
    if file.platforms:
        allowed = settings.targets or (*DEFAULT_TARGETS, "linux-aarch64")
        return tuple(row for row in file.platforms if row in allowed)
    if settings.targets:
        return settings.targets
    for word in (PurePosixPath(file.path).name, *groups):
        if _FOR_WINDOWS.search(word):
            return ()
        if _NOT_FOR_MACS.search(word):
            return ("linux-x86_64",)
    return tuple(row for row in DEFAULT_TARGETS if row == FIRST or _is_named(row, pins))


def _is_named(platform: str, pins: tuple[Placed, ...]) -> bool:
    """Whether a marker about platforms lets a pin of TensorFlow in there and keeps it out on Apple silicon.

    For Intel Macs it must keep it off Linux too: what only leaves Apple silicon out means no one machine.
    """
    others = (FIRST, "linux-x86_64") if platform == "macos-x86_64" else (FIRST,)
    return any(
        row.pin.name in SUBJECTS
        and _ABOUT_PLATFORM.search(row.pin.marker) is not None
        and _anywhere(row.pin, platform)
        and not any(_anywhere(row.pin, other) for other in others)
        for row in pins
    )


def _anywhere(pin: Pin, platform: str) -> bool:
    return any(_holds(pin, platform, python) for python in query.PYTHONS)
