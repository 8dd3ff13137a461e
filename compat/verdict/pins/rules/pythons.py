"""PIN540: the Python that runs, against the pins: of the same file, and of those beside a file that names it."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.pins import PinFile, StatedPython
from compat.matrix import query
from compat.matrix.versions import minor, ranges
from compat.verdict.pins.case import Case
from compat.verdict.pins.finding import PinFinding
from compat.verdict.pins.offers import PLUGINS
from compat.verdict.pins.project import Project
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.situation import PLACES, Situation, situations
from compat.verdict.pins.wanted import Refused

NAMES_ONE = "python-version"
"""The kind of the files that only name a Python: ``.python-version``, ``runtime.txt``, ``.tool-versions``."""
RUNS_ITSELF = frozenset(("workflow", "dockerfile", "conda", "notebook", "tox", "noxfile", "script", NAMES_ONE))
"""Kinds that bring their own Python: what stands beside them does not decide it."""


class StatedPythonWithout(PinRule):
    """Can the Python that is named as the one that runs install these pins?

    A workflow's matrix, an image's tag, ``.python-version``, ``runtime.txt``, ``.tool-versions`` or conda's ``python=``
    name the Python that will run. Each one for which a pin has no wheel is told, although others of the list may work.
    A file that only names a Python is held against the dependency files of its folder, by the first one it names.

    Source: ``releases/`` of the matrix.
    """

    id = "PIN540"
    title = "the Python that runs has wheels for the pins"

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield each named Python that a pin has no wheel for."""
        bad: dict[str, list[Refused]] = {}
        for outcome, row in case.refusals(*query.TENSORFLOWS, *PLUGINS):
            if row.why == "wheel":
                bad.setdefault(outcome.python, []).append(row)
        have = [outcome.python for outcome in case.outcomes if outcome.python not in bad]
        for stated in case.situation.stated if have else ():
            rows = bad.get(minor(stated.version), [])
            if rows:
                more = f"; those of the list that have them: {ranges(have)}"
                yield self._finding(stated, rows, case.platform, more)

    def of_project(self, project: Project) -> Iterator[PinFinding]:
        """Yield each file that names a Python for which a pin of its folder has no wheel."""
        for files in project.folders():
            for file in files:
                for other in files if file.kind == NAMES_ONE and file.pythons else ():
                    yield from self._beside(file, other, project)

    def _beside(self, file: PinFile, other: PinFile, project: Project) -> Iterator[PinFinding]:
        stated = file.pythons[0]
        for situation in situations(other, project.settings) if other.kind not in RUNS_ITSELF else ():
            rows = list(_refused(situation, minor(stated.version), project))
            if rows:
                more = f" ({other.path}, line {rows[0].wanted.first.pin.line})"
                yield self._finding(stated, rows, situation.platform, more, file.path)
                return

    def _finding(
        self, stated: StatedPython, rows: list[Refused], platform: str, more: str, path: str = ""
    ) -> PinFinding:
        pins = " and ".join(dict.fromkeys(str(row.wanted) for row in rows))
        verb = "have" if " and " in pins else "has"
        text = f"{stated.what} has Python {stated.version}, for which {pins} {verb} no wheel on {PLACES[platform]}"
        return PinFinding(
            id=self.id,
            severity=self.severity,
            path=path,
            line=stated.line,
            column=stated.column,
            message=text + more,
            targets=(platform,),
        )


def _refused(situation: Situation, python: str, project: Project) -> Iterator[Refused]:
    """What has no wheel for that Python, where it has one for another that the file admits."""
    if python not in query.PYTHONS:
        return
    for row in project.resolver.outcome(situation, python).refused:
        others = (project.resolver.outcome(situation, other) for other in situation.pythons if other != python)
        names = [{refused.wanted.name for refused in outcome.refused} for outcome in others]
        if row.why == "wheel" and any(row.wanted.name not in found for found in names):
            yield row


RULES: tuple[PinRule, ...] = (StatedPythonWithout(),)
