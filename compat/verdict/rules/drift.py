"""TF315: a measured repair of the matrix that this TensorFlow needs today and that is not in place."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.model import Repair
from compat.verdict.finding import Evidence, Finding, Severity, Status
from compat.verdict.rule import Rule, environment_of
from compat.verdict.rules import remedies
from compat.verdict.rules.couplings import CHARGE, repairs_of
from compat.verdict.rules.declared import Requirement, admits, read
from compat.verdict.rules.installed import body_of, named
from compat.verdict.rules.known_issues import issue_of

_SEVERITY = {"tensorboard": Severity.WARNING}
"""By the step that fails without the repair; import, fit and save are what TensorFlow is for."""


class RepairMissing(Rule):
    """Is every repair in place that this TensorFlow needs with today's packages?

    TensorFlow's requirements were written in its day and name few upper bounds, so installers put today's packages
    beside it and call the result compatible. The matrix holds the constraints that were seen to be needed and seen to
    help: for each TensorFlow release the plain environment was installed, the step that failed noted, the constraint
    added. The usual one: setuptools 82 and newer no longer bring ``pkg_resources``, which TensorBoard up to 2.20
    imports. TensorFlow 2.21 no longer brings TensorBoard at all, which is only remarked.

    What concerns NumPy, protobuf, Keras and other pins is told by TF311–TF314.

    Looks at the repairs for the installed TensorFlow and Python, the installed versions, and whether ``pkg_resources``
    can be imported. A broken import or training is an error, a broken TensorBoard a warning.
    Remedy: the repair's own requirement.
    Source: ``matrices/repairs/``, measured by ``scripts/locks``; https://setuptools.pypa.io/en/stable/history.html#v82-0-0.
    """

    id = "TF315"
    title = "the repairs this TensorFlow needs today are in place"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each repair that applies and is not in place."""
        environment = environment_of(facts)
        body = body_of(facts, matrix)
        if body is None:
            yield self.says(Status.SKIPPED, f"{self.title}: no TensorFlow to repair")
            return
        for row in repairs_of(body, facts, matrix):
            wanted = read(row.requirement)
            if wanted is not None and wanted.name not in CHARGE and _is_missing(row, wanted, environment):
                yield self._finding(row, wanted, body, facts, matrix)

    def _finding(self, row: Repair, wanted: Requirement, body: Distribution, facts: Facts, matrix: Matrix) -> Finding:
        there = environment_of(facts).version(wanted.name)
        seen = f"{wanted.name} {there}" if there else f"no {wanted.name}"
        issue = issue_of(self.id, facts, matrix)
        failure = f"{row.step} fails without {row.requirement}: {row.failure}"
        return self.fails(
            f"{named(body)} needs {row.requirement} for {row.step}, and the environment has {seen}",
            severity=Severity.INFO
            if row.adds and row.step == "tensorboard"
            else _SEVERITY.get(row.step, Severity.ERROR),
            evidence=[
                Evidence(fact=seen, source="measured here"),
                Evidence(fact=failure, source=f"repairs/{row.id}", tier="runs"),
            ],
            remedy=remedies.install(facts, row.requirement),
            verify=remedies.verify(facts),
            issue=issue.id if issue else None,
            matrix_used=True,
        )


def _is_missing(row: Repair, wanted: Requirement, environment: Environment) -> bool:
    there = environment.version(wanted.name)
    if row.step == "tensorboard" and not row.adds and environment.version("tensorboard") is None:
        return False
    has_pkg_resources = known(environment.has_pkg_resources)
    if wanted.name == "setuptools" and has_pkg_resources is not None:
        return not has_pkg_resources
    if there is None:
        return row.adds
    return not admits(wanted.specifier, there)


RULES: tuple[Rule, ...] = (RepairMissing(),)
