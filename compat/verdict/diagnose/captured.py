"""A pasted capture as statements, so that signatures beside it are weighed by its facts."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.facts.pasted import SEEN, Line, Stated

_LINE = Line(number=0, text="the capture")


def stated_in(facts: Facts) -> Iterator[Stated]:
    """Yield what a capture knows of the machine, the interpreter and the distributions."""
    machine, interpreter, environment = facts.machine, known(facts.interpreter), known(facts.environment)
    values = {
        "os": known(machine.os),
        "macos": known(machine.os_version) if machine.os == "macos" else None,
        "chip": known(machine.chip),
        "hardware": known(machine.architecture),
        "glibc": known(machine.glibc),
        "python": known(interpreter.version) if interpreter else None,
        "process": known(interpreter.machine) if interpreter else None,
        "shim": "10.16" if (known(machine.os_reported) or "").startswith("10.16") else None,
    }
    for name, value in values.items():
        if value and (name != "chip" or value.startswith("Apple ")):
            yield Stated(name=name, value=value, how=SEEN, line=_LINE)
    for item in environment.distributions if environment else ():
        yield Stated(name=item.name, value=item.version, how=SEEN, line=_LINE)
