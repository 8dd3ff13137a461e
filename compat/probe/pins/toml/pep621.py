"""The standard tables of a pyproject.toml: ``[project]``, ``[dependency-groups]``, ``[build-system]``.

Sources: https://packaging.python.org/en/latest/specifications/pyproject-toml/ and …/dependency-groups/ (PEP 621, 735).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin, Unread
from compat.probe.pins import requirement
from compat.probe.pins.toml import constraints
from compat.probe.pins.toml.constraints import is_pep440
from compat.probe.pins.toml.document import Document, required, requirements, unread
from compat.probe.pins.toml.groups import LIMIT_EDGES, Found, Part, closures, reached
from compat.probe.pins.toml.places import Path

Includes = dict[str, list[str]]


def read(document: Document) -> Part:
    """Return what the standard tables ask for."""
    name = canonicalize_name(document.text("project", "name"))
    includes: Includes = {}
    found = [
        *requirements(document, "project", "dependencies"),
        *_extras(document, name, includes),
        *_groups(document, name, includes),
        *_build(document),
    ]
    return Part(
        found=tuple(found),
        requires_python=_python(document.text("project", "requires-python").strip()),
        scopes=closures(includes),
    )


def extra(name: str) -> str:
    """Return the group of an extra."""
    return f"extra {canonicalize_name(name)}"


def group(name: str) -> str:
    """Return the group of a dependency group."""
    return f"group {canonicalize_name(name)}"


def _python(written: str) -> str | None:
    """What is not PEP 440 (``3.12.*``, as some write it) is read as Poetry does; None for what nobody understands."""
    return (written if is_pep440(written) else constraints.requires_python(written)) or None


def _extras(document: Document, project: str, includes: Includes) -> Iterator[Found]:
    for name in document.table("project", "optional-dependencies"):
        path: Path = ("project", "optional-dependencies", name)
        for found in requirements(document, *path, group=extra(name)):
            yield from _own(found, project, extra(name), includes)


def _own(found: Pin | Unread, project: str, of: str, includes: Includes) -> Iterator[Found]:
    """The project's own extras are no pins: what they ask for stands in the same file."""
    if project and isinstance(found, Pin) and found.name == project:
        includes.setdefault(of, []).extend(extra(name) for name in found.extras)
        return
    yield found


def _groups(document: Document, project: str, includes: Includes) -> Iterator[Found]:
    tables = document.table("dependency-groups")
    known = {canonicalize_name(name) for name in tables}
    edges: list[tuple[Path, str, str]] = []
    for name in tables:
        for number, value in enumerate(document.items("dependency-groups", name)):
            path: Path = ("dependency-groups", name, number)
            other = _included(value)
            if other is not None and canonicalize_name(other) in known:
                includes.setdefault(group(name), []).append(group(other))
                edges.append((path, group(name), group(other)))
            elif other is not None:
                yield unread(document, (*path, "include-group"), other, "no such dependency group")
            elif isinstance(value, str):
                found = required(document, path, value, requirement.Where(group=group(name)))
                yield from _own(found, project, group(name), includes) if found else ()
            else:
                yield unread(document, path, str(value), "not a requirement")
    yield from _loops(document, edges, includes)


def _included(value: Any) -> str | None:  # noqa: ANN401
    other = value.get("include-group") if isinstance(value, dict) and len(value) == 1 else None
    return other if isinstance(other, str) else None


def _loops(document: Document, edges: list[tuple[Path, str, str]], includes: Includes) -> Iterator[Unread]:
    if len(edges) > LIMIT_EDGES:
        return
    for path, of, other in edges:
        if of in reached(other, includes):
            yield unread(document, (*path, "include-group"), other.removeprefix("group "), "the group includes itself")


def _build(document: Document) -> Iterator[Found]:
    """What builds the project is of interest only where that is TensorFlow."""
    found = tuple(requirements(document, "build-system", "requires", group="build"))
    if any(isinstance(row, Pin) and row.name.startswith("tensorflow") for row in found):
        yield from found
