"""TF319–TF321: whether the environment's own bookkeeping can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.matrix.load import Matrix
from compat.matrix.versions import parse
from compat.verdict.finding import Evidence, Finding, Severity
from compat.verdict.rule import Rule, environment_of
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import named

PIP_LIKE = {"pip", "uv", "poetry", "pdm"}


class InstalledTwice(Rule):
    """Is a distribution installed twice in the same place?

    Two ``dist-info`` folders of one name are what an interrupted or forced installation leaves. Python reads one of
    them, an installer may read the other, and the files may be a mixture.

    Remedy: reinstall it (uv removes every copy it finds, then installs one).
    Source: measured with uv: two dist-info folders of one name, ``--reinstall-package`` leaves one.
    """

    id = "TF319"
    title = "every distribution is installed once"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each name that is there more than once."""
        environment = environment_of(facts)
        for name in environment.duplicates:
            found = [item for item in environment.distributions if item.name == name]
            versions = " and ".join(item.version for item in found)
            yield self.fails(
                f"{name} is installed more than once" + (f" ({versions})" if versions else ""),
                evidence=_places(found)
                or (Evidence(fact=f"several dist-info folders of {name}", source="measured here"),),
                remedy=remedies.reinstall(facts, *found[:1]) if found else remedies.install(facts, name),
                verify=remedies.verify(facts),
            )


def _places(found: list[Distribution]) -> tuple[Evidence, ...]:
    return tuple(Evidence(fact=f"{named(item)} in {item.location}", source="measured here") for item in found)


class TwoInstallers(Rule):
    """Do conda and pip own the same package?

    In a conda environment a package that pip installed over conda's leaves two records of one set of files: conda
    believes in its own version, Python may import the other, and the next command of either breaks both. Two copies of
    protobuf or NumPy are the usual case.

    Looks at ``conda-meta`` and at the INSTALLER of each ``dist-info``.
    Remedy: one installer an environment; build a new one rather than repair this. Nothing is offered that lets pip
    write over conda's files.
    """

    id = "TF320"
    title = "conda and pip do not own the same package"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield one finding that names every package with two owners."""
        shared = sorted(_shared(environment_of(facts)))
        if shared:
            yield self.fails(
                f"conda and pip both own {', '.join(shared)}",
                evidence=[
                    Evidence(fact=f"{name}: a conda-meta record, and a dist-info that conda did not write")
                    for name in shared
                ],
                remedy=remedies.new_environment("use one installer for an environment: make a new one"),
            )


def _shared(environment: Environment) -> set[str]:
    conda = {item.name for item in environment.distributions if item.conda}
    return {
        item.name
        for item in environment.distributions
        if item.name in conda and ((item.installer or "").lower() in PIP_LIKE or not item.conda)
    }


class UnreadableMetadata(Rule):
    """Can the metadata of every distribution be read?

    A METADATA file that is cut short, is not UTF-8 or names no version hides what a distribution requires, and makes
    installers stop or guess. It is what a full disk or an interrupted installation leaves.

    Remedy: reinstall the distribution.
    Source: measured with uv: a dist-info without METADATA is replaced by ``--reinstall-package``.
    """

    id = "TF321"
    title = "the metadata of every distribution can be read"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each distribution that has a problem."""
        for item in environment_of(facts).distributions:
            if item.problem is None:
                continue
            version = parse(item.version)
            yield self.fails(
                f"the metadata of {item.name} in {item.location} cannot be read: {item.problem}",
                evidence=[Evidence(fact=item.problem, source=item.location)],
                remedy=remedies.reinstall(facts, item) if version else remedies.install(facts, item.name),
                verify=remedies.verify(facts),
            )


RULES: tuple[Rule, ...] = (InstalledTwice(), TwoInstallers(), UnreadableMetadata())
