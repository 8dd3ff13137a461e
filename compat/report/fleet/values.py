"""A fleet as plain values: ``fleet --format json``, whose shape is ``report/schemas/fleet.schema.json``."""

from __future__ import annotations

from typing import Any

from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.verdict.fleet.cover import Step
from compat.verdict.fleet.machine import Health, Seen, Unseen, health
from compat.verdict.fleet.merge import Cause, Fleet


def as_json(fleet: Fleet, tool_version: str) -> str:
    """Return the document."""
    return json.text(values(fleet, tool_version))


def values(fleet: Fleet, tool_version: str) -> dict[str, Any]:
    """Return the document as plain values."""
    seen = [machine for machine in fleet.machines if isinstance(machine, Seen)]
    return {
        "schema_version": SCHEMA_VERSION,
        "tool_version": tool_version,
        "ok": fleet.ok,
        "counted": {
            "machines": len(fleet.machines),
            **{one.value: len(fleet.of(one)) for one in Health},
            "measured": sum(machine.traits.measured for machine in seen),
        },
        "causes": [_cause(cause) for cause in fleet.causes],
        "fixes": [_step(step) for step in fleet.steps],
        "without_remedy": list(fleet.left),
        "kinds": {
            what.replace(" ", "_"): [{"name": count.name, "machines": count.machines} for count in counts]
            for what, counts in fleet.counts
        },
        "machines": [_machine(machine, strict=fleet.strict) for machine in fleet.machines],
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "id": cause.id,
        "issue": cause.issue,
        "severity": cause.severity.value,
        "message": cause.message,
        "wordings": cause.wordings,
        "remedy": {"commands": list(cause.commands), "text": cause.text},
        "machines": list(cause.machines),
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "remedy": {"commands": list(step.commands), "text": step.text},
        "causes": list(step.causes),
        "machines": list(step.machines),
        "last": list(step.last),
    }


def _machine(machine: Seen | Unseen, *, strict: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": machine.name,
        "health": health(machine, strict=strict).value,
        "report": machine.place,
        "exit_code": machine.exit_code,
    }
    if isinstance(machine, Unseen):
        return {**told, "why": machine.why}
    traits = machine.traits
    return {
        **told,
        "chip": traits.chip,
        "system": traits.system,
        "python": traits.python,
        "tensorflow": traits.tensorflow,
        "plugin": traits.plugin,
        "measured": traits.measured,
        "judged_by": traits.judged_by,
        "causes": [
            {"id": fault.id, "issue": fault.issue, "commands": list(fault.remedy.commands)} for fault in machine.faults
        ],
    }
