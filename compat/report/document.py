"""Everything a renderer may know about one judgement: what ``tfcompat doctor`` has to tell."""

from __future__ import annotations

from dataclasses import dataclass

from compat.facts.capture import Facts
from compat.facts.known import Unknown, known
from compat.facts.numerics import time_that_ran_out
from compat.matrix.query import TENSORFLOWS
from compat.verdict.finding import Finding, Status, Verdict

SCHEMA_VERSION = 1
"""Of the JSON documents; keys may be added within a version, none renamed or taken away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One judgement, ready to be told."""

    facts: Facts
    verdict: Verdict
    tool_version: str
    strict: bool = False

    @property
    def ok(self) -> bool:
        """Whether the exit code will be 0."""
        return self.verdict.strict_ok if self.strict else self.verdict.ok


def of_status(findings: tuple[Finding, ...], *wanted: Status) -> tuple[Finding, ...]:
    """Return the findings with one of the wanted outcomes, in their order."""
    return tuple(finding for finding in findings if finding.status in wanted)


def depth(finding: Finding, findings: tuple[Finding, ...]) -> int:
    """Return how many causes stand above a finding (0: a root cause); a loop among causes ends the count."""
    above: set[str] = set()
    cause = finding.caused_by
    while cause is not None and cause not in above:
        above.add(cause)
        cause = next((other.caused_by for other in findings if other.id == cause), None)
    return len(above)


def machine_line(facts: Facts) -> str:
    """Return the machine in one line: ``MacBookPro18,3, Apple M1 Pro, macOS 14.5, arm64``."""
    machine = facts.machine
    system = {"macos": "macOS", "linux": "Linux", "windows": "Windows"}.get(known(machine.os) or "", "unknown system")
    parts = [
        known(machine.model),
        known(machine.chip),
        f"{system} {known(machine.os_version) or ''}".strip(),
        known(machine.architecture),
        "under Rosetta" if known(machine.translated) else None,
        f"in a {known(machine.container)} container" if known(machine.container) not in (None, "none") else None,
        f"WSL{known(machine.wsl)}" if known(machine.wsl) else None,
    ]
    return ", ".join(part for part in parts if part)


def interpreter_line(facts: Facts) -> str:
    """Return the interpreter in one line."""
    interpreter = known(facts.interpreter)
    if interpreter is None:
        return f"not looked at ({facts.interpreter.why})" if isinstance(facts.interpreter, Unknown) else "none"
    name = {"cpython": "CPython", "pypy": "PyPy"}.get(known(interpreter.implementation) or "", "Python")
    version = known(interpreter.version) or "of unknown version"
    machine = known(interpreter.machine)
    return f"{name} {version}" + (f", {machine}" if machine else "") + f", {interpreter.path}"


def tensorflow_line(facts: Facts) -> str:
    """Return TensorFlow and its plugin in one line."""
    environment = known(facts.environment)
    if environment is None:
        return "not looked at"
    bodies = [f"{name} {version}" for name in TENSORFLOWS if (version := environment.version(name))]
    plugins = [
        f"{name} {version}"
        for name in ("tensorflow-metal", "tensorflow-metal-plugin")
        if (version := environment.version(name))
    ]
    return " + ".join(bodies + plugins) or "not installed"


def smoke_line(facts: Facts) -> str:
    """Return what the smoke test did, in one line."""
    numerics = known(facts.numerics)
    if numerics is None:
        return f"not run ({facts.numerics.why})" if isinstance(facts.numerics, Unknown) else "not run"
    if numerics.outcome == "out-of-time":
        return time_that_ran_out(numerics)
    if numerics.outcome != "ran":
        return f"{numerics.outcome}: {numerics.key_line or 'no message'}"
    counted = [check for check in numerics.checks if check.status in ("passes", "fails", "crashed")]
    bad = [check for check in counted if check.status != "passes"]
    devices = ", ".join(dict.fromkeys(check.device for check in counted)) or "no device"
    if bad:
        return f"{len(bad)} of {len(counted)} numerical checks failed on {devices}"
    return f"no numerical fault found by {len(counted)} checks on {devices}"
