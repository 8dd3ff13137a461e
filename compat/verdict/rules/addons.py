"""TF316: add-ons that are made for one minor of TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution
from compat.matrix.load import Matrix
from compat.matrix.model import Release
from compat.matrix.query import wheel_for
from compat.matrix.versions import is_final, minor
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
from compat.verdict.rule import MissingFactError, Rule, environment_of
from compat.verdict.rules import remedies
from compat.verdict.rules.declared import Requirement, admits, read, requires_of
from compat.verdict.rules.installed import FAMILY, body_of, named, target_of
from compat.verdict.rules.known_issues import issue_of
from compat.verdict.rules.markers import decide, variables_of

NOT_ADD_ONS = {"tf-keras", "tensorflow-estimator", "tensorflow-io-gcs-filesystem"}
"""tf-keras is told by TF314; the others are parts that TensorFlow itself requires: the first within its own bounds, the
second whatever window its extras name."""
EXTRAS = {*FAMILY, "tf"}
"""Extras under which an add-on names the TensorFlow it is made for without requiring it."""


class AddOnMinor(Rule):
    """Is each add-on made for this TensorFlow?

    ``tensorflow-text``, ``tensorflow-io``, ``tensorflow-addons``, ``tf-models-official`` and the like are compiled
    against, or written for, one or a few minors of TensorFlow, and fail with missing symbols or attributes beside
    another. Each says so in its metadata: as a requirement, or under an extra named after TensorFlow, which installers
    do not look at (``tensorflow-io`` and ``tensorflow-addons``). Both are read here. A requirement that is not met is
    an error, a window named by an extra only a warning.

    Looks at the Requires-Dist of what is installed, or of its wheel in the matrix where a capture has none.
    Remedy: the release of the add-on made for this TensorFlow, where it has a wheel for this Python and platform.
    Source: the add-ons' own metadata on pypi.org (``releases/``). ``tensorflow-addons`` is wound down and ends with
    TensorFlow 2.15 (https://github.com/tensorflow/addons/issues/2807); ``tensorflow-io`` ends with 2.16.
    """

    id = "TF316"
    title = "add-ons are made for this TensorFlow"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each installed distribution whose window does not hold the installed TensorFlow."""
        environment = environment_of(facts)
        body = body_of(facts, matrix)
        if body is None:
            yield self.says(Status.SKIPPED, f"{self.title}: no TensorFlow to compare with")
            return
        for item in environment.distributions:
            if item.name in FAMILY or item.name in NOT_ADD_ONS:
                continue
            # Only what may be an add-on is looked up in the matrix: most distributions rightly require nothing.
            lines = requires_of(item, facts, matrix) if item.requires or _may_name(item.name) else ()
            windows = windows_of(lines, facts)
            window = next((one for one in windows if not admits(one.specifier, body.version)), None)
            if window is not None:
                yield self._finding(item, window, body, facts, matrix)

    def _finding(
        self, item: Distribution, window: Requirement, body: Distribution, facts: Facts, matrix: Matrix
    ) -> Finding:
        issue = issue_of(self.id, facts, matrix)
        return self.fails(
            f"{named(item)} is made for {window.text}, and {named(body)} is installed",
            severity=Severity.WARNING if "extra" in window.marker else Severity.ERROR,
            evidence=[Evidence(fact=f"{named(item)} names {window.text}", source=f"METADATA of {named(item)}")],
            remedy=_remedy(item, body, facts, matrix),
            verify=remedies.verify(facts),
            issue=issue.id if issue else None,
            matrix_used=True,
        )


def windows_of(lines: tuple[str, ...], facts: Facts) -> tuple[Requirement, ...]:
    """Return the requirements that say for which TensorFlow an add-on is made; an extra counts only where it is all.

    tensorflow-text's own extras lag behind its requirement: 2.16.1 names tensorflow-cpu<2.16 under one.
    """
    variables = variables_of(facts)
    found = [wanted for line in lines if _may_name(line) and (wanted := read(line)) and wanted.name in FAMILY]
    plain = [item for item in found if "extra" not in item.marker]
    holding = [item for item in plain if item.specifier and (not item.marker or decide(item.marker, variables))]
    extras = [item for item in found if item.specifier and _extra(item.marker) in EXTRAS]
    return tuple(holding if plain else sorted(extras, key=_plainness)[:1])


def _may_name(line: str) -> bool:
    """A cheap test first: of some five hundred lines hardly one names TensorFlow."""
    return line.startswith(("tensorflow", "tf-", "tf_", "intel-tensorflow"))


def _extra(marker: str) -> str:
    return marker.partition("extra == ")[2].strip("\"' ")


def _plainness(item: Requirement) -> int:
    return FAMILY.index(item.name)


def _remedy(item: Distribution, body: Distribution, facts: Facts, matrix: Matrix) -> Remedy:
    fitting = release_for(item.name, body.version, facts, matrix)
    if fitting:
        return remedies.install(
            facts, f"{item.name}=={fitting}", text=f"{item.name} {fitting} is made for {named(body)}"
        )
    return remedies.new_environment(
        f"no known release of {item.name} is made for TensorFlow {minor(body.version)} on this Python and platform: "
        f"take a TensorFlow of its window, or do without {item.name}"
    )


def release_for(name: str, tensorflow: str, facts: Facts, matrix: Matrix) -> str | None:
    """Return the newest release of an add-on whose window holds that TensorFlow and that has a wheel here."""
    try:
        target = target_of(facts)
    except MissingFactError:
        return None
    for row in matrix.releases(name):
        wheel = wheel_for(row, target)
        if wheel is None or not _is_offered(row):
            continue
        windows = windows_of(wheel.requires or (), facts)
        if windows and all(admits(window.specifier, tensorflow) for window in windows):
            return row.version
    return None


def _is_offered(row: Release) -> bool:
    return is_final(row.version) and row.yanked is None


RULES: tuple[Rule, ...] = (AddOnMinor(),)
