"""Rules about what was measured: whether each device computes right, precisely, and by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compat.facts.capture import Facts
from compat.facts.numerics import Check, Numerics
from compat.matrix.load import Matrix
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
from compat.verdict.rule import MissingFactError, Rule, numerics_of
from compat.verdict.rules import remedies
from compat.verdict.rules.measured import (
    MORE_MEMORY,
    blames_another,
    checks_on,
    device_of_death,
    ending_of_check,
    memory_ran_out,
    must_have_run,
    names_of,
    other_devices,
    shown,
    smoke_command,
)
from compat.verdict.rules.wrong import known_issue, pattern, place, remedy, simplest_first, worst_of_each

SPEED = re.compile(r": (\d[\d.e+-]*) times the CPU's speed$")
"""How the battery tells the speed of a device."""
BROKEN = "build a new environment; if the control fails there too, report it"


class ControlPasses(Rule):
    """The CPU computes right: the control of all that follows.

    The same battery runs on the CPU first. If that fails, the installation or this checker is broken, and what any GPU
    computes says nothing.

    Looks at: the checks on the CPU.
    Remedy: a new environment; if it fails there too, report it with `tfcompat facts`. More memory where that ran out.
    Source: measured here, against a float64 reference.
    """

    id = "NUM602"
    title = "the CPU computes right (the control)"
    consequence_of = ("NUM601",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield that checks fail on the CPU, or that one took the process down."""
        numerics = numerics_of(facts)
        on_cpu = [check for check in numerics.checks if check.device.startswith("CPU")]
        bad = [check for check in on_cpu if check.status in {"fails", "crashed"} and not blames_another(check)]
        died = device_of_death(numerics)
        if bad or (died or "").startswith("CPU"):
            what = f"{len(bad)} of {len(on_cpu)} checks fail" if bad else f"{numerics.last_check} does not come back"
            memory = memory_ran_out(numerics, bad)
            blame = "memory ran out" if memory else "installation or checker is broken, not the GPU"
            yield self.fails(
                f"on the CPU, the control, {what}: {blame}",
                evidence=[
                    *([Evidence(fact=f"memory ran out: {memory}", source="measured here")] if memory else []),
                    *(shown(bad) or [Evidence(fact=ending_of_check(numerics), source="measured here")]),
                ],
                remedy=MORE_MEMORY if memory else remedies.new_environment(BROKEN),
                verify=f"{smoke_command(facts)} --device CPU:0",
            )
        elif not on_cpu or (numerics.outcome != "ran" and died is None):
            must_have_run(numerics, "CPU")


class RightNumbers(Rule):
    """Every device computes right numbers.

    A GPU that is listed and trains can compute wrong numbers all the same: a compiled Dense layer without its ReLU, a
    gradient in the wrong order. Each operation was computed on small whole and on real numbers, eagerly and compiled,
    and compared with a float64 reference; the bounds admit every legitimate way of summing and rounding.

    Looks at: the checks on each device but the CPU; the matrix's known problems for this pair, chip and macOS.
    Remedy: hide the GPU, or a pair that passes here.
    Source: measured here; `issues/` for what others reported.
    """

    id = "NUM603"
    title = "every device computes right numbers"
    consequence_of = ("NUM602",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each device that computes wrong numbers, with the operations and the known problem it looks like."""
        numerics = numerics_of(facts)
        devices = other_devices(numerics)
        for device in devices:
            wrong = checks_on(numerics, device, "fails")
            if wrong:
                yield self._wrong(device, wrong, numerics, facts, matrix)
        if not devices and numerics.outcome == "ran":
            yield self.says(Status.SKIPPED, "no device besides the CPU to measure")
        elif not any(checks_on(numerics, device, "fails") for device in devices):
            must_have_run(numerics, devices[0] if devices else "the GPU")
            self._must_have_computed(numerics, devices)

    def _must_have_computed(self, numerics: Numerics, devices: Sequence[str]) -> None:
        """A device on which nothing ran has not passed: everything may have been moved to the CPU."""
        idle = [device for device in devices if not checks_on(numerics, device, "passes", "crashed")]
        if idle:
            raise MissingFactError(f"what {idle[0]} computes", "was not measured: no operation ran there")

    def _wrong(self, device: str, wrong: Sequence[Check], numerics: Numerics, facts: Facts, matrix: Matrix) -> Finding:
        wrong = simplest_first(wrong)
        issue = known_issue(self.id, wrong, facts, matrix)
        like = f"; {issue.id}: {issue.title}" if issue else ""
        extra = [Evidence(fact=f"{issue.id}: {issue.symptom}", source=issue.sources[0].url)] if issue else []
        worst = worst_of_each(wrong)
        return self.fails(
            f"{device} computes wrong numbers: {names_of(wrong)}{like}",
            evidence=[*pattern(wrong, numerics), *shown(worst), place(device, numerics, facts), *extra],
            remedy=remedy(issue),
            verify=f"{smoke_command(facts)} --device {device}",
            issue=issue.id if issue else None,
            matrix_used=issue is not None,
        )


class FullPrecision(Rule):
    """Every device computes with float32's precision.

    Some devices round the inputs of float32 products to fewer bits (TF32, float16, bfloat16), which is fast and not
    what a float32 program asks for. It is told apart from wrong numbers: whole numbers come out exact.

    Looks at: the checks with real numbers.
    Remedy: often none is needed; switch reduced precision off where it matters.
    Source: measured here; the significant bits are estimated from the errors.
    """

    id = "NUM605"
    title = "every device computes with float32's precision"
    severity = Severity.WARNING
    consequence_of = ("NUM603",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each device that is right with fewer bits."""
        numerics = numerics_of(facts)
        found = [
            (device, less)
            for device in ("CPU:0", *other_devices(numerics))
            if (less := _remarks(numerics, device, "precision"))
        ]
        for device, less in found:
            yield self.fails(
                f"{device} is less precise than float32: {names_of(less)}",
                evidence=shown(less),
                remedy=Remedy(
                    text="where it matters: `tf.config.experimental.enable_tensor_float_32_execution(False)` or the CPU"
                ),
                verify=f"{smoke_command(facts)} --device {device}",
            )
        if not found:
            must_have_run(numerics, "CPU")


class KernelsOnDevice(Rule):
    """Every operation of the battery runs on the device.

    Where a device has no kernel, TensorFlow moves the operation to the CPU without a word, and data travel back and
    forth. A remark: the numbers are right, the speed may not be what was hoped for.

    Looks at: the checks that were computed elsewhere for want of a kernel.
    Remedy: none is needed for right numbers.
    Source: measured here.
    """

    id = "NUM606"
    title = "every operation of the battery has a kernel on the device"
    severity = Severity.INFO

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each device with operations that run on the CPU instead."""
        numerics = numerics_of(facts)
        devices = other_devices(numerics)
        moved = {device: _remarks(numerics, device, "cpu") for device in devices}
        for device, checks in moved.items():
            if checks:
                yield self.fails(f"{device} has no kernel for {names_of(checks)}: CPU instead", evidence=shown(checks))
        if not devices and numerics.outcome == "ran":
            yield self.says(Status.SKIPPED, "no device besides the CPU to measure")
        elif not any(moved.values()):
            must_have_run(numerics, devices[0] if devices else "CPU")


class SameAnswerAgain(Rule):
    """The same computation gives the same bits again.

    A device may add in another order each time, which is legitimate and makes a training run impossible to repeat; it
    is worth knowing before a difference between two runs is looked for elsewhere.

    Looks at: the checks that were computed twice from the same values.
    Remedy: none is needed for right numbers.
    Source: measured here.
    """

    id = "NUM608"
    title = "the same computation gives the same bits again"
    severity = Severity.INFO
    consequence_of = ("NUM602", "NUM603")

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each device whose answers vary."""
        numerics = numerics_of(facts)
        devices = ["CPU:0", *other_devices(numerics)]
        varying = {device: _remarks(numerics, device, "order") for device in devices}
        for device, checks in varying.items():
            if checks:
                yield self.fails(
                    f"{device} gives other bits for the same input: {names_of(checks)}",
                    evidence=shown(checks),
                    remedy=Remedy(text="where runs must repeat: `tf.config.experimental.enable_op_determinism()`"),
                )
        if not any(varying.values()):
            must_have_run(numerics, "CPU")


class PlainVariables(Rule):
    """No environment variable changes what TensorFlow computes.

    Some variables choose other algorithms, fewer bits or another Keras. The battery ran with them, as the user's
    programs do: what it says holds with these settings.

    Looks at: the variables the battery saw.
    Remedy: none is needed; to compare with another machine, set them alike.
    Source: TensorFlow's, oneDNN's, XLA's and Keras's documentation of these variables.
    """

    id = "NUM609"
    title = "no environment variable changes what is computed"
    severity = Severity.INFO

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield the variables that are set."""
        found = numerics_of(facts).variables
        if found:
            names = ", ".join(f"{item.name}={item.value}" for item in found)
            yield self.fails(f"measured with {names}", evidence=[Evidence(fact=names, source="measured here")])


class WorthTheGpu(Rule):
    """A device is faster than the CPU at what it is used for.

    Small models and small batches often train faster on the CPU; recurrent layers did so by a factor of ten.

    Looks at: the seconds a training step took on each device, where the level `full` measured them.
    Remedy: the CPU, or a larger batch.
    Source: measured here.
    """

    id = "NUM610"
    title = "the device is faster than the CPU"
    severity = Severity.INFO

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each device on which a step took longer than on the CPU."""
        numerics = numerics_of(facts)
        measured = {device: _remarks(numerics, device, "speed") for device in other_devices(numerics)}
        for device, checks in measured.items():
            slower = [check for check in checks if _is_slower(check)]
            if slower:
                yield self.fails(f"{device}: {slower[0].detail}", evidence=shown(slower))
        if not any(measured.values()):
            yield self.says(Status.SKIPPED, "no speed was measured: `smoke --level full` does, on each device")


def _is_slower(check: Check) -> bool:
    found = SPEED.search(check.detail)
    return found is not None and float(found[1]) < 1


def _remarks(numerics: Numerics, device: str, reason: str) -> list[Check]:
    """Return what was worth saying of a device, of one kind."""
    return [check for check in checks_on(numerics, device, "info") if check.reason == reason]


RULES: tuple[Rule, ...] = (
    ControlPasses(),
    RightNumbers(),
    FullPrecision(),
    KernelsOnDevice(),
    SameAnswerAgain(),
    PlainVariables(),
    WorthTheGpu(),
)
