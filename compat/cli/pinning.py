"""One function behind the hook, ``tfcompat pins`` and ``compat.check_pins``: read, judge, silence."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compat.errors import UsageError
from compat.facts.pins import PinFile, PinSettings
from compat.matrix.load import Matrix
from compat.matrix.model import PLATFORMS
from compat.probe.pins import read, search, settings
from compat.report import pinned
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile
from compat.verdict.pins.patterns import fits
from compat.verdict.pins.silence import selected, silence


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller wants beside what the project's own settings say."""

    targets: tuple[str, ...] = ()
    """Platforms, in place of the settings'."""
    ignore: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    """Only ids that begin so; empty: all."""
    severity: str | None = None
    """The lowest that is told, in place of the settings'."""
    strict: bool = False
    markdown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was judged."""

    files: tuple[JudgedFile, ...]
    ok: bool
    """No error; where a warning counts as one, none of those either."""


def check(paths: Sequence[Path | str], asked: Asked | None = None) -> Checked:
    """Judge files, and the dependency files in folders; a file that cannot be read is one finding.

    Raises UsageError for settings and ids that cannot be meant, BadMatrix for a matrix that cannot be read.
    """
    from compat.cli import knowledge

    asked = known(asked or Asked())
    settings.forget()
    files = list(_once(file for path in paths for file in _read(Path(path), asked)))
    return judged(files, knowledge.matrix(), asked)


def judged(files: Sequence[PinFile], matrix: Matrix, asked: Asked) -> Checked:
    """Judge what was read, the files of one project together, each project by its own settings."""
    from compat.verdict.pins.judge import judge

    found: dict[int, JudgedFile] = {}
    ok = True
    for wanted, numbers in _by_settings(files).items():
        for word in (*wanted.ignore, *(word for _, words in wanted.per_file_ignores for word in words)):
            _must_be_id(word, f"{Path(wanted.root) / 'pyproject.toml'}: ")
        mine = replace(
            wanted,
            targets=asked.targets or wanted.targets,
            ignore=(*wanted.ignore, *asked.ignore),
            severity=asked.severity or wanted.severity,
        )
        group = [files[number] for number in numbers]
        rows = silence(judge(group, matrix, mine), mine, {file.path: _place(file.path, mine) for file in group})
        rows = selected(rows, asked.select, Severity(mine.severity))
        ok &= pinned.is_ok(rows, strict=asked.strict or mine.strict)
        found |= dict(zip(numbers, rows, strict=True))
    return Checked(files=tuple(found[number] for number in range(len(files))), ok=ok)


def known(asked: Asked) -> Asked:
    """Return the wish with ids in capitals. Raises UsageError for a platform or an id there is none of."""
    for platform in asked.targets:
        if platform not in PLATFORMS:
            raise UsageError(f"no platform is called {platform!r}", hint=f"there are {', '.join(PLATFORMS)}")
    for word in (*asked.ignore, *asked.select):
        _must_be_id(word)
    if asked.severity is not None and asked.severity not in settings.SEVERITIES:
        raise UsageError(
            f"no severity is called {asked.severity!r}", hint=f"there are {', '.join(settings.SEVERITIES)}"
        )
    return replace(
        asked,
        ignore=tuple(word.upper() for word in asked.ignore),
        select=tuple(word.upper() for word in asked.select),
    )


def _must_be_id(word: str, where: str = "") -> None:
    """Raises UsageError for what no rule's id begins with."""
    from compat.verdict.pins.rules import RULES

    if not settings.is_id(word) or not any(rule.id.startswith(word.upper()) for rule in RULES):
        raise UsageError(f"{where}{word!r} is no id of pins and no beginning of one", hint="as PIN501, or PIN5 for all")


def _read(path: Path, asked: Asked) -> Iterator[PinFile]:
    """Yield a file, or those of a folder that have something to say."""
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where a folder may not be entered
        own = settings.of(path / "pyproject.toml")
        for found in search.files(path, markdown=asked.markdown or own.markdown):
            file = PinFile(path="", kind=pinned.NOTHING) if _excluded(found) else _file(found)
            if file.kind != pinned.NOTHING:
                yield file
    elif not _excluded(path):
        if search.is_markdown(path.name) and not (asked.markdown or settings.of(path).markdown):
            yield PinFile(path=str(path), kind=pinned.NOT_ASKED)
        else:
            yield _file(path)


def _once(files: Iterator[PinFile]) -> Iterator[PinFile]:
    """Yield each file once, by whatever path it was named first."""
    seen: set[str] = set()
    for file in files:
        real = os.path.realpath(file.path) if file.path and "\0" not in file.path else file.path
        if real not in seen or not file.path:
            seen.add(real)
            yield file


def _file(path: Path) -> PinFile:
    file = read.read(path)
    plain = file.kind == "unknown" and file.problem is None and search.knows(path.name)
    return replace(file, kind=pinned.NOTHING) if plain else file


def _excluded(path: Path) -> bool:
    own = settings.of(path)
    return bool(own.exclude) and any(fits(pattern, _place(str(path), own)) for pattern in own.exclude)


def _place(path: str, own: PinSettings) -> str:
    """Return a path from the folder of its settings, with ``/``."""
    if not own.root or not (own.exclude or own.per_file_ignores):
        return path
    try:
        return Path(os.path.relpath(os.path.abspath(path), own.root)).as_posix()  # noqa: PTH100 - links stay links
    except (OSError, ValueError):  # the current folder is gone; another drive
        return path


def _by_settings(files: Sequence[PinFile]) -> dict[PinSettings, list[int]]:
    found: dict[PinSettings, list[int]] = {}
    for number, file in enumerate(files):
        found.setdefault(settings.of(Path(file.path)), []).append(number)
    return found
