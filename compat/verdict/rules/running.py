"""What the environment's code runs as, and which TensorFlow could be installed for it."""

from __future__ import annotations

from dataclasses import replace

from compat.facts.capture import Facts
from compat.facts.known import Unknown, is_known, known
from compat.matrix.load import Matrix
from compat.matrix.model import Target
from compat.matrix.query import versions_for
from compat.matrix.versions import order
from compat.verdict.rule import MissingFactError, interpreter_of, text

BODIES = ("tensorflow", "tensorflow-macos")
"""Distributions that carry TensorFlow's code on one Mac or another."""


def same_architecture(architecture: str) -> str:
    """Return one word for all names of an architecture: ``arm64`` for aarch64, ``x86_64`` for amd64."""
    return {"aarch64": "arm64", "amd64": "x86_64"}.get(architecture.lower(), architecture)


def machine_architecture(facts: Facts) -> str:
    """Return the hardware's architecture. Raises MissingFactError."""
    return same_architecture(text(facts.machine.architecture, "the machine's architecture"))


def running_architecture(facts: Facts) -> str:
    """Return what the environment's code runs as: x86_64 under Rosetta; for a folder of another machine, its own word.

    Raises MissingFactError.
    """
    environment = known(facts.environment)
    if environment is not None and environment.kind == "target" and not is_known(facts.interpreter):
        return machine_architecture(facts)
    return same_architecture(text(interpreter_of(facts).machine, "the interpreter's architecture"))


def without_floor(target: Target) -> Target:
    """Return the target on the newest system there is: what its Python and architecture alone allow."""
    return replace(target, macos=None, glibc=None)


def tensorflows_for(matrix: Matrix, target: Target) -> tuple[str, ...]:
    """Return the released TensorFlows whose code installs on the target, as ``name==version``, newest first."""
    names = BODIES if target.platform.startswith("macos") else BODIES[:1]
    found = [(order(v), f"{name}=={v}") for name in names for v in versions_for(matrix, name, target, bodies=True)]
    return tuple(requirement for _, requirement in sorted(found, key=lambda pair: pair[0], reverse=True))


def needs_floor(facts: Facts, target: Target) -> None:
    """Raise MissingFactError where the answer turns on a version of the system that nobody knows."""
    for system, given, fact, what in (
        ("macos", target.macos, facts.machine.os_version, "the macOS version"),
        ("linux", target.glibc, facts.machine.glibc, "the glibc version"),
    ):
        if target.platform.startswith(system) and given is None:
            raise MissingFactError(what, fact.why if isinstance(fact, Unknown) else "does not apply here")
