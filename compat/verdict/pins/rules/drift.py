"""PIN530: repairs that these pins leave open."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from compat.matrix import query
from compat.matrix.applies import affects_these
from compat.matrix.model import Repair
from compat.matrix.versions import contains
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case, finding
from compat.verdict.pins.finding import Cure, PinFinding
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.situation import Placed
from compat.verdict.pins.wanted import Outcome, Taken, Wanted, sets_of


class RepairOpen(PinRule):
    """Do the pins keep out what this TensorFlow no longer works with?

    TensorFlow's requirements were written in its day and name few upper bounds. Installed today, an old release gets
    today's NumPy, protobuf or setuptools beside it and fails at import, or without TensorBoard. The matrix holds the
    constraints that were seen to be needed and seen to help. A pin that forces the failure is an error, a missing bound
    a warning, one that concerns only TensorBoard a remark.

    Source: ``matrices/repairs/``, measured.
    """

    id = "PIN530"
    title = "the repairs this TensorFlow needs are in the pins"
    severity = Severity.WARNING

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield each repair that the newest version the pins admit leaves open."""
        seen: set[str] = set()
        for outcome, taken in _asked_about(case):
            for row in _repairs(outcome, taken, case):
                if row.id not in seen and _is_open(row, outcome, taken, case):
                    seen.add(row.id)
                    yield self._finding(row, taken, case)

    def _finding(self, row: Repair, taken: Taken, case: Case) -> PinFinding:
        placed = taken.wanted.first
        there = [pin for pin in case.of(_name(row)) if not pin.pin.constraint or pin.pin.specifier]
        text = f"TensorFlow {taken.body[1] if taken.body else taken.version} needs {row.requirement} for"
        text += f" {_STEPS.get(row.step, row.step)} today: {_first(row.failure)}"
        severity = _severity(row, taken, there, case)
        if there:
            wanted = Requirement(row.requirement)
            cure = Cure(path=there[0].path, pin=there[0].pin, specifier=_joined(there[0].pin.specifier, wanted))
            return finding(self.id, severity, there[0], text, case, (cure,))
        marker = f"; {placed.pin.marker}" if placed.pin.marker else ""
        add = Cure(path=placed.path, pin=placed.pin, add=f"{row.requirement}{marker}")
        return finding(self.id, severity, placed, f"{text}; add {row.requirement}", case, (add,))


def _first(failure: str) -> str:
    """The failure's first sentence: some go on for a paragraph."""
    return failure.strip().partition(". ")[0][:120]


def _asked_about(case: Case) -> Iterator[tuple[Outcome, Taken]]:
    """Every Python that the file admits where it says so, else the newest that has wheels."""
    found = list(case.taken())
    newest = found[0][0].python if found else ""
    yield from (row for row in found if case.situation.bounded or row[0].python == newest)


_STEPS = {"import": "its import", "tensorboard": "TensorBoard", "fit": "training", "save": "saving"}


def _severity(row: Repair, taken: Taken, there: list[Placed], case: Case) -> Severity:
    """An error only where a known problem says that this very version fails: a repair is enough, not always needed."""
    if row.step == "tensorboard":
        return Severity.INFO
    forced = any(_fails(placed, taken, case) for placed in there)
    return Severity.ERROR if forced else Severity.WARNING


def _fails(placed: Placed, taken: Taken, case: Case) -> bool:
    version = _exact(placed)
    if version is None or taken.body is None:
        return False
    packages = dict.fromkeys(query.TENSORFLOWS, taken.body[1]) | {placed.pin.name: version}
    return any(
        issue.severity == "error"
        and issue.withdrawn is None
        and any(
            placed.pin.name in (part.package, part.with_package)
            and affects_these(part, packages, case.platform, None, chip=None, macos=None)
            for part in issue.affects
        )
        for issue in case.matrix.issues()
    )


def _exact(placed: Placed) -> str | None:
    """The one version a pin admits; a repair is enough, not always needed, so of that only a known problem speaks."""
    return next((part[2:] for part in sets_of(placed.pin) if part.startswith("==") and "*" not in part), None)


def _joined(specifier: str, wanted: Requirement) -> str:
    """The pin's own bounds with the repair's in place of an upper one; an exact pin gives way."""
    clauses = [part for part in specifier.split(",") if part.strip().startswith((">", "!="))]
    return ",".join([*clauses, str(wanted.specifier)])


def _name(row: Repair) -> str:
    return canonicalize_name(Requirement(row.requirement).name)


def _repairs(outcome: Outcome, taken: Taken, case: Case) -> tuple[Repair, ...]:
    if taken.body is None:
        return ()
    name, version = taken.body
    return query.repairs_for(case.matrix, name, version, outcome.python)


def _is_open(row: Repair, outcome: Outcome, taken: Taken, case: Case) -> bool:
    """Whether the newest version that the pins and TensorFlow's own requirement admit is outside the repair."""
    wanted, name = Requirement(row.requirement), _name(row)
    pins = tuple(placed for placed in case.situation.on(outcome.python) if placed.pin.name == name)
    if row.adds:
        return not pins and case.situation.file.is_lock
    if case.situation.file.is_lock and not pins:
        return False
    asked = Wanted(name=name, placed=pins)
    if pins and not asked.known:
        return False
    if any(_exact(placed) for placed in pins):
        return any(_fails(placed, taken, case) for placed in pins)
    target = case.situation.target(outcome.python)
    offered = case.offers.installable(name, target)
    own = [str(need.specifier) for need in case.offers.needs(*(taken.body or ("", "")), target) if need.name == name]
    taken_today = next(
        (version for version in asked.among(offered, ()) if all(contains(part, version) for part in own if part)), None
    )
    return taken_today is not None and not contains(str(wanted.specifier), taken_today)


RULES: tuple[PinRule, ...] = (RepairOpen(),)
