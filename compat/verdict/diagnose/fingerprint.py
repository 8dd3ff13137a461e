"""pip's ``(from versions: …)`` list as a fingerprint: which Pythons and platforms are offered exactly those releases.

pip lists every release with a wheel for the interpreter that asked, so the list tells Python and architecture. What
was published after the log was written is missing from it: a target fits where its releases up to some day are those
listed.
Computed from the wheels in ``releases/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from compat.facts.pasted import Offered
from compat.matrix.load import Matrix
from compat.matrix.model import PLATFORMS, Release, Target
from compat.matrix.tags import has_wheel
from compat.matrix.versions import contains, is_final, order
from compat.verdict.diagnose.picture import Picture

OLDEST_TARGET = "11.0"
"""The macOS below which TensorFlow's arm64 wheels tagged macosx_12_0 are not offered."""
_CPYTHON = re.compile(r"cp(\d)(\d{1,2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a list says of the interpreter that was shown it."""

    offered: Offered
    targets: tuple[Target, ...]
    """Those that are offered exactly this and that the stated facts allow; empty: none known."""
    listed: tuple[Target, ...]
    """Those that the list alone allows."""
    has_wheel: bool | None
    """Whether any release that was asked for has a wheel for all (True) or none (False) of the targets."""

    first_day: str = ""
    """The day from which on the targets are served, where that is later than the distribution's first."""

    @property
    def pythons(self) -> tuple[str, ...]:
        """Return the Pythons it may be, oldest first."""
        return tuple(sorted({target.python for target in self.targets}, key=order))

    @property
    def platforms(self) -> tuple[str, ...]:
        """Return the platforms it may be."""
        return tuple(dict.fromkeys(target.platform for target in self.targets))


def read(offered: Offered, picture: Picture, matrix: Matrix) -> Reading | None:
    """Return what a list says, None for a distribution the matrix does not follow."""
    rows = [row for row in matrix.releases(offered.name) if row.yanked is None or row.version in offered.versions]
    if not rows:
        return None
    pythons = _pythons(rows)
    listed = tuple(
        target for target in _candidates(pythons) if not offered.is_list or _is_offered(offered, rows, target)
    )
    targets = tuple(target for target in listed if _allowed(target, picture))
    answers = {_serves(rows, offered.specifier, target) for target in targets}
    return Reading(
        offered=offered,
        targets=targets,
        listed=listed,
        has_wheel=answers.pop() if len(answers) == 1 else None,
        first_day=_first_day(rows, targets),
    )


def _first_day(rows: Sequence[Release], targets: Sequence[Target]) -> str:
    served = [row.uploaded for row in rows if any(has_wheel(row, target) for target in targets)]
    first = min(served, default="")
    return first if first > min(row.uploaded for row in rows) else ""


def told(reading: Reading, picture: Picture) -> Picture:
    """Return the picture with what the list adds: Python and platform, where it leaves one of each."""
    changes: dict[str, tuple[str, ...]] = {}
    if not reading.offered.versions or not reading.targets:
        return picture
    if not picture.python and len(reading.pythons) == 1:
        changes["python"] = reading.pythons
    platforms = [platform.partition("-") for platform in reading.platforms]
    systems = tuple(dict.fromkeys(os for os, _, _ in platforms))
    architectures = tuple(dict.fromkeys(arch for _, _, arch in platforms))
    if not picture.os and len(systems) == 1:
        changes["os"] = systems
    if len(architectures) == 1 and (not picture.process or picture.process_assumed):
        changes["process"] = architectures
    return replace(picture, process_assumed=picture.process_assumed and "process" not in changes, **changes)  # type: ignore[arg-type]


def _pythons(rows: Iterable[Release]) -> tuple[str, ...]:
    """Return the Pythons that any wheel names, and the next one, for which there is none yet."""
    found = {
        (int(major), int(rest)) for row in rows for wheel in row.wheels for major, rest in _CPYTHON.findall(wheel.tag)
    }
    found |= {(3, minor) for minor in range(8, 15)}
    newest = max(found)
    ordered = sorted({*found, (newest[0], newest[1] + 1)})
    return tuple(f"{major}.{rest}" for major, rest in ordered if major >= 3)  # noqa: PLR2004 - Python 3


def _candidates(pythons: Sequence[str]) -> Iterator[Target]:
    for platform in PLATFORMS:
        for python in pythons:
            yield Target(platform=platform, python=python)
            if platform == "macos-arm64":
                yield Target(platform=platform, python=python, macos=OLDEST_TARGET)


def _is_offered(offered: Offered, rows: Sequence[Release], target: Target) -> bool:
    """Tell whether a target was offered exactly those versions on some day."""
    shown = {version for version in offered.versions if is_final(version)}
    there = [row for row in rows if is_final(row.version) and has_wheel(row, target) and _admits(row, target)]
    if not offered.versions:
        return not there or _came_later(there, rows)
    known = {row.version for row in rows}
    oldest = min(known, key=order)
    named = {row.version for row in there} & shown
    unknown = {version for version in shown - known if order(version) >= order(oldest)}
    if not named or unknown or shown & known != named:
        return False
    last = max(row.uploaded for row in there if row.version in named)
    return all(row.version in named for row in there if row.uploaded < last)


def _came_later(there: Sequence[Release], rows: Sequence[Release]) -> bool:
    """Tell whether an empty list can be an old log: the target's first wheel came later than the first release."""
    first = min(row.uploaded for row in there)
    return any(row.uploaded < first for row in rows)


def _admits(row: Release, target: Target) -> bool:
    return row.requires_python is None or contains(row.requires_python, f"{target.python}.99")


def _allowed(target: Target, picture: Picture) -> bool:
    """Tell whether the stated facts allow a target."""
    minors = {".".join(value.split(".")[:2]) for value in picture.python}
    if minors and target.python not in minors:
        return False
    platforms = picture.platforms
    if (
        platforms
        and target.platform not in platforms
        and not (picture.process_assumed and _same_system(target, picture))
    ):
        return False
    old = target.macos is not None
    majors = {int(value.split(".")[0]) for value in picture.macos}
    is_old = bool(majors) and max(majors) <= 11  # noqa: PLR2004 - macOS 11
    return old == is_old if majors else not old or not picture.macos


def _same_system(target: Target, picture: Picture) -> bool:
    return target.platform.partition("-")[0] in picture.os


def _serves(rows: Sequence[Release], specifier: str, target: Target) -> bool:
    wanted = [row for row in rows if is_wanted(specifier, row.version)]
    return any(has_wheel(row, target) and _admits(row, target) for row in wanted)


def is_wanted(specifier: str, version: str) -> bool:
    """Tell whether a release is one that was asked for; what cannot be read asks for any final one."""
    if not specifier:
        return is_final(version)
    return contains(specifier, version)


def serving(name: str, specifier: str, platform: str, matrix: Matrix) -> tuple[str, ...]:
    """Return the Pythons for which a release that was asked for has a wheel on a platform."""
    rows = [row for row in matrix.releases(name) if row.yanked is None]
    found = (python for python in _pythons(rows) if _serves(rows, specifier, Target(platform=platform, python=python)))
    return tuple(found)
