"""PIN520–PIN524 and PIN531: pins that leave out what TensorFlow requires, or that ask for another TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator

from compat.matrix import query
from compat.matrix.versions import contains, is_final, order
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case, finding, wording
from compat.verdict.pins.finding import Cure, PinFinding
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.situation import Placed
from compat.verdict.pins.wanted import Outcome, Refused, Wanted

KERAS = ("keras", "tf-keras", "keras-nightly")
ADDONS = frozenset(
    (
        "tensorflow-addons",
        "tensorflow-datasets",
        "tensorflow-hub",
        "tensorflow-io",
        "tensorflow-io-gcs-filesystem",
        "tensorflow-probability",
        "tensorflow-text",
        "tf-models-official",
    )
)
"""Followed by the matrix; most are made for one minor of TensorFlow."""


class Coupling(PinRule):
    """Do the pins of TensorFlow and of a package it requires, or that requires it, have a version in common?

    An installer finds no solution, or takes a much older TensorFlow. What each release requires is in its wheel's
    metadata, of which the matrix keeps that of TensorFlow's distributions and of their add-ons.

    Source: Requires-Dist in ``releases/``.
    """

    ends = True

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield a pin that leaves out every TensorFlow the file admits."""
        found = tuple(
            (outcome, row)
            for outcome, row in case.refusals(*query.TENSORFLOWS)
            if row.why == "conflict" and row.says and row.by is not None and self.is_about(row.by.name)
        )
        if any(outcome.tensorflow for outcome in case.outcomes):
            return
        if found:
            yield self._finding(*found[0], case)

    def is_about(self, name: str) -> bool:
        """Tell whether the rule is about that package."""
        raise NotImplementedError

    def _finding(self, outcome: Outcome, refused: Refused, case: Case) -> PinFinding:
        assert refused.by is not None  # noqa: S101 - check() took only these
        row = refused.by.first
        text = f"{wording(row.pin)} does not go with {refused.wanted}: {refused.says}"
        return finding(self.id, self.severity, row, text, case, tuple(_fitting(outcome, refused, case)))


def _fitting(outcome: Outcome, refused: Refused, case: Case) -> Iterator[Cure]:
    """The newest release that TensorFlow takes, or the add-on of its minor; a range takes TensorFlow's own bounds."""
    row = refused.by.first if refused.by else refused.wanted.first
    offered = list(case.offers.installable(row.pin.name, case.situation.target(outcome.python)))
    if refused.needs:
        fitting = [version for version in offered if is_final(version) and contains(refused.needs, version)]
    else:
        fitting = list(_made_for(row.pin.name, offered, outcome, refused, case))
    if fitting:
        exact = row.pin.specifier.startswith("==") or not refused.needs
        specifier = f"=={_nearest(fitting, row.pin.specifier[2:])}" if exact else refused.needs
        yield Cure(path=row.path, pin=row.pin, specifier=specifier)


def _nearest(versions: list[str], pinned: str) -> str:
    """The newest that is older than what was pinned, else the oldest: whoever pinned it meant one like it."""
    older = [version for version in versions if order(version) <= order(pinned)]
    return max(older, key=order) if older else min(versions, key=order)


def _made_for(name: str, offered: list[str], outcome: Outcome, refused: Refused, case: Case) -> Iterator[str]:
    """Releases of an add-on that require the newest TensorFlow which the file admits there."""
    target = case.situation.target(outcome.python)
    versions = refused.wanted.among(case.offers.installable(refused.wanted.name, target))
    for version in filter(is_final, offered if versions else ()):
        body = case.offers.body(refused.wanted.name, versions[0], target)
        there = {refused.wanted.name: versions[0]} | (dict([body]) if body else {})
        needs = [need for need in case.offers.needs(name, version, target) if need.name in there]
        if needs and all(contains(str(need.specifier), there[need.name]) for need in needs):
            yield version


class NumPy(Coupling):
    """Do the pins of NumPy and TensorFlow's have a version in common?

    An installer finds no solution, or takes a much older TensorFlow. What each release requires is in its wheel's
    metadata, of which the matrix keeps that of TensorFlow's distributions and of their add-ons.

    Source: Requires-Dist in ``releases/``.
    """

    id = "PIN520"
    title = "NumPy's pin goes with TensorFlow's"

    def is_about(self, name: str) -> bool:
        """Tell whether it is NumPy."""
        return name == "numpy"


class Protobuf(Coupling):
    """Do the pins of protobuf and TensorFlow's have a version in common?

    An installer finds no solution, or takes a much older TensorFlow. What each release requires is in its wheel's
    metadata, of which the matrix keeps that of TensorFlow's distributions and of their add-ons.

    Source: Requires-Dist in ``releases/``.
    """

    id = "PIN521"
    title = "protobuf's pin goes with TensorFlow's"

    def is_about(self, name: str) -> bool:
        """Tell whether it is protobuf."""
        return name == "protobuf"


class Keras(Coupling):
    """Do the pins of Keras or tf-keras and of TensorFlow go together?

    TensorFlow up to 2.15 requires the Keras of its own minor, 2.16 and newer require Keras 3; ``tf-keras`` belongs to
    the TensorFlow of its own minor.

    Source: Requires-Dist of both in ``releases/``.
    """

    id = "PIN522"
    title = "the pins of Keras go with TensorFlow's"

    def is_about(self, name: str) -> bool:
        """Tell whether it is a Keras."""
        return name in KERAS


class OtherRequirement(Coupling):
    """Do the pins of what TensorFlow requires and TensorFlow's have a version in common?

    An installer finds no solution, or takes a much older TensorFlow. What each release requires is in its wheel's
    metadata, of which the matrix keeps that of TensorFlow's distributions and of their add-ons.

    Source: Requires-Dist in ``releases/``.
    """

    id = "PIN523"
    title = "other pins go with what TensorFlow requires"

    def is_about(self, name: str) -> bool:
        """Tell whether no other rule is about it."""
        return name not in ("numpy", "protobuf", *KERAS, *ADDONS, *query.TENSORFLOWS)


class AddOn(Coupling):
    """Are the add-ons those of TensorFlow's minor?

    tensorflow-text, tf-models-official and others are built for one minor of TensorFlow and say so in their metadata;
    pins of two minors have no solution.

    Source: Requires-Dist of the add-ons in ``releases/``.
    """

    id = "PIN531"
    title = "add-ons are those of TensorFlow's minor"

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield add-ons without a common version, and those that name another TensorFlow under an extra."""
        yield from super().check(case)
        told: set[str] = set()
        for outcome, taken in case.taken():
            for row in case.situation.on(outcome.python):
                if row.pin.name in ADDONS - _PARTS and row.pin.name not in told and taken.body:
                    says = _window(row, taken.body[1], outcome.python, case)
                    if says:
                        told.add(row.pin.name)
                        text = f"{wording(row.pin)} is made for another TensorFlow than {taken.body[1]}:"
                        text += f" it names {says}"
                        yield finding(self.id, Severity.WARNING, row, text, case)

    def is_about(self, name: str) -> bool:
        """Tell whether it is an add-on."""
        return name in ADDONS


_PARTS = {"tensorflow-io-gcs-filesystem"}
"""TensorFlow itself requires these, whatever window their extras name."""
_EXTRAS = ("tensorflow", "tensorflow-cpu", "tensorflow-macos", "tf")
"""Extras under which an add-on names the TensorFlow it is made for without requiring it."""


def _window(row: Placed, version: str, python: str, case: Case) -> str:
    """What every release that the pin admits names, where all leave the version out; empty otherwise."""
    target = case.situation.target(python)
    wanted = Wanted(name=row.pin.name, placed=(row,))
    says = ""
    for release in wanted.among(case.offers.installable(row.pin.name, target)):
        named = [need for need in case.offers.named(row.pin.name, release, target, _EXTRAS) if need.specifier]
        plain = any(need.name in query.TENSORFLOWS for need in case.offers.needs(row.pin.name, release, target))
        if plain or not named or any(contains(str(need.specifier), version) for need in named):
            return ""
        says = says or f"{named[0].name}{named[0].specifier}"
    return says


class LegacyOptimizers(PinRule):
    """Which optimizers does this pair train with?

    Keras 2.11 brought new optimizers that are slow on Apple's GPU. Keras 2.11 to 2.13 swaps them for the legacy ones by
    itself on Apple silicon, 2.14 and 2.15 only an optimizer given by name ("adam"), and Keras 3 (TensorFlow 2.16 and
    newer) has no legacy ones: ``tf.keras.optimizers.legacy`` needs tf-keras and TF_USE_LEGACY_KERAS=1 there.

    Remarked where a plugin is pinned. Source: the wheels of Keras; issues ISS036 and ISS038 of the matrix.
    """

    id = "PIN524"
    title = "the optimizers this pair trains with"
    severity = Severity.INFO

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Remark a pair under which instances of the new optimizers stay slow."""
        row = case.plugin_pin()
        bodies = {outcome.body for outcome in case.outcomes if outcome.plugin and outcome.body}
        if row is None or len(bodies) != 1 or case.platform != "macos-arm64":
            return
        body = next(iter(bodies)) or ""
        if contains(">=2.14,<2.16", body):
            text = f"TensorFlow {body} swaps only optimizers given by name for the legacy ones, which are quicker on"
            text += ' Metal: compile with "adam" or tf.keras.optimizers.legacy.Adam()'
            yield finding(self.id, self.severity, row, text, case)
        elif contains(">=2.16", body) and case.of("tf-keras"):
            text = "tf-keras is used as tf.keras, with its legacy optimizers, only where TF_USE_LEGACY_KERAS=1 is set"
            yield finding(self.id, self.severity, case.of("tf-keras")[0], text, case)


RULES: tuple[PinRule, ...] = (NumPy(), Protobuf(), Keras(), OtherRequirement(), AddOn(), LegacyOptimizers())
