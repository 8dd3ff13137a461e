"""Poetry's own tables in a pyproject.toml, of all its ages.

Source: https://python-poetry.org/docs/dependency-specification/ and …/pyproject/ .
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.toml import constraints
from compat.probe.pins.toml.document import Document, keyed, unread
from compat.probe.pins.toml.groups import Found, Part, joined, shared
from compat.probe.pins.toml.pep621 import extra, group
from compat.probe.pins.toml.places import Path

_TOOL: Path = ("tool", "poetry")
_KINDS = {"git": "vcs", "url": "url", "path": "path", "file": "path"}


def read(document: Document) -> Part:
    """Return what Poetry's tables ask for."""
    main: Path = (*_TOOL, "dependencies")
    extras = _extras(document)
    standard = isinstance(document.get("project", "dependencies"), list)  # then these tables only enrich it
    found: list[Found] = []
    for name, value in document.table(*main).items():
        if canonicalize_name(name) != "python":
            found.extend(_dependency(document, (*main, name), value, "", extras, enriches=standard))
    for path, of in _groups(document):
        for name, value in document.table(*path).items():
            if canonicalize_name(name) != "python":
                found.extend(_dependency(document, (*path, name), value, of, {}, enriches=False))
    return Part(found=tuple(found), requires_python=_python(document), scopes=_scopes(document, extras))


def _python(document: Document) -> str | None:
    value = document.get(*_TOOL, "dependencies", "python")
    if isinstance(value, dict):
        value = value.get("version")
    return constraints.requires_python(value) if isinstance(value, str) else None


def _groups(document: Document) -> Iterator[tuple[Path, str]]:
    yield (*_TOOL, "dev-dependencies"), "group dev"
    for name in document.table(*_TOOL, "group"):
        yield (*_TOOL, "group", name, "dependencies"), group(name)


def _scopes(document: Document, extras: dict[str, frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """``poetry install`` takes every group that is not optional."""
    tables = document.table(*_TOOL, "group")
    names = {group(name) for name, row in tables.items() if not (isinstance(row, dict) and row.get("optional"))}
    if document.table(*_TOOL, "dev-dependencies"):
        names.add("group dev")
    every = (tuple(sorted(names)),) if len(names) > 1 else ()
    return (*every, *shared(extras.values()))


def _extras(document: Document) -> dict[str, frozenset[str]]:
    """The extras each optional dependency belongs to."""
    found: dict[str, set[str]] = {}
    for name, members in document.table(*_TOOL, "extras").items():
        for member in members if isinstance(members, list) else ():
            if isinstance(member, str):
                found.setdefault(canonicalize_name(member), set()).add(extra(name))
    return {name: frozenset(groups) for name, groups in found.items()}


def _dependency(
    document: Document,
    path: Path,
    value: Any,  # noqa: ANN401
    of: str,
    extras: dict[str, frozenset[str]],
    *,
    enriches: bool,
) -> Iterator[Found]:
    """One name's constraint, or its array of constraints."""
    if isinstance(value, list):
        for number, row in enumerate(value):
            yield from _dependency(document, (*path, number), row, of, extras, enriches=enriches)
        return
    if not isinstance(value, (str, dict)):
        yield unread(document, path, str(path[-1]), "not a constraint")
        return
    row = value if isinstance(value, dict) else {"version": value}
    if enriches and not isinstance(row.get("version"), str):
        return
    name = next(str(part) for part in reversed(path) if isinstance(part, str))
    if row.get("optional"):
        of = joined(extras.get(canonicalize_name(name), frozenset({"extra"})))
    version: Path = (*path, "version") if isinstance(value, dict) else path
    pin = _pin(document, name, row, of, constraint=enriches)
    if pin is None:
        yield unread(document, path, name, "not a constraint")
    else:
        yield keyed(document, path, version if "version" in row else None, "poetry", pin)


def _pin(document: Document, name: str, row: dict[str, Any], of: str, *, constraint: bool) -> Pin | None:
    kind = next((origin for key, origin in _KINDS.items() if key in row), None)
    version = row.get("version", "*")
    if not isinstance(version, str):
        return None
    extras = row.get("extras")
    return Pin(
        name=name,
        specifier="" if kind else constraints.compact(version),
        admits=() if kind else constraints.admitted(version),
        marker=_marker(row),
        line=1,
        column=1,
        extras=tuple(sorted(one for one in extras if isinstance(one, str))) if isinstance(extras, list) else (),
        group=of,
        origin=kind or _origin(document, row.get("source")),
        constraint=constraint,
    )


def _marker(row: dict[str, Any]) -> str:
    markers, platform, python = (row.get(key) for key in ("markers", "platform", "python"))
    return constraints.all_markers(
        (
            markers.strip() if isinstance(markers, str) else "",
            constraints.platform_marker(platform) if isinstance(platform, str) else "",
            constraints.python_marker(python) if isinstance(python, str) else "",
        )
    )


def _origin(document: Document, source: object) -> str:
    """A source that is named for a dependency is the only one Poetry asks for it."""
    if not isinstance(source, str) or source.lower() == "pypi":
        return "index"
    rows = document.items(*_TOOL, "source")
    url = next((row.get("url") for row in rows if isinstance(row, dict) and row.get("name") == source), None)
    return "index" if isinstance(url, str) and is_pypi(url) else "private"
