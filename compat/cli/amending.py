"""``--fix`` and ``--diff``: cures into edits, edits into texts, the new texts read and judged again, then the disk.

Everything happens in memory until the last step; an edit after which a file no longer reads as meant is not made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from compat.builder.amend import Change, write
from compat.cli import knowledge, pinning
from compat.cli.pinning import Asked, Checked
from compat.errors import CannotAct
from compat.facts.pins import Pin, PinFile
from compat.plan.amend import Amendment, Edit, Refusal, amendment, applied, by_path, for_finding
from compat.probe.pins import read
from compat.probe.pins.source import Source
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding
from compat.verdict.pins.patterns import plain

ROUNDS = 6
"""A cure can bring another fault to light; what is not well after so many is told as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amended:
    """What the files would say, and what is then left to be told."""

    changes: tuple[Change, ...]
    refusals: tuple[Refusal, ...]
    checked: Checked


def amend(checked: Checked, asked: Asked) -> Amended:
    """Work out the files with every cure that can be carried out, and judge them again."""
    desk = Desk(by_path(row.file for row in checked.files))
    plan = Amendment()
    for _ in range(ROUNDS):
        faulty = [_faults(row) for row in checked.files]
        plan = amendment(faulty, desk.texts(cured(faulty)))
        if not desk.take(plan):
            plan = amendment(faulty, desk.texts(()))  # what was found not to do is refused by now
            break
        files = [desk.now(row.file) for row in checked.files]
        checked = pinning.judged(files, knowledge.matrix(), pinning.known(asked))
    return Amended(changes=desk.changes(), refusals=plan.refusals, checked=checked)


def _faults(row: JudgedFile) -> JudgedFile:
    """What is amended: errors and warnings; a remark is for people to weigh."""
    return replace(row, findings=tuple(found for found in row.findings if found.severity is not Severity.INFO))


def put(amended: Amended) -> list[tuple[str, CannotAct]]:
    """Write the changed files; those that cannot be written are returned with what stands in the way."""
    failed: list[tuple[str, CannotAct]] = []
    for change in amended.changes:
        try:
            write(change)
        except CannotAct as error:  # noqa: PERF203 - the other files go on
            failed.append((str(change.path), error))
    return failed


def fixes(judged: Sequence[JudgedFile]) -> tuple[Mapping[PinFinding, Sequence[Edit]], Mapping[str, str]]:
    """Return the edits of each finding alone, and the texts they are in."""
    files = by_path(row.file for row in judged)
    texts = Desk(files).texts(cured(judged))
    found = {row: for_finding(row, files, texts) for file in judged for row in file.findings if row.cures}
    return found, texts


def cured(judged: Iterable[JudgedFile]) -> tuple[str, ...]:
    """Return the plain paths of the files that cures are about, in their order."""
    return tuple(dict.fromkeys(plain(cure.path) for row in judged for found in row.findings for cure in found.cures))


@dataclass(slots=True)
class Desk:
    """The files being changed: as they were read, and as they stand by now."""

    files: dict[str, PinFile]
    _before: dict[str, Source] = field(default_factory=dict)
    _after: dict[str, Source] = field(default_factory=dict)
    _read: dict[str, PinFile] = field(default_factory=dict)
    _stuck: set[str] = field(default_factory=set)

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the files' present texts; none of a file that is another by now than when it was judged."""
        for path in paths:
            if path not in self._before and path in self.files:
                self._open(path)
        return {path: source.text for path, source in self._after.items() if path not in self._stuck}

    def take(self, plan: Amendment) -> bool:
        """Make the edits, and tell whether any was made; a file that would no longer read as meant is left alone."""
        took = False
        for path in dict.fromkeys(edit.path for edit in plan.edits):
            edits = [edit for edit in plan.edits if edit.path == path]
            old = self._after[path]
            new = replace(old, text=applied(old.text, edits), _starts=[])
            file = read.parse(new)
            if new.text == old.text or not _as_meant(read.parse(old), file, edits):
                self._stuck.add(path)
            else:
                self._after[path], self._read[path], took = new, file, True
        return took

    def now(self, file: PinFile, *, constraint: bool = False) -> PinFile:
        """Return a file as it reads by now, with the files it includes."""
        found = self._read.get(plain(file.path), file)
        if constraint and found is not file:
            found = replace(found, pins=tuple(replace(pin, constraint=True) for pin in found.pins))
        parts = tuple(
            replace(part, file=self.now(part.file, constraint=part.constraint or constraint)) for part in found.included
        )
        return replace(found, included=parts) if parts else found

    def changes(self) -> tuple[Change, ...]:
        """Return the files that changed."""
        return tuple(
            Change(
                path=Path(old.path),
                before=old.text,
                after=self._after[path].text,
                encoding=old.encoding,
                mark=old.mark,
            )
            for path, old in self._before.items()
            if self._after[path].text != old.text
        )

    def _open(self, path: str) -> None:
        source = read.load(Path(self.files[path].path))
        if isinstance(source, Source) and _places(read.parse(source)) == _places(self.files[path]):
            self._before[path] = self._after[path] = source


def _places(file: PinFile) -> list[tuple[object, ...]]:
    return [(pin.name, pin.specifier, pin.line, pin.column) for pin in file.pins]


def _as_meant(before: PinFile, after: PinFile, edits: Sequence[Edit]) -> bool:
    """Tell whether no more pins differ than there are edits, none is lost, and nothing became unreadable."""
    old, new = (Counter(_said(pin) for pin in file.pins) for file in (before, after))
    entries = sum(edit.entry for edit in edits)
    gone, come = (old - new).total(), (new - old).total()
    return (
        after.problem is None
        and len(after.unread) == len(before.unread)
        and come == gone + entries
        and gone <= len(edits) - entries
    )


def _said(pin: Pin) -> tuple[object, ...]:
    return pin.name, pin.specifier, pin.marker, pin.group, pin.extras, pin.admits
