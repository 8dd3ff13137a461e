"""Pipenv's Pipfile.

Source: https://pipenv.pypa.io/en/latest/pipfile.html and …/specifiers.html (markers as keys of their own).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compat.facts.pins import Pin, PinFile, Unread
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.source import Source
from compat.probe.pins.toml.constraints import all_markers, compact, is_pep440
from compat.probe.pins.toml.document import Document, keyed, load, unread
from compat.probe.pins.toml.groups import Found

_NO_GROUP = frozenset({"source", "requires", "scripts", "pipenv", "pipfile"})
_KINDS = {"git": "vcs", "hg": "vcs", "svn": "vcs", "bzr": "vcs", "path": "path", "file": "path"}
_VARIABLES = (
    "os_name",
    "sys_platform",
    "platform_machine",
    "platform_python_implementation",
    "platform_release",
    "platform_system",
    "platform_version",
    "python_version",
    "python_full_version",
    "implementation_name",
    "implementation_version",
)


def read(source: Source) -> PinFile:
    """Return the pins of a Pipfile."""
    document = load(source, "Pipfile")
    if isinstance(document, PinFile):
        return document
    found = tuple(_found(document))
    return PinFile(
        path=str(source.path),
        kind="Pipfile",
        pins=tuple(row for row in found if isinstance(row, Pin)),
        unread=tuple(row for row in found if isinstance(row, Unread)),
        requires_python=required_python(document.table("requires")),
    )


def category(name: str, default: str, develop: str) -> str:
    """Return the group of one of Pipenv's categories."""
    return {default: "", develop: "group dev"}.get(name, f"group {name}")


def required_python(table: dict[str, Any]) -> str | None:
    """Return the Python that Pipenv makes the environment with."""
    full, minor = table.get("python_full_version"), table.get("python_version")
    text = full if isinstance(full, str) else f"{minor}.*" if isinstance(minor, str) else ""
    return f"=={text}" if text and is_pep440(f"=={text}") else None


def _found(document: Document) -> Iterator[Found]:
    for section, table in document.data.items():
        if section in _NO_GROUP or not isinstance(table, dict):
            continue
        for name, value in table.items():
            path = (section, name)
            row = value if isinstance(value, dict) else {"version": value}
            pin = _pin(document, name, row, category(section, "packages", "dev-packages"))
            if pin is None:
                yield unread(document, path, name, "not a constraint")
                continue
            version = (*path, "version") if isinstance(value, dict) else path
            yield keyed(document, path, version if "version" in row else None, "pipfile", pin)


def _pin(document: Document, name: str, row: dict[str, Any], of: str) -> Pin | None:
    version = row.get("version", "*")
    if not isinstance(version, str):
        return None
    kind = next((origin for key, origin in _KINDS.items() if key in row), None)
    written, extras = compact(version), row.get("extras")
    url = row.get("file")
    return Pin(
        name=name,
        specifier="" if kind else written,
        admits=() if kind or not is_pep440(written) else None,
        marker=marker(row),
        line=1,
        column=1,
        extras=tuple(sorted(one for one in extras if isinstance(one, str))) if isinstance(extras, list) else (),
        group=of,
        origin="url" if isinstance(url, str) and "://" in url else kind or _origin(document, row.get("index")),
    )


def marker(row: dict[str, Any]) -> str:
    """Return the marker of an entry: its ``markers``, and each variable that is a key of its own."""
    parts = [row.get("markers", "")]
    for variable in _VARIABLES:
        value = row.get(variable)
        parts.append(f"{variable} {value.strip()}" if isinstance(value, str) else "")
    return all_markers(part.strip() for part in parts if isinstance(part, str))


def _origin(document: Document, index: object) -> str:
    rows = [row for row in document.items("source") if isinstance(row, dict)]
    url = next((row.get("url") for row in rows if row.get("name") == index), index)
    if not isinstance(index, str) or index == "pypi" or (isinstance(url, str) and is_pypi(url)):
        return "index"
    return "private"
