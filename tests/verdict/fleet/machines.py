"""Machines for the tests of the fleet, as short as they can be written."""

from compat.verdict.finding import Finding, Remedy, Severity, Status
from compat.verdict.fleet.machine import Fault, Seen, Traits, Unseen

KINDS = {
    "chip": "Apple M1",
    "system": "macOS 14.5",
    "python": "3.11.7",
    "tensorflow": "tensorflow 2.18.1",
    "plugin": "tensorflow-metal 1.2.0",
    "measured": True,
    "judged_by": "tfcompat 0.1.0, matrix of 2026-11-30",
}
BUILD = ("tfcompat fix --create-venv",)
NUMPY = ("uv pip install --python PYTHON 'numpy<2'",)


def traits(**rest):
    return Traits(**KINDS | rest)


def fault(id="TF311", *commands, severity=Severity.ERROR, message="", text="", issue=None):  # noqa: A002
    remedy = Remedy(commands=commands, text=text)
    return Fault(id=id, severity=severity, message=message or f"message of {id}", remedy=remedy, issue=issue)


def seen(name, *faults, ok=None, place=None, exit_code=None, **kinds):
    healthy = not any(one.severity is Severity.ERROR for one in faults)
    return Seen(
        name=name,
        place=place or f"reports/{name}.json",
        ok=healthy if ok is None else ok,
        traits=traits(**kinds),
        faults=faults,
        exit_code=exit_code,
    )


def unseen(name, why="not seen: no route to host"):
    return Unseen(name=name, place=f"reports/{name}.json", why=why)


def finding(id, caused_by=None, severity=Severity.ERROR, status=Status.FAILS, **rest):  # noqa: A002
    return Finding(id=id, severity=severity, status=status, message=f"message of {id}", caused_by=caused_by, **rest)
