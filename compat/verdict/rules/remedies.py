"""Remedies that can be pasted: commands for this very interpreter where installing into it is safe, words where not."""

from __future__ import annotations

import shlex

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.facts.known import known
from compat.verdict.finding import Remedy

NEW_ENVIRONMENT = "tfcompat fix --create-venv"
"""Builds a new environment beside the old one and hands it over only once it passed its tests."""


def install(facts: Facts, *requirements: str, text: str = "") -> Remedy:
    """Return the remedy that brings the environment to hold those requirements."""
    return _uv(facts, "install", requirements, text or f"install {' '.join(requirements)} into this environment")


def reinstall(facts: Facts, *distributions: Distribution, text: str = "") -> Remedy:
    """Return the remedy that puts distributions back whole at the version they have, and touches no other."""
    flags = [f"--reinstall-package={item.name}" for item in distributions]
    pins = [f"{item.name}=={item.version}" for item in distributions]
    return _uv(facts, "install --no-deps", (*flags, *pins), text or f"reinstall {' '.join(pins)}")


def uninstall(facts: Facts, *names: str, text: str) -> Remedy:
    """Return the remedy that removes distributions the research names as safe to remove."""
    return _uv(facts, "uninstall", names, text)


def new_environment(text: str) -> Remedy:
    """Return the remedy that leaves this environment alone."""
    return Remedy(text=text, commands=(NEW_ENVIRONMENT,))


def both(first: Remedy, second: Remedy, text: str) -> Remedy:
    """Return two remedies as one, to be done in that order."""
    return Remedy(text=text, commands=tuple(dict.fromkeys((*first.commands, *second.commands))))


def verify(facts: Facts) -> str:
    """Return the command that shows whether a remedy worked."""
    path = python_of(facts)
    return f"tfcompat doctor --python {path}" if path else "tfcompat doctor"


def _uv(facts: Facts, verb: str, words: tuple[str, ...], text: str) -> Remedy:
    path = python_of(facts)
    environment = known(facts.environment)
    hindrance = _hindrance(environment) if environment else ""
    if hindrance:
        return Remedy(text=f"{text}; {hindrance}", commands=(NEW_ENVIRONMENT,))
    if path is None:
        return Remedy(text=text)
    quoted = " ".join(quote(word, facts) for word in words)
    return Remedy(text=text, commands=(f"uv pip {verb} --python {path} {quoted}",))


def may_install(facts: Facts) -> bool:
    """Tell whether pip's means may touch the environment (not one that conda owns, not another machine's folder)."""
    environment = known(facts.environment)
    return environment is None or not _hindrance(environment)


def _hindrance(environment: Environment) -> str:
    """Say why nothing may be installed into the environment by pip's means; empty where it may."""
    if environment.kind == "conda" or environment.conda_prefix or any(item.conda for item in environment.distributions):
        return "this is a conda environment: do it with conda, not over conda's files, or take a new environment"
    if environment.kind == "target":
        return "this folder was installed for another machine: install it anew with that requirement"
    return ""


def python_of(facts: Facts) -> str | None:
    """Return the interpreter's path, quoted; None where no interpreter was looked at."""
    interpreter = known(facts.interpreter)
    return quote(interpreter.path, facts) if interpreter else None


def quote(word: str, facts: Facts) -> str:
    """Quote one word for the shell of the machine at hand; a leading ``~/`` stays open to the shell."""
    if facts.machine.os == "windows":
        return f'"{word}"' if set(word) & set(" <>&|;()^") else word
    if word.startswith("~/"):
        return "~/" + shlex.quote(word[2:])
    return shlex.quote(word)
