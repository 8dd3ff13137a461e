"""Findings that a comment or the settings ask not to hear, and the wishes that silenced nothing.

A comment ``# tfcompat: ignore[PIN501]`` stands for its own line (behind a requirement of several lines: for that
requirement), alone on its line also for the next one. Ids match by their beginning.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from compat.facts.pins import Ignore, PinFile, PinSettings
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding
from compat.verdict.pins.patterns import fits, plain
from compat.verdict.pins.rule import PinRule

_ID = re.compile(r"PIN\d{0,3}|P|PI")


class UnusedIgnore(PinRule):
    """Does every wish for silence silence something?

    A comment ``# tfcompat: ignore[PIN501]``, in the file's own comment sign, keeps findings of its line from being
    told and from counting; alone on its line it holds for the next line too. ``[tool.tfcompat]`` of the nearest
    pyproject.toml has ``ignore`` for all files and ``per-file-ignores`` for those a pattern fits. Ids match by their
    beginning. A comment, or an entry for one very file, that silences nothing is a leftover: it would hide the next
    fault of its place.
    """

    id = "PIN570"
    title = "every ignore silences something"
    severity = Severity.WARNING


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comment:
    """An ignore comment with the lines it stands for."""

    ignore: Ignore
    lines: frozenset[int]

    def covers(self, finding: PinFinding) -> Iterator[str]:
        """Yield what in it silences a finding: an id, or ``""`` for a comment without ids."""
        if finding.line in self.lines:
            yield from (word for word in self.ignore.ids or ("",) if finding.id.startswith(word))


def silence(
    judged: Sequence[JudgedFile], settings: PinSettings, places: Mapping[str, str] | None = None
) -> tuple[JudgedFile, ...]:
    """Return the files with the findings that are left; ignores that silenced nothing are findings.

    ``places`` gives each file's path from the root of the settings, where its own path is another.
    """
    comments = _comments(judged)
    used: set[tuple[str, int, int, str]] = set()
    kept = [[row for row in file.findings if not _quiet(row, file, comments, used)] for file in judged]
    for at, file in enumerate(judged):
        kept[at] += _unused(file.file, comments.get(plain(file.file.path), ()), used)
    listed = [
        _listed(replace(file, findings=tuple(rows)), settings, (places or {}).get(file.file.path, file.file.path))
        for file, rows in zip(judged, kept, strict=True)
    ]
    return tuple(replace(file, findings=_asked(file.findings, settings.ignore)) for file in listed)


def selected(judged: Sequence[JudgedFile], ids: Sequence[str], lowest: Severity) -> tuple[JudgedFile, ...]:
    """Return the files with the findings whose id begins with one of ``ids`` (none: all) and that weigh enough."""
    weights = list(Severity)
    heavy = set(weights[: weights.index(lowest) + 1])
    return tuple(
        replace(
            file,
            findings=tuple(
                row for row in file.findings if row.severity in heavy and (not ids or row.id.startswith(tuple(ids)))
            ),
        )
        for file in judged
    )


def _asked(findings: Sequence[PinFinding], ids: Sequence[str]) -> tuple[PinFinding, ...]:
    return tuple(row for row in findings if not row.id.startswith(tuple(ids)))


def _comments(judged: Sequence[JudgedFile]) -> dict[str, tuple[_Comment, ...]]:
    """Return each file's ignores, those of included files too: a finding can stand there."""
    found: dict[str, tuple[_Comment, ...]] = {}
    waiting = [row.file for row in judged]
    standing: dict[str, set[int]] = {}
    for row in judged:
        for finding in row.findings:
            standing.setdefault(plain(finding.path or row.file.path), set()).add(finding.line)
    while waiting:
        file = waiting.pop()
        key = plain(file.path)
        if file.ignores and key not in found:
            lines = sorted({pin.line for pin in file.pins} | standing.get(key, set()))
            found[key] = tuple(_comment(ignore, file, lines) for ignore in file.ignores)
        waiting += [part.file for part in file.included]
    return found


def _comment(ignore: Ignore, file: PinFile, lines: Sequence[int]) -> _Comment:
    """Say for which lines a comment stands; ``lines`` are those with something on them."""
    if ignore.alone:
        alone = {other.line for other in file.ignores if other.alone}
        following = ignore.line + 1
        while following in alone:  # comments can stand above one another
            following += 1
        return _Comment(ignore=ignore, lines=frozenset((ignore.line, following)))
    at = bisect.bisect_right(lines, ignore.line)
    own = lines[at - 1] if at else ignore.line  # behind the last of several lines: the line they began on
    return _Comment(ignore=ignore, lines=frozenset((ignore.line, own)))


def _quiet(
    row: PinFinding, file: JudgedFile, comments: Mapping[str, Sequence[_Comment]], used: set[tuple[str, int, int, str]]
) -> bool:
    key = plain(row.path or file.file.path)
    hits = {
        (key, comment.ignore.line, comment.ignore.column, word)
        for comment in comments.get(key, ())
        for word in comment.covers(row)
    }
    used |= hits
    return bool(hits)


def _unused(file: PinFile, comments: Sequence[_Comment], used: set[tuple[str, int, int, str]]) -> Iterator[PinFinding]:
    for comment in comments:
        place = comment.ignore
        idle = [word for word in place.ids or ("",) if (plain(file.path), place.line, place.column, word) not in used]
        if idle:
            what = f"ignore[{', '.join(idle)}]" if idle[0] else "ignore"
            typo = next((word for word in idle if word and _ID.fullmatch(word) is None), None)
            if typo is not None:
                yield _finding(place.line, place.column, f"{what}: {typo} is no id of pins, which are as PIN501")
                continue
            yield _finding(place.line, place.column, f"{what} silences nothing here: take it away")


def _listed(file: JudgedFile, settings: PinSettings, place: str) -> JudgedFile:
    """Leave out what the settings ignore in such files; a wish for this very file that silenced nothing is told."""
    wanted = [(pattern, ids) for pattern, ids in settings.per_file_ignores if fits(pattern, place)]
    words = tuple(word for _, ids in wanted for word in ids)
    if not words:
        return file
    idle = [
        (pattern, word)
        for pattern, ids in wanted
        for word in ids
        if not any(row.id.startswith(word) for row in file.findings)
    ]
    said = (
        _finding(1, 1, f'per-file-ignores of pyproject.toml: "{pattern}" = {word} silences nothing in this file')
        for pattern, word in idle
        if not _general(pattern)
    )
    return replace(file, findings=(*_asked(file.findings, words), *said))


def _general(pattern: str) -> bool:
    """Tell whether a pattern is for many files: that it silences nothing in one of them says nothing."""
    return any(sign in pattern for sign in "*?") or pattern.endswith("/")


def _finding(line: int, column: int, message: str) -> PinFinding:
    return UnusedIgnore().at(line, column, message)
