"""Everything one look found, as one record: what ``tfcompat facts`` prints and ``doctor --facts`` reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from compat.facts.environment import Environment
from compat.facts.interpreter import FoundInterpreter, Interpreter
from compat.facts.known import UNKNOWN, Known
from compat.facts.machine import Machine
from compat.facts.numerics import Numerics

SCHEMA_VERSION = 1
"""Of captures; a reader refuses another major."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A machine, an environment, and what was measured there; any part may be unknown."""

    machine: Machine = field(default_factory=Machine)
    interpreter: Known[Interpreter] = UNKNOWN
    environment: Known[Environment] = UNKNOWN
    numerics: Known[Numerics] = UNKNOWN
    found: tuple[FoundInterpreter, ...] = ()
    """Other interpreters on this machine."""
    path_python: Known[str] = UNKNOWN
    """Where ``python`` (or ``python3``) on PATH leads, resolved."""
    origin: str = "measured here"
    """``measured here``, or where a replayed capture comes from."""
