"""The judgement: every file, its situations, and the files of a project against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from compat.facts.pins import PinFile, PinSettings
from compat.matrix.load import Matrix
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case
from compat.verdict.pins.finding import JudgedFile, PinFinding
from compat.verdict.pins.offers import Offers
from compat.verdict.pins.project import Project
from compat.verdict.pins.resolution import Resolver
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.rules import RULES
from compat.verdict.pins.situation import situations

_NOTHING = PinSettings()
CRASHED = "PIN599"
"""A rule that raised: the others went on."""


def judge(files: Sequence[PinFile], matrix: Matrix, settings: PinSettings = _NOTHING) -> tuple[JudgedFile, ...]:
    """Return every file with what is wrong with its pins, root cause first."""
    resolver = Resolver(Offers(matrix))
    found = {file.path: list(_of_file(file, resolver, settings)) for file in files}
    project = Project(files=tuple(files), resolver=resolver, settings=settings)
    for rule in RULES:
        for row in _asked(rule, partial(rule.of_project, project)):
            found.setdefault(row.path, []).append(row)
    return tuple(JudgedFile(file=file, findings=_merged(found[file.path], file.path)) for file in files)


def _of_file(file: PinFile, resolver: Resolver, settings: PinSettings) -> Iterator[PinFinding]:
    for rule in RULES:
        yield from _asked(rule, partial(rule.of_file, file))
    if file.problem is not None:
        return
    for situation in situations(file, settings):
        outcomes = tuple(resolver.outcome(situation, python) for python in situation.pythons)
        yield from _of_case(Case(situation=situation, outcomes=outcomes, resolver=resolver))


def _of_case(case: Case) -> Iterator[PinFinding]:
    """Ask each rule until one ends the questioning: what follows from it is not told again."""
    for rule in RULES:
        rows = tuple(_asked(rule, partial(rule.check, case)))
        yield from rows
        if rule.ends and any(row.severity is not Severity.INFO for row in rows):
            return


def _asked(rule: PinRule, question: Callable[[], Iterable[PinFinding]]) -> Iterator[PinFinding]:
    try:
        yield from question()
    except Exception as error:  # noqa: BLE001 - one broken rule must not take the others' findings
        text = f"rule {rule.id} could not be asked: {type(error).__name__}: {error}"
        yield PinFinding(id=CRASHED, severity=Severity.WARNING, line=1, column=1, message=text)


def _merged(rows: Sequence[PinFinding], path: str) -> tuple[PinFinding, ...]:
    """Return equal findings of several targets or groups once, with all their targets; the file's own path left out."""
    kept: dict[tuple[str, str, int, int, str], PinFinding] = {}
    for given in rows:
        row = replace(given, path="" if given.path == path else given.path)
        key = (row.id, row.path, row.line, row.column, row.message)
        first = kept.get(key)
        if first is None:
            kept[key] = row
        else:
            kept[key] = replace(first, targets=tuple(dict.fromkeys((*first.targets, *row.targets))))
    order = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
    return tuple(sorted(kept.values(), key=lambda row: order[row.severity]))
