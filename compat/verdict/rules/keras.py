"""TF314: which Keras answers as ``tf.keras``, and whether it can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compat.facts.capture import Facts
from compat.facts.environment import Distribution
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.versions import contains, minor
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import Rule, environment_of
from compat.verdict.rules import remedies
from compat.verdict.rules.couplings import Coupling, Gap, in_charge
from compat.verdict.rules.declared import declared
from compat.verdict.rules.installed import named, plugin_of

VARIABLE = "TF_USE_LEGACY_KERAS"
MEANT_BY = {"true", "True", "1"}
"""The only values TensorFlow reads as yes (``tensorflow/python/util/lazy_loader.py`` of the wheels)."""


class KerasCoupling(Coupling):
    """Do TensorFlow, Keras, tf-keras and TF_USE_LEGACY_KERAS go together?

    TensorFlow up to 2.15 takes the Keras of its own minor. With Keras 3 there, ``tf.keras`` of 2.14 and older cannot be
    used (measured on 2.14.1: no module named ``keras.api._v2``), and 2.15 silently takes Keras 3 as ``tf.keras``
    (measured on 2.15.1). TensorFlow 2.16 and newer want Keras 3. From 2.15 on the variable TF_USE_LEGACY_KERAS (values
    ``true``, ``True`` and ``1``) makes ``tf-keras`` answer instead; without that package ``tf.keras`` ends in
    ImportError. ``tf-keras`` from 2.15.1 on belongs to the TensorFlow of its own minor.

    On Apple silicon Keras 2.14 and 2.15 turn an optimizer given by name ("adam") into the legacy one, which is quicker
    on Metal, and keep an instance as it is; that is remarked beside a plugin.

    Remedy: the Keras, or tf-keras, that TensorFlow requires.
    Source: https://github.com/tensorflow/tensorflow/releases/tag/v2.16.1; the loader and the optimizers in the wheels.
    """

    id = "TF314"
    title = "TensorFlow, Keras and tf-keras go together"

    def told(self, gap: Gap, facts: Facts, matrix: Matrix) -> Finding:
        """Say what the Keras that is there means for ``tf.keras``."""
        message, severity = _keras(gap)
        return replace(self.gap_finding(gap, facts, matrix, message), severity=severity)

    def more(self, body: Distribution, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield what follows from tf-keras and the variable, and the remark on optimizers."""
        yield from self._legacy_variable(body, facts)
        yield from self._tf_keras(body, facts)
        yield from self._optimizers(body, facts)

    def _legacy_variable(self, body: Distribution, facts: Facts) -> Iterator[Finding]:
        value = dict(facts.machine.environment).get(VARIABLE)
        if value not in MEANT_BY or environment_of(facts).distribution("tf-keras"):
            return
        seen = Evidence(fact=f"{VARIABLE}={value}, and tf-keras is not installed", source="measured here")
        if contains("<2.15.dev0", body.version):
            yield self.fails(
                f"{VARIABLE} is set, and {named(body)} does not read it",
                severity=Severity.INFO,
                evidence=[seen],
                remedy=Remedy(text="the variable means something from TensorFlow 2.15 on; it does no harm here"),
            )
            return
        yield self.fails(
            f"{VARIABLE} is set, and tf-keras is not installed: using tf.keras ends in ImportError",
            evidence=[seen],
            remedy=remedies.install(
                facts, _tf_keras_for(body), text=f"install tf-keras of TensorFlow's minor, or unset {VARIABLE}"
            ),
            verify=remedies.verify(facts),
        )

    def _tf_keras(self, body: Distribution, facts: Facts) -> Iterator[Finding]:
        found = environment_of(facts).distribution("tf-keras")
        if found is None:
            return
        declares = [
            item.said for item in declared(facts).conflicts if _is_about(item.requirer, found, in_charge(item, body))
        ]
        if not declares and not _other_minor(found, body):
            return
        reason = declares[0] if declares else f"{named(found)} beside {named(body)}"
        asked = dict(facts.machine.environment).get(VARIABLE) in MEANT_BY
        yield self.fails(
            f"{named(found)} is not of the minor of {named(body)}",
            severity=Severity.ERROR if asked else Severity.WARNING,
            evidence=[Evidence(fact=reason, source=f"METADATA of {named(found)}" if declares else "measured here")],
            remedy=remedies.install(facts, _tf_keras_for(body)),
            verify=remedies.verify(facts),
        )

    def _optimizers(self, body: Distribution, facts: Facts) -> Iterator[Finding]:
        environment = environment_of(facts)
        keras, plugin = environment.distribution("keras"), plugin_of(environment)
        silicon = known(facts.machine.os) == "macos" and known(facts.machine.architecture) == "arm64"
        if keras is None or plugin is None or not silicon or not contains(">=2.14,<2.16", keras.version):
            return
        yield self.fails(
            f"{named(keras)} on Apple silicon turns optimizers given by name into the legacy ones, instances not",
            severity=Severity.INFO,
            evidence=[Evidence(fact=f"{named(keras)}, {named(plugin)}, {named(body)}", source="measured here")],
            remedy=Remedy(
                text='the new optimizers are slow on Metal: compile with "adam" or tf.keras.optimizers.legacy.Adam()'
            ),
        )


def _keras(gap: Gap) -> tuple[str, Severity]:
    name, there, body = gap.requirement.name, gap.installed, gap.body
    if there is None:
        return f"{name} is missing, and {named(body)} cannot be imported without it", Severity.ERROR
    if contains(">=3", there) and contains("<2.15.dev0", body.version):
        return f"Keras {there} is installed, and {named(body)} cannot use Keras 3: tf.keras fails", Severity.ERROR
    if contains(">=3", there) and contains("<2.16.dev0", body.version):
        return (
            f"Keras {there} is installed, and {named(body)} takes it as tf.keras in place of Keras 2",
            Severity.WARNING,
        )
    return f"Keras {there} is outside the range {named(body)} declares ({gap.requirement.text})", Severity.WARNING


def _is_about(requirer: Distribution, tf_keras: Distribution, charge: str | None) -> bool:
    return requirer.name == tf_keras.name and charge == KerasCoupling.id


def _other_minor(tf_keras: Distribution, body: Distribution) -> bool:
    return contains(">=2.15.1", tf_keras.version) and minor(tf_keras.version) != minor(body.version)


def _tf_keras_for(body: Distribution) -> str:
    return f"tf-keras~={minor(body.version)}.0"


RULES: tuple[Rule, ...] = (KerasCoupling(),)
