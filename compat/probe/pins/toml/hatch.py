"""Hatch's environments in a pyproject.toml.

Source: https://hatch.pypa.io/latest/config/environment/overview/ (inheritance from ``default``, ``detached``,
``features``) and …/advanced/ (``matrix``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compat.facts.pins import StatedPython
from compat.probe.pins.toml.document import Document, requirements
from compat.probe.pins.toml.groups import Found, Part, closures
from compat.probe.pins.toml.pep621 import extra
from compat.probe.pins.toml.pep621 import group as dependency_group
from compat.probe.pins.toml.places import Path

_ENVS: Path = ("tool", "hatch", "envs")
_LISTS = ("dependencies", "extra-dependencies")


def read(document: Document) -> Part:
    """Return what Hatch's environments ask for."""
    found: list[Found] = []
    pythons: list[StatedPython] = []
    envs = [name for name, value in document.table(*_ENVS).items() if isinstance(value, dict)]
    for name in envs:
        for key in _LISTS:
            found.extend(requirements(document, *_ENVS, name, key, group=f"env {name}"))
        pythons.extend(_pythons(document, name))
    includes = {f"env {name}": _includes(document, name, envs) for name in envs}
    return Part(found=tuple(found), pythons=tuple(pythons), scopes=closures(includes))


def _includes(document: Document, name: str, envs: list[str]) -> list[str]:
    """What comes with an environment: the one it inherits from, unless its own list replaces that one's."""
    env = document.table(*_ENVS, name)
    template = env.get("template", "default")
    includes = []
    inherits = not env.get("detached") and template != name and template in envs
    if inherits and "dependencies" not in env:
        includes.append(f"env {template}")
    includes.extend(extra(row) for row in _texts(env.get("features")))
    includes.extend(dependency_group(row) for row in _texts(env.get("dependency-groups")))
    return includes


def _pythons(document: Document, name: str) -> Iterator[StatedPython]:
    path = (*_ENVS, name)
    yield from _stated(document, (*path, "python"), name, f"Hatch's environment {name}")
    for number, row in enumerate(document.items(*path, "matrix")):
        if isinstance(row, dict):
            for key in ("python", "py"):
                for at, _ in enumerate(document.items(*path, "matrix", number, key)):
                    where = (*path, "matrix", number, key, at)
                    yield from _stated(document, where, name, f"the matrix of Hatch's environment {name}")


def _stated(document: Document, path: Path, name: str, what: str) -> Iterator[StatedPython]:
    version = document.text(*path)
    parts = version.split(".")
    if 2 <= len(parts) <= 3 and all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):  # noqa: PLR2004
        line, column = document.at(path)
        yield StatedPython(version=version, line=line, column=column, what=what, group=f"env {name}")


def _texts(value: Any) -> list[str]:  # noqa: ANN401
    return [row for row in value if isinstance(row, str)] if isinstance(value, list) else []
