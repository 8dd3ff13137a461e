"""Environment markers (PEP 508) for an interpreter that is not ours: their variables from the facts, their answer.

What is unknown stays unknown: a marker that turns on it has no answer, unless the rest decides alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.matrix.versions import contains, minor

NAMES = (
    "python_full_version", "python_version", "implementation_name", "implementation_version",
    "platform_python_implementation", "sys_platform", "platform_system", "os_name", "platform_machine",
    "platform_release", "platform_version",
)  # fmt: skip
"""Every variable a marker may name, ``extra`` apart."""

_SYSTEMS = {
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}
_IMPLEMENTATIONS = {"cpython": "CPython", "pypy": "PyPy"}
_VERSIONS = {"python_version", "python_full_version"}
_CLAUSE = re.compile(r"""\s*([a-z_]+)\s*(==|!=|<=|>=|<|>)\s*(["'])([^"']*)\3\s*""")
_OF_AN_EXTRA = re.compile(r"""(\([^()]*\)\s+and\s+)?extra\s*==\s*(["'])[^"']*\2""")
"""The commonest marker that needs no more reading: an extra's, with or without a condition in parentheses before it."""
_DOTTED = re.compile(r"\d+(\.\d+)*")


def variables_of(facts: Facts) -> dict[str, str]:
    """Return the variables whose value the facts give (PEP 508's names)."""
    found: dict[str, str | None] = {"platform_release": known(facts.machine.kernel)}
    found.update(_SYSTEMS.get(str(known(facts.machine.os)), {}))
    interpreter = known(facts.interpreter)
    if interpreter is not None:
        version, implementation = known(interpreter.version), known(interpreter.implementation)
        found["platform_machine"] = known(interpreter.machine)
        found["python_full_version"] = version
        found["python_version"] = minor(version) if version else None
        found["implementation_name"] = implementation
        found["platform_python_implementation"] = _IMPLEMENTATIONS.get(implementation or "")
        found["implementation_version"] = version if implementation == "cpython" else None
    return {name: value for name, value in found.items() if value is not None}


def unknown_variables(marker: str, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return the variables that a marker names and nobody knows."""
    named = set(re.findall(r"[a-z_]+", re.sub(r"""(["']).*?\1""", "", marker)))
    return tuple(name for name in NAMES if name in named and name not in variables)


def decide(marker: str, variables: Mapping[str, str]) -> bool | None:
    """Tell whether a marker holds, None where that is unknown."""
    if _OF_AN_EXTRA.fullmatch(marker):
        return False
    if "(" not in marker:
        known_clauses, answer = _quick(marker, variables)
        if known_clauses:
            return answer
    return _slow(marker, variables)


def _quick(marker: str, variables: Mapping[str, str]) -> tuple[bool, bool | None]:
    """Read a marker without parentheses (``and`` binds before ``or``); the first value tells whether it could be."""
    terms: list[bool | None] = []
    for term in re.split(r"\s+or\s+", marker):
        clauses = [_CLAUSE.fullmatch(clause) for clause in re.split(r"\s+and\s+", term)]
        answers: list[bool | None] = []
        for clause in clauses:
            if clause is None or not _is_simple(clause[1], clause[2], clause[4]):
                return False, None
            answers.append(_holds(clause[1], clause[2], clause[4], variables))
        terms.append(_all(answers))
    return True, _any(terms)


def _is_simple(name: str, operator: str, value: str) -> bool:
    """Whether a clause means the same here as in ``packaging``: plain versions, and texts compared for equality."""
    if name in _VERSIONS:
        return _DOTTED.fullmatch(value) is not None
    equality = operator in {"==", "!="}
    return (name == "extra" and operator == "==") or (
        equality and name in NAMES and not name.endswith(("version", "release"))
    )


def _holds(name: str, operator: str, value: str, variables: Mapping[str, str]) -> bool | None:
    if name == "extra":
        return False
    given = variables.get(name)
    if given is None:
        return None
    if name in _VERSIONS:
        return contains(f"{operator}{value}", given)
    return (given == value) is (operator == "==")


def _all(answers: Iterable[bool | None]) -> bool | None:
    """And of three values: one no is a no, else one unknown makes it unknown."""
    found = set(answers)
    return False if False in found else None if None in found else True


def _any(answers: Iterable[bool | None]) -> bool | None:
    found = set(answers)
    return True if True in found else None if None in found else False


def _slow(marker: str, variables: Mapping[str, str]) -> bool | None:
    from packaging.markers import InvalidMarker, Marker, UndefinedComparison

    if unknown_variables(marker, variables):
        return None
    try:
        return Marker(marker).evaluate({**variables, "extra": ""})
    except (InvalidMarker, UndefinedComparison):
        return None
