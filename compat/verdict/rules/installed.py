"""What an environment holds of TensorFlow: its distributions, the one with the code, the plugins, the target."""

from __future__ import annotations

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.facts.known import known
from compat.facts.machine import platform_architecture
from compat.matrix.load import Matrix
from compat.matrix.model import Target
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS, carries_tensorflow, release
from compat.matrix.versions import minor
from compat.verdict.rule import MissingFactError, environment_of, interpreter_of, text

FAMILY = (
    *TENSORFLOWS,
    "tensorflow-cpu-aws",  # the body of Linux/ARM from 2.10 to 2.15.1
    "tensorflow-aarch64",
    "tensorflow-gpu",
    "tensorflow-rocm",
    "intel-tensorflow",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-macos",
)
"""Distributions that carry the ``tensorflow`` package or stand for one that does."""

PLUGINS = (APPLE_PLUGIN, "tensorflow-metal-plugin")
"""Apple's plugin and the third-party one, which installs a file of the same name."""


def members(environment: Environment) -> tuple[Distribution, ...]:
    """Return the installed distributions of TensorFlow, one for each name."""
    found = (environment.distribution(name) for name in FAMILY)
    return tuple(member for member in found if member is not None)


def is_body(member: Distribution, facts: Facts, matrix: Matrix) -> bool | None:
    """Tell whether a distribution carries TensorFlow's code; None where neither its files nor the matrix say."""
    if member.provides_top_level is not None:
        return member.provides_top_level
    try:
        target = target_of(facts)
    except MissingFactError:
        return None
    if release(matrix, member.name, member.version) is None:
        return None
    return carries_tensorflow(matrix, member.name, member.version, target)


def body_of(facts: Facts, matrix: Matrix) -> Distribution | None:
    """Return the distribution that carries TensorFlow; where nothing says which, the first that may be it."""
    found = [(member, is_body(member, facts, matrix)) for member in members(environment_of(facts))]
    sure = [member for member, body in found if body]
    possible = [member for member, body in found if body is None]
    return next(iter([*sure, *possible]), None)


def plugin_of(environment: Environment) -> Distribution | None:
    """Return the installed plugin distribution."""
    return next((found for name in PLUGINS if (found := environment.distribution(name))), None)


def target_of(facts: Facts) -> Target:
    """Return what a wheel must fit to be used by this interpreter. Raises MissingFactError."""
    interpreter = interpreter_of(facts)
    os = text(facts.machine.os, "the operating system")
    machine = text(interpreter.machine, "the interpreter's architecture")
    version = text(interpreter.version, "the interpreter's version")
    return Target(
        platform=f"{os}-{platform_architecture(os, machine)}",
        python=minor(version),
        macos=known(facts.machine.os_version) if os == "macos" else None,
        glibc=known(facts.machine.glibc) if os == "linux" else None,
    )


def named(member: Distribution) -> str:
    """Return ``tensorflow 2.18.1``."""
    return f"{member.name} {member.version}"
