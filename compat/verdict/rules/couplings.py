"""What TensorFlow's own pins leave out of range, told with its reason: the common part of TF311–TF316."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compat.facts.capture import Facts
from compat.facts.environment import Distribution
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.model import Repair
from compat.matrix.query import repairs_for
from compat.verdict.finding import Evidence, Finding, Remedy, Status
from compat.verdict.rule import Rule, environment_of
from compat.verdict.rules import remedies
from compat.verdict.rules.declared import (
    Conflict,
    Requirement,
    admits,
    declared,
    is_below,
    read,
    requires_of,
)
from compat.verdict.rules.installed import FAMILY, body_of, named
from compat.verdict.rules.known_issues import issue_of
from compat.verdict.rules.markers import decide, variables_of

CHARGE = {
    "numpy": "TF311",
    "protobuf": "TF312",
    "ml-dtypes": "TF313",
    "typing-extensions": "TF313",
    "wrapt": "TF313",
    "h5py": "TF313",
    "keras": "TF314",
    "keras-nightly": "TF314",
}
"""Which rule tells that TensorFlow's pin of a package is not met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A package that TensorFlow needs otherwise than it is."""

    body: Distribution
    requirement: Requirement
    installed: str | None
    source: str
    repair: Repair | None = None
    """Set where not TensorFlow's own metadata says so but a measured repair of the matrix."""
    from_matrix: bool = False

    @property
    def is_below(self) -> bool:
        """Whether what is installed is older than the oldest that is required."""
        return self.installed is not None and is_below(self.requirement.specifier, self.installed)

    @property
    def there(self) -> str:
        """Return ``numpy 2.2.6 is installed`` or ``numpy is not installed``."""
        name = self.requirement.name
        return f"{name} {self.installed} is installed" if self.installed else f"{name} is not installed"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Return what was seen and who says that it does not fit."""
        says = f"{named(self.body)} needs {self.requirement.text}"
        failure = f": without it {self.repair.step} fails ({self.repair.failure})" if self.repair else ""
        return (
            Evidence(fact=self.there, source="measured here"),
            Evidence(fact=says + failure, source=self.source, tier="imports" if self.repair else "installs"),
        )


def in_charge(conflict: Conflict, body: Distribution) -> str | None:
    """Return the id of the rule that tells a conflict with its reason, None where only TF318 tells it."""
    requirer, wanted = conflict.requirer.name, conflict.requirement
    if requirer in FAMILY:
        return CHARGE.get(wanted.name)
    if wanted.name not in FAMILY or admits(wanted.specifier, body.version):
        return None
    return "TF314" if requirer == "tf-keras" else "TF316"


class Coupling(Rule):
    """The pattern of the rules about one or a few packages that TensorFlow pins; a subclass says what a gap means."""

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield what a subclass says of each gap; skipped where there is no TensorFlow."""
        environment_of(facts)
        body = body_of(facts, matrix)
        if body is None:
            yield self.says(Status.SKIPPED, f"{self.title}: no TensorFlow to compare with")
            return
        for gap in gaps(self.id, body, facts, matrix):
            yield self.told(gap, facts, matrix)
        yield from self.more(body, facts, matrix)

    def told(self, gap: Gap, facts: Facts, matrix: Matrix) -> Finding:
        """Return the finding of one gap."""
        raise NotImplementedError

    def more(self, body: Distribution, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield what else the subclass finds."""
        yield from ()

    def gap_finding(
        self, gap: Gap, facts: Facts, matrix: Matrix, message: str, remedy: Remedy | None = None
    ) -> Finding:
        """Return the failing finding of a gap, with the matrix issue that describes it."""
        issue = issue_of(self.id, facts, matrix)
        return self.fails(
            message,
            evidence=gap.evidence,
            remedy=remedy or remedies.install(facts, gap.requirement.text),
            verify=remedies.verify(facts),
            issue=issue.id if issue else None,
            matrix_used=gap.from_matrix or gap.repair is not None or issue is not None,
        )


def gaps(rule: str, body: Distribution, facts: Facts, matrix: Matrix) -> Iterator[Gap]:
    """Yield the packages in that rule's charge that are not as the body needs them, each once."""
    seen: set[str] = set()
    for gap in (
        *_declared(rule, facts),
        *_repairs(rule, body, facts, matrix),
        *_from_matrix(rule, body, facts, matrix),
    ):
        if gap.requirement.name not in seen:
            seen.add(gap.requirement.name)
            yield gap


def _declared(rule: str, facts: Facts) -> Iterator[Gap]:
    for conflict in declared(facts).conflicts:
        if conflict.requirer.name in FAMILY and CHARGE.get(conflict.requirement.name) == rule:
            yield Gap(
                body=conflict.requirer,
                requirement=conflict.requirement,
                installed=conflict.installed,
                source=f"METADATA of {named(conflict.requirer)}",
            )


def _repairs(rule: str, body: Distribution, facts: Facts, matrix: Matrix) -> Iterator[Gap]:
    environment = environment_of(facts)
    for row in repairs_of(body, facts, matrix):
        wanted = read(row.requirement)
        if wanted is None or CHARGE.get(wanted.name) != rule:
            continue
        there = environment.version(wanted.name)
        if there is not None and not admits(wanted.specifier, there):
            yield Gap(body=body, requirement=wanted, installed=there, source=f"repairs/{row.id}", repair=row)


def _from_matrix(rule: str, body: Distribution, facts: Facts, matrix: Matrix) -> Iterator[Gap]:
    """Yield by the wheel's metadata in the matrix, for captures that carry none; absence proves nothing in those."""
    if body.requires:
        return
    environment, variables = environment_of(facts), variables_of(facts)
    for line in requires_of(body, facts, matrix):
        wanted = read(line)
        if wanted is None or CHARGE.get(wanted.name) != rule:
            continue
        there = environment.version(wanted.name)
        unmet = there is not None and not admits(wanted.specifier, there)
        if unmet and (not wanted.marker or decide(wanted.marker, variables)):
            source = f"releases/{body.name}"
            yield Gap(body=body, requirement=wanted, installed=there, source=source, from_matrix=True)


def repairs_of(body: Distribution, facts: Facts, matrix: Matrix) -> tuple[Repair, ...]:
    """Return the repairs that the installed TensorFlow needs on this Python."""
    interpreter = known(facts.interpreter)
    python = known(interpreter.version) if interpreter else None
    return repairs_for(matrix, body.name, body.version, python)
