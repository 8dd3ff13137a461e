"""Rules about what was measured: whether each device computes right, precisely, and by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.facts.numerics import Check
from compat.matrix.applies import issue_applies
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
from compat.verdict.rule import MissingFactError, Rule, numerics_of
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import body_of, target_of
from compat.verdict.rules.measured import (
    HIDE_GPU,
    checks_on,
    device_of_death,
    ending_of_check,
    must_have_run,
    names_of,
    other_devices,
    shown,
    smoke_command,
)

NO_KERNEL = ("TensorFlow has no kernel", "runs elsewhere")
"""How the battery begins to say that an operation does not run on a device."""


class ControlPasses(Rule):
    """The CPU computes right: the control of all that follows.

    The same battery runs on the CPU first. If that fails, the installation or this checker is broken, and what any GPU
    computes says nothing.

    Looks at: the checks on the CPU.
    Remedy: a new environment; if it fails there too, report it with `tfcompat facts`.
    Source: measured here, against a float64 reference.
    """

    id = "NUM602"
    title = "the CPU computes right (the control)"
    consequence_of = ("NUM601",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield that checks fail on the CPU, or that one took the process down."""
        numerics = numerics_of(facts)
        on_cpu = [check for check in numerics.checks if check.device.startswith("CPU")]
        bad = [check for check in on_cpu if check.status in {"fails", "crashed"}]
        died = device_of_death(numerics)
        if bad or (died or "").startswith("CPU"):
            what = f"{len(bad)} of {len(on_cpu)} checks fail" if bad else f"{numerics.last_check} does not come back"
            yield self.fails(
                f"on the CPU, the control, {what}: installation or checker is broken, not the GPU",
                evidence=shown(bad) or [Evidence(fact=ending_of_check(numerics), source="measured here")],
                remedy=remedies.new_environment("build a new environment; if the control fails there too, report it"),
                verify=smoke_command(facts),
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
                yield self._wrong(device, wrong, facts, _known_issue(wrong, facts, matrix))
        if not devices and numerics.outcome == "ran":
            yield self.says(Status.SKIPPED, "no device besides the CPU to measure")
        elif not any(checks_on(numerics, device, "fails") for device in devices):
            must_have_run(numerics, devices[0] if devices else "the GPU")

    def _wrong(self, device: str, wrong: Sequence[Check], facts: Facts, issue: Issue | None) -> Finding:
        like = f"; {issue.id}: {issue.title}" if issue else ""
        extra = [Evidence(fact=f"{issue.id}: {issue.symptom}", source=issue.sources[0].url)] if issue else []
        return self.fails(
            f"{device} computes wrong numbers: {names_of(wrong)}{like}",
            evidence=[*shown(wrong), *extra],
            remedy=remedies.new_environment(f"{HIDE_GPU}; or build an environment whose pair passes on this machine"),
            verify=f"{smoke_command(facts)} --device {device}",
            issue=issue.id if issue else None,
            matrix_used=issue is not None,
        )


def _known_issue(wrong: Sequence[Check], facts: Facts, matrix: Matrix) -> Issue | None:
    """Return the first known problem of this pair and machine that speaks of an operation that failed."""
    environment = known(facts.environment)
    tensorflow = body_of(facts, matrix) if environment is not None else None
    if environment is None or tensorflow is None:
        return None
    try:
        target = target_of(facts)
    except MissingFactError:
        return None
    plugin = environment.version("tensorflow-metal")
    rows = [row for row in matrix.issues() if row.rule == RightNumbers.id]
    mine = [row for row in rows if issue_applies(row, tensorflow.version, plugin, target, facts.machine)]
    return next((row for row in mine if any(_speaks_of(row, check) for check in wrong)), None)


def _speaks_of(issue: Issue, check: Check) -> bool:
    operation = f"{check.id} {check.op}".lower()
    topics = {
        "relu": ("relu" in operation or "dense" in operation) and check.mode != "eager",
        "convolution": "conv2d" in operation,
        "training": check.mode == "fit",
    }
    return any(applies and word in issue.title.lower() for word, applies in topics.items())


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
            if (less := checks_on(numerics, device, "info"))
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

    Looks at: the checks that were skipped on a device for want of a kernel.
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
        moved = {
            device: [c for c in checks_on(numerics, device, "skipped") if c.detail.startswith(NO_KERNEL)]
            for device in devices
        }
        for device, checks in moved.items():
            if checks:
                yield self.fails(f"{device} has no kernel for {names_of(checks)}: CPU instead", evidence=shown(checks))
        if not any(moved.values()):
            must_have_run(numerics, devices[0] if devices else "CPU")


RULES: tuple[Rule, ...] = (ControlPasses(), RightNumbers(), FullPrecision(), KernelsOnDevice())
