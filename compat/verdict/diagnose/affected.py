"""Whether the stated facts fit what an issue affects: yes, no, or which facts would tell."""

from __future__ import annotations

from dataclasses import dataclass

from compat.matrix.load import Matrix
from compat.matrix.model import Affects, Issue
from compat.matrix.query import TENSORFLOWS
from compat.matrix.versions import contains, minor
from compat.verdict.diagnose.picture import Picture, every, releases_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How one issue's conditions and the stated facts go together."""

    possible: bool
    """False where a stated fact contradicts every condition set."""
    missing: tuple[str, ...] = ()
    """The facts that the nearest condition set turns on; empty where all hold (or there are none)."""
    assumed: tuple[str, ...] = ()
    """Facts that were taken for usual, not stated."""

    @property
    def is_sure(self) -> bool:
        """Whether every condition holds by what was stated."""
        return self.possible and not self.missing and not self.assumed


def fit(issue: Issue, picture: Picture, matrix: Matrix) -> Fit:
    """Return how an issue and the facts go together; one without conditions fits anything."""
    if not issue.affects:
        return Fit(possible=True)
    found = [answer for row in issue.affects if (answer := _row(row, picture, matrix)) is not None]
    if not found:
        return Fit(possible=False)
    return min(found, key=lambda answer: (len(answer.missing), len(answer.assumed)))


def _row(row: Affects, picture: Picture, matrix: Matrix) -> Fit | None:
    """Return the missing facts of one condition set, None where a stated fact contradicts it."""
    answers = {
        _named(row.package): _package(row.package, row.versions, picture, matrix),
        _named(row.with_package): _package(row.with_package, row.with_versions, picture, matrix),
        "python": _python(row.python, picture),
        "macos": _macos(row.macos, picture),
        "chip": _chip(row.chips, picture),
        _platform_fact(picture): _platform(row.platforms, picture),
    }
    if False in answers.values():
        return None
    missing = tuple(name for name, answer in answers.items() if answer is None)
    assumed = ("process",) if row.platforms and picture.process_assumed and "process" not in missing else ()
    return Fit(possible=True, missing=missing, assumed=assumed)


def _named(package: str | None) -> str:
    return "tensorflow" if package in TENSORFLOWS else package or ""


def _package(name: str | None, versions: str | None, picture: Picture, matrix: Matrix) -> bool | None:
    if name is None:
        return True
    stated = picture.versions(name)
    if not stated and versions is None and name in TENSORFLOWS and picture.speaks_of_tensorflow:
        return True
    if not stated:
        return None
    if versions is None:
        return True
    meant = [version for row in stated for version in releases_of(row, matrix)]
    return every(meant, lambda version: contains(versions, version))


def _python(versions: str | None, picture: Picture) -> bool | None:
    if versions is None:
        return True
    return every(picture.python, lambda value: contains(versions, value) or contains(versions, minor(value)))


def _macos(versions: str | None, picture: Picture) -> bool | None:
    if versions is None:
        return True
    if picture.os and "macos" not in picture.os:
        return False
    ends = [end for value in picture.macos for end in ((value,) if "." in value else (f"{value}.0", f"{value}.9"))]
    return every(ends, lambda value: contains(versions, value))


def _chip(prefixes: tuple[str, ...], picture: Picture) -> bool | None:
    if not prefixes:
        return True
    if picture.hardware == ("x86_64",) or (picture.os and "macos" not in picture.os):
        return False
    if not picture.chip and picture.hardware == ("arm64",) and "Apple " in prefixes:
        return True
    return every(picture.chip, lambda chip: any(is_family(chip, prefix) for prefix in prefixes))


def is_family(chip: str, prefix: str) -> bool:
    """``Apple M1`` names M1, M1 Pro…, not an M10."""
    return chip.startswith(prefix) and not chip[len(prefix) :][:1].isdigit()


def _platform_fact(picture: Picture) -> str:
    return "process" if picture.os else "os"


def _platform(platforms: tuple[str, ...], picture: Picture) -> bool | None:
    if not platforms:
        return True
    answer = every(picture.platforms, lambda platform: platform in platforms)
    if answer is False and picture.process_assumed and any(platform in platforms for platform in picture.any_process):
        return None  # what is only usual contradicts nothing
    return answer
