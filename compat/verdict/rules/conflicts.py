"""TF318: requirements that installed distributions declare and that are not met, whoever declares them."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution
from compat.matrix.load import Matrix
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
from compat.verdict.rule import Rule, environment_of
from compat.verdict.rules import remedies
from compat.verdict.rules.couplings import in_charge
from compat.verdict.rules.declared import Conflict, admits, declared
from compat.verdict.rules.installed import FAMILY, body_of, members, named

NOT_IMPORTED = {
    "google-pasta", "grpcio", "h5py", "libclang", "setuptools", "tensorboard", "tensorflow-io-gcs-filesystem", "wheel",
}  # fmt: skip
"""What TensorFlow declares and ``import tensorflow`` does without: measured on 2.10.1 and 2.18.1 by hiding each
dependency in turn; each of the others ended the import."""

_MACS = {"tensorflow", "tensorflow-macos"}


class DeclaredConflicts(Rule):
    """Is every requirement met that an installed distribution declares?

    The question ``pip check`` asks, asked here for the interpreter looked at: each Requires-Dist line of each
    distribution is compared with what is installed, its marker evaluated with that interpreter's version, platform and
    machine. Extras are not considered. A conflict is what someone declared, not a failure seen, so it is a warning;
    it is an error where TensorFlow itself lacks a package that its import needs. What the rules on NumPy, protobuf,
    Keras, other pins and add-ons (TF311–TF316) tell with a reason stands under their findings.

    A requirement named ``tensorflow`` where ``tensorflow-cpu``, ``tensorflow-macos`` or another of its distributions
    carries the same package at a version that fits is only remarked: the code is there under another name.

    Remedy: install what is required, as long as no other distribution requires the opposite; then look again.
    Source: the core metadata specification (Requires-Dist), PEP 508 markers.
    """

    id = "TF318"
    title = "declared requirements are met"
    severity = Severity.WARNING
    consequence_of = ("TF321",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each unmet requirement; unknown where a marker turns on an unknown fact."""
        found = declared(facts)
        for conflict in found.conflicts:
            yield self._finding(conflict, facts, matrix)
        for doubt in found.undecided:
            what = f"{doubt.requirement}, which {named(doubt.requirer)} requires"
            yield self.says(Status.UNKNOWN, f"{self.title}: unknown for {what}: {doubt.why}")

    def _finding(self, conflict: Conflict, facts: Facts, matrix: Matrix) -> Finding:
        carrier = _carrier(conflict, facts, matrix)
        if carrier and admits(conflict.requirement.specifier, carrier.version):
            return self._remark(conflict, carrier)
        cause = _cause(conflict, facts, matrix)
        return self.fails(
            _said(conflict, carrier),
            severity=_severity(conflict),
            evidence=[_evidence(conflict)],
            remedy=Remedy(text=f"see {cause}") if cause else remedies.install(facts, conflict.requirement.text),
            verify=remedies.verify(facts),
            caused_by=cause,
        )

    def _remark(self, conflict: Conflict, carrier: Distribution) -> Finding:
        return self.fails(
            _said(conflict, carrier),
            severity=Severity.INFO,
            evidence=[_evidence(conflict)],
            remedy=Remedy(
                text="nothing is missing; installers will call this a conflict, install with --no-deps there"
            ),
        )


def _evidence(conflict: Conflict) -> Evidence:
    return Evidence(fact=conflict.said, source=f"METADATA of {named(conflict.requirer)}", tier="installs")


def _severity(conflict: Conflict) -> Severity:
    import_needs_it = conflict.requirer.name in FAMILY and conflict.requirement.name not in NOT_IMPORTED
    return Severity.ERROR if import_needs_it and conflict.installed is None else Severity.WARNING


def _carrier(conflict: Conflict, facts: Facts, matrix: Matrix) -> Distribution | None:
    """Return the distribution that carries TensorFlow where one of its other names is required; None elsewhere."""
    if conflict.requirement.name not in FAMILY or conflict.installed or conflict.requirer.name in FAMILY:
        return None
    return body_of(facts, matrix)


def _said(conflict: Conflict, carrier: Distribution | None) -> str:
    if carrier is None:
        return conflict.said
    requirer = named(conflict.requirer)
    return f"{requirer} requires {conflict.requirement.text}, and {named(carrier)} carries the same package"


def _cause(conflict: Conflict, facts: Facts, matrix: Matrix) -> str | None:
    """Return the rule whose finding tells this conflict with its reason."""
    body, wanted = body_of(facts, matrix), conflict.requirement.name
    if conflict.requirer.name in FAMILY and wanted in FAMILY:
        if body is None:
            return "TF302"
        other = conflict.installed not in {None, conflict.requirer.version}
        return "TF303" if other and {conflict.requirer.name, wanted} == _MACS else None
    if body is None:
        return "TF301" if wanted in FAMILY and not members(environment_of(facts)) else None
    return in_charge(conflict, body)


RULES: tuple[Rule, ...] = (DeclaredConflicts(),)
