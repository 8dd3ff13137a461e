"""The place a question about the matrix is asked for: this machine, or the one the options name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from compat.errors import UsageError
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.model import PLATFORMS
from compat.matrix.query import PYTHONS
from compat.matrix.versions import order
from compat.plan.evidence.standing import Place

PYTHON = re.compile(r"(3\.[0-9]{1,2})(?:\.[0-9]{1,3})?")
MACOS = re.compile(r"[0-9]{2}(?:\.[0-9]{1,2}){0,2}")
ASSUMED = "macos-arm64"
"""Meant by a question about a plugin that is asked on no Mac: the machines tfcompat is about."""
OLDEST_MAJOR = 10
"""Intel wheels of TensorFlow are tagged for macOS 10.x; the table of versions begins with 11."""


def place_of(
    matrix: Matrix,
    *,
    platform: str | None = None,
    arch: str | None = None,
    python: str | None = None,
    macos: str | None = None,
    chip: str | None = None,
    plugin: bool = False,
) -> Place:
    """Return the place the options name, completed from this machine where they name its own kind.

    ``plugin``: the question is about a plugin for macOS, so on another system an Apple silicon Mac is meant.
    Raises UsageError for options that cannot be, each with the near ones.
    """
    named = _platform(platform, arch)
    if named is None and (macos is not None or (chip or "").startswith("Apple ")):
        named = ASSUMED
    here = _here()
    if named is None:
        named = here.platform if here and (here.is_mac or not plugin) else ASSUMED
    own = here if here and here.platform == named else None
    place = Place(
        platform=named,
        python=_python(python),
        macos=_macos(macos, matrix) or (own.macos if own else None),
        chip=_chip(chip, matrix) or (own.chip if own else None),
        glibc=own.glibc if own else None,
    )
    _together(place, given_chip=chip, given_macos=macos)
    return place


def _here() -> Place | None:
    """Return this machine as a place; None where no wheel exists for its kind."""
    from compat.probe import machine as machine_probe

    machine = machine_probe.look()
    if machine.platform not in PLATFORMS:
        return None
    is_mac = machine.platform.startswith("macos")
    return Place(
        platform=machine.platform,
        macos=known(machine.os_version) if is_mac else None,
        chip=known(machine.chip) if is_mac else None,
        glibc=known(machine.glibc),
    )


def _platform(platform: str | None, arch: str | None) -> str | None:
    if platform is not None and platform not in PLATFORMS:
        raise UsageError(f"unknown platform {platform}", hint=near(platform, PLATFORMS))
    if arch is None:
        return platform
    macs = {name.partition("-")[2]: name for name in PLATFORMS if name.startswith("macos-")}
    if arch not in macs:
        raise UsageError(f"no Mac has the architecture {arch}", hint=f"one of {', '.join(macs)}")
    if platform is not None and platform != macs[arch]:
        raise UsageError(f"--arch {arch} and --platform {platform} contradict each other", hint="give one of them")
    return macs[arch]


def _python(text: str | None) -> str | None:
    if text is None:
        return None
    version = PYTHON.fullmatch(text)
    if version is None:
        raise UsageError(f"--python {text} is not a version of Python 3", hint=f"one of {', '.join(PYTHONS)}")
    newest = order(PYTHONS[-1])
    if order(version[1]).minor > newest.minor + 1:
        raise UsageError(f"--python {text} is newer than any the matrix knows", hint=f"one of {', '.join(PYTHONS)}")
    return version[1]


def _macos(text: str | None, matrix: Matrix) -> str | None:
    if text is None:
        return None
    majors = [row.version for row in matrix.macos()]
    if MACOS.fullmatch(text) is None:
        raise UsageError(f"--macos {text} is not a version of macOS", hint=f"one of {', '.join(majors)}, or like 14.5")
    major = text.partition(".")[0]
    if majors and major not in majors and int(major) != OLDEST_MAJOR:
        raise UsageError(f"there is no macOS {major}", hint=f"one of {', '.join(majors)}")
    return text


def _chip(text: str | None, matrix: Matrix) -> str | None:
    """Return the brand string as the matrix spells it, whatever its capitals."""
    if text is None:
        return None
    names = {row.name.lower(): row.name for row in matrix.chips()}
    if not names:
        return text
    found = names.get(text.lower())
    if found is None and not text.startswith("Intel"):
        raise UsageError(f"no Mac has a chip called {text!r}", hint=near(text, names.values()))
    return found or text


def _together(place: Place, *, given_chip: str | None, given_macos: str | None) -> None:
    """Raise UsageError where the parts describe no machine."""
    if given_macos is not None and not place.is_mac:
        raise UsageError(f"--macos {given_macos} does not go with {place.platform}", hint="leave one of them out")
    if given_chip is not None and not place.is_mac:
        raise UsageError(f"--chip names a Mac's chip, not one of {place.platform}", hint="leave one of them out")
    if given_chip is not None and given_chip.startswith("Intel") and place.architecture == "arm64":
        raise UsageError(f"{given_chip} is no chip of an arm64 Mac", hint="add --platform macos-x86_64")


def near(word: str, known_names: Iterable[str]) -> str:
    """Return the names nearest to a word, or all of a short list."""
    names = sorted(known_names)
    lower = {name.lower(): name for name in names}
    close = [lower[found] for found in get_close_matches(word.lower(), lower, n=4, cutoff=0.4)]
    return f"one of {', '.join(close or names[:25])}"
