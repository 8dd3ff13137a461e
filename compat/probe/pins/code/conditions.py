"""Conditions of Python code about the platform and the interpreter, as markers.

Source: PEP 508's table of marker variables names the Python expression each stands for.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from compat.probe.pins.code.values import Fact, Test
from compat.probe.pins.requirement import both

_FACTS = {
    "sys.platform": "sys_platform",
    "os.name": "os_name",
    "platform.system()": "platform_system",
    "platform.machine()": "platform_machine",
    "platform.processor()": "processor",
    "platform.release()": "platform_release",
    "platform.version()": "platform_version",
    "platform.uname().system": "platform_system",
    "platform.uname().machine": "platform_machine",
    "os.uname().sysname": "platform_system",
    "os.uname().machine": "platform_machine",
    "platform.python_version()": "python_full_version",
    "platform.python_implementation()": "platform_python_implementation",
    "sys.version_info": "version_info",
    "session.python": "python_version",
}
_STARTS = {"linux": "linux", "darwin": "darwin", "win": "win32", "win32": "win32"}
_SIGNS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", ">="),
    ast.GtE: (">=", "<"),
    ast.Gt: (">", "<="),
    ast.LtE: ("<=", ">"),
}
_OF_RELEASES = {(">", "<="): (">=", "<"), ("<=", ">"): ("<", ">=")}
"""``sys.version_info > (3, 9)`` holds from 3.9.0 on: a longer tuple is greater."""
_DEPTH = 6
"""Parts of a dotted name."""

ALWAYS = Test("", "")
"""``if __name__ == "__main__"``."""


def dotted(node: ast.expr, aliases: Mapping[str, str], depth: int = 0) -> str:
    """Return an expression as text (``platform.system()``), names as they were imported; empty for any other."""
    if depth > _DEPTH:
        return ""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, aliases, depth + 1)
        return f"{owner}.{node.attr}" if owner else ""
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        called = dotted(node.func, aliases, depth + 1)
        return f"{called}()" if called else ""
    return ""


def fact(node: ast.expr, aliases: Mapping[str, str]) -> Fact | None:
    """Return what an expression asks the machine or the interpreter, None where it is about something else."""
    name = dotted(node, aliases)
    lower = name.endswith((".lower()", ".casefold()"))
    found = _FACTS.get(name.rpartition(".")[0] if lower else name)
    return Fact(found, lower) if found else None


def compared(asked: Fact, operator: ast.cmpop, value: object) -> Test | None:
    """Return the condition ``asked operator value``, None where no marker says the same."""
    if isinstance(operator, (ast.In, ast.NotIn)):
        return _one_of(asked, value, negated=isinstance(operator, ast.NotIn))
    signs = _SIGNS.get(type(operator))
    if signs is None:
        return None
    if asked.name == "version_info":
        return _version(value, signs)
    if not isinstance(value, str):
        return None
    name, word = _spelled(asked, value)
    return None if "'" in word else _both_ways(name, signs, word)


def contained(word: str, asked: Fact, *, negated: bool) -> Test | None:
    """Return the condition ``word in asked``, as in ``"ARM64" in platform.version()``."""
    if asked.lower or asked.name in {"version_info", "processor"} or "'" in word:
        return None
    both_ways = (f"'{word}' in {asked.name}", f"'{word}' not in {asked.name}")
    return Test(*(both_ways[::-1] if negated else both_ways))


def starting(asked: Fact, word: str) -> Test | None:
    """Return the condition ``sys.platform.startswith(word)``."""
    if asked.name != "sys_platform" or word not in _STARTS:
        return None
    return compared(asked, ast.Eq(), _STARTS[word])


def all_of(tests: list[Test | None]) -> Test | None:
    """Return the condition that all hold; of those that are about something else only that they are needed."""
    known = [test for test in tests if test is not None]
    yes, no = "", []
    for test in known:
        yes = both(yes, test.yes)
        no.append(test.no)
    return Test(yes, _any(no), open=len(known) < len(tests) or any(test.open for test in known)) if known else None


def any_of(tests: list[Test | None]) -> Test | None:
    """Return the condition that one holds; None where one of them is about something else."""
    known = [test for test in tests if test is not None and not test.open]
    if len(known) < len(tests):
        return None
    no = ""
    for test in known:
        no = both(no, test.no)
    return Test(_any([test.yes for test in known]), no)


def opposite(test: Test | None) -> Test | None:
    """Return the condition that it does not hold."""
    return None if test is None or test.open else Test(test.no, test.yes)


def _any(parts: list[str]) -> str:
    return " or ".join(parts) if all(parts) else ""


def _one_of(asked: Fact, value: object, *, negated: bool) -> Test | None:
    if not isinstance(value, (list, tuple)) or not value:
        return None
    found = any_of([compared(asked, ast.Eq(), word) for word in value])
    return opposite(found) if negated else found


def _version(value: object, signs: tuple[str, str]) -> Test | None:
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(part, int) for part in value):
        return None
    shown = ".".join(map(str, value))
    if len(value) > 2:  # noqa: PLR2004 - major and minor
        return _both_ways("python_full_version", signs, shown)
    shown += ".0" if len(value) == 1 else ""
    signs = _OF_RELEASES.get(signs, signs)
    return _both_ways("python_version", signs, shown)


def _both_ways(name: str, signs: tuple[str, str], word: str) -> Test:
    return Test(f"{name} {signs[0]} '{word}'", f"{name} {signs[1]} '{word}'")


def _spelled(asked: Fact, word: str) -> tuple[str, str]:
    """Marker and word: ``platform.processor()`` is ``arm`` on Apple silicon, and lower case is undone."""
    if asked.name == "processor":
        return "platform_machine", {"arm": "arm64", "i386": "x86_64"}.get(word, word)
    if asked.name == "platform_system" and asked.lower:
        return asked.name, word.capitalize()
    return asked.name, word
