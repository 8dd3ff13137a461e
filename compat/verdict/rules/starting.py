"""Rules about whether TensorFlow starts, lists its devices, and survives computing on them."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.numerics import Numerics, time_that_ran_out
from compat.matrix.load import Matrix
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import MissingFactError, Rule, environment_of, numerics_of
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import plugin_of
from compat.verdict.rules.measured import (
    HIDE_GPU,
    MORE_MEMORY,
    SHOWN,
    checks_on,
    device_of_death,
    ending_of_check,
    memory_ran_out,
    more_time,
    must_have_run,
    names_of,
    other_devices,
    shown,
    signal_name,
    smoke_command,
    without_variables,
)

NEW = "where no finding above names the cause, build a new environment"


class TensorFlowStarts(Rule):
    """TensorFlow can be imported.

    An import can raise, abort, crash or hang, each for its own reasons; it was tried in a child process of the
    environment, as the user's own programs would. Where another finding explains it, this one stands below it.

    Looks at: how the child ended, its last lines on stderr.
    Remedy: that of the cause; where none was found, a new environment.
    Source: measured here.
    """

    id = "NUM601"
    title = "TensorFlow can be imported"
    consequence_of = (
        "MAC104", "PY201", "PY202", "TF301", "BIN405", "TF302", "TF304", "TF303", "BIN404", "BIN403", "BIN401", "TF311",
        "TF312", "TF313", "TF314", "TF315", "TF319",
    )  # fmt: skip

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield how the import ended, if it did not end well."""
        numerics = numerics_of(facts)
        if numerics.outcome == "ran" or device_of_death(numerics) is not None:
            return
        if numerics.outcome == "out-of-time":
            if numerics.last_check in {None, "import"}:
                yield self._too_slow(numerics, facts)
            return
        memory = memory_ran_out(numerics)
        line = numerics.key_line or numerics.error or memory
        yield self.fails(
            _ending(numerics) + (f": {line}" if line else ""),
            evidence=[
                _during(numerics),
                *([Evidence(fact=f"memory ran out: {memory}", source="measured here")] if memory else []),
                *(Evidence(fact=f"{item.name}={item.value} is set") for item in numerics.variables),
                *(Evidence(fact=text, source="stderr") for text in numerics.stderr_tail[-SHOWN:] if text.strip()),
            ],
            remedy=MORE_MEMORY if memory else remedies.new_environment(without_variables(numerics) + NEW),
            verify=smoke_command(facts),
        )

    def _too_slow(self, numerics: Numerics, facts: Facts) -> Finding:
        return self.fails(
            f"TensorFlow was still being imported: {time_that_ran_out(numerics)}",
            evidence=[_during(numerics)],
            remedy=more_time(numerics),
            verify=smoke_command(facts),
            severity=Severity.WARNING,
        )


def _during(numerics: Numerics) -> Evidence:
    return Evidence(fact=f"outcome {numerics.outcome}, during {numerics.last_check or 'the import'}")


def _ending(numerics: Numerics) -> str:
    how = {
        "import-failed": "TensorFlow cannot be imported",
        "device-failed": "TensorFlow cannot use its devices",
        "aborted": f"importing TensorFlow kills the process ({signal_name(numerics.signal)})",
        "hung": "importing TensorFlow does not come to an end",
        "exited": f"importing TensorFlow ends the process with code {numerics.exit_code}",
        "no-answer": "importing TensorFlow ends the process without a word",
    }
    return how.get(numerics.outcome, f"TensorFlow did not start ({numerics.outcome})")


class GpuListed(Rule):
    """A GPU is listed where a plugin is installed.

    Where tensorflow-metal (or CUDA's libraries) are installed, somebody wants the GPU, and TensorFlow falls back to the
    CPU without a word: the plugin's file is gone, a container stands between, CUDA's libraries are not found.

    Looks at: the devices TensorFlow lists, the installed plugin, NVIDIA's libraries and GPU.
    Remedy: reinstall the plugin; what stands above as a cause.
    Source: measured here.
    """

    id = "NUM604"
    title = "a GPU is listed where one is to be used"
    severity = Severity.WARNING
    consequence_of = ("NUM601", "MAC105", "MAC106", "MAC107", "TF303", "BIN401", "BIN402")

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield that the plugin brings no device."""
        numerics, environment = numerics_of(facts), environment_of(facts)
        plugin = plugin_of(environment)
        cuda = next((item for item in environment.distributions if item.name.startswith("nvidia-cudnn-cu")), None)
        brought = plugin or cuda
        if brought is None or other_devices(numerics):
            return
        if numerics.outcome != "ran":
            raise MissingFactError("the devices", "were not listed (TensorFlow did not answer to the end)")
        yield self.fails(
            f"{brought.name} {brought.version} is installed, and TensorFlow lists no GPU",
            evidence=[Evidence(fact=f"devices: {', '.join(device.name for device in numerics.devices) or 'none'}")],
            remedy=remedies.reinstall(facts, plugin)
            if plugin
            else Remedy(
                text="see that NVIDIA's driver works (`nvidia-smi`) and that CUDA_VISIBLE_DEVICES is not empty"
            ),
            verify=smoke_command(facts),
        )


class ChecksComeBack(Rule):
    """No computation on a device crashes or hangs.

    Some operations raise, abort the process or never come back on a GPU, while the CPU computes them. That the time for
    all checks ran out while each came back is said, too: what was left is neither right nor wrong.

    Looks at: the checks that raised on a device, and the one under way when the process ended.
    Remedy: hide the GPU, or a pair that passes here; more memory or more time where that ran out.
    Source: measured here.
    """

    id = "NUM607"
    title = "no computation on a device crashes or hangs"
    consequence_of = ("NUM602",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each device on which a check raised or took the process along."""
        numerics = numerics_of(facts)
        died = device_of_death(numerics)
        devices = dict.fromkeys([*other_devices(numerics), *([died] if died and not died.startswith("CPU") else [])])
        new = remedies.new_environment(f"{HIDE_GPU}; or build an environment whose pair passes on this machine")
        found = False
        for device in devices:
            raised = checks_on(numerics, device, "crashed")
            if not raised and device != died:
                continue
            found = True
            death = [Evidence(fact=ending_of_check(numerics), source="measured here")] if device == died else []
            what = ending_of_check(numerics) if device == died else f"{names_of(raised)} raised an error"
            memory = memory_ran_out(numerics, raised)
            ran_out = [Evidence(fact=f"memory ran out: {memory}", source="measured here")] if memory else []
            yield self.fails(
                f"on {device}, {what}",
                evidence=[*ran_out, *death, *shown(raised)],
                remedy=MORE_MEMORY if memory else new,
                verify=f"{smoke_command(facts)} --device {device}",
            )
        for check in checks_on(numerics, "", "crashed"):  # of no device: listing them, or the battery as a whole
            found = True
            memory = memory_ran_out(numerics, [check])
            yield self.fails(
                f"the devices cannot be used: {check.detail}",
                evidence=shown([check]),
                remedy=MORE_MEMORY if memory else new,
                verify=smoke_command(facts),
            )
        if numerics.outcome == "out-of-time" and numerics.last_check not in {None, "import"}:
            yield self.fails(
                f"{time_that_ran_out(numerics)}: what was left did not run",
                evidence=[_during(numerics)],
                remedy=more_time(numerics),
                verify=smoke_command(facts),
                severity=Severity.WARNING,
            )
        elif not found:
            must_have_run(numerics, next(iter(devices), "CPU"))


RULES: tuple[Rule, ...] = (TensorFlowStarts(), GpuListed(), ChecksComeBack())
