"""Pixi's manifests: pixi.toml, and ``[tool.pixi]`` in a pyproject.toml.

Source: https://pixi.sh/latest/reference/pixi_manifest/ (features, targets, environments).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin, PinFile, StatedPython, Unread
from compat.probe.pins.conda import constraints as constraints_conda
from compat.probe.pins.conda import platforms as conda_platforms
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.requirement import both
from compat.probe.pins.source import Source
from compat.probe.pins.toml.constraints import is_pep440
from compat.probe.pins.toml.document import Document, keyed, load, unread
from compat.probe.pins.toml.groups import Found, Part, place
from compat.probe.pins.toml.pep621 import extra, group
from compat.probe.pins.toml.places import Path

_CONDA = ("dependencies", "host-dependencies", "build-dependencies")
_FAMILIES = {"osx": "sys_platform == 'darwin'", "linux": "sys_platform == 'linux'"}
_FAMILIES |= {"win": "sys_platform == 'win32'", "unix": "sys_platform != 'win32'"}
_KINDS = {"git": "vcs", "url": "url", "path": "path"}
_NAMED = re.compile(r"==(\d+\.\d+(?:\.\d+)?)(?:\.\*)?")


def read(source: Source) -> PinFile:
    """Return the pins of a pixi.toml."""
    document = load(source, "pixi.toml")
    if isinstance(document, PinFile):
        return document
    whole = part(document, ())
    return PinFile(
        path=str(source.path),
        kind="pixi.toml",
        pins=tuple(sorted((row for row in whole.found if isinstance(row, Pin)), key=place)),
        unread=tuple(row for row in whole.found if isinstance(row, Unread)),
        requires_python=whole.requires_python,
        pythons=whole.pythons,
        scopes=whole.scopes,
        platforms=whole.platforms,
        platforms_why=whole.platforms_why,
        channels=whole.channels,
    )


def part(document: Document, root: Path) -> Part:
    """Return what a manifest below a table asks for: the default feature is always installed."""
    found = list(_feature(document, root, "", ""))
    for name, table in document.table(*root, "feature").items():
        if isinstance(table, dict):
            found.extend(_feature(document, (*root, "feature", name), f"feature {name}", _only_on(table)))
    pins = [row for row in found if not _is_python(row)]
    python = [row for row in found if isinstance(row, Pin) and _is_python(row) and not row.marker]
    project = "workspace" if document.table(*root, "workspace") else "project"
    platforms = tuple(conda_platforms.platform(row) for row in _texts(document.get(*root, project, "platforms")))
    return Part(
        found=tuple(pins),
        requires_python=next((_first(row) for row in python if not row.group), None),
        pythons=tuple(stated for row in python for stated in _stated(row)),
        scopes=_scopes(document, root),
        platforms=platforms,
        platforms_why="the file lists its platforms" if platforms else "",
        channels=tuple(_channels(document.items(*root, project, "channels"))),
    )


def _is_python(row: Found) -> bool:
    return isinstance(row, Pin) and row.name == "python" and row.origin == "conda"


def _first(pin: Pin) -> str | None:
    sets = (pin.specifier,) if pin.admits is None else pin.admits
    return sets[0] or None if len(sets) == 1 else None


def _stated(pin: Pin) -> Iterator[StatedPython]:
    """A feature's Python is the one its environments run; the default feature's is what the file requires."""
    found = _NAMED.fullmatch(_first(pin) or "")
    if found and pin.group:
        what = f"the {pin.group}"
        yield StatedPython(version=found[1], line=pin.line, column=pin.column, what=what, group=pin.group)


def _channels(rows: list[Any]) -> Iterator[str]:
    for row in rows:
        name = row.get("channel") if isinstance(row, dict) else row
        if isinstance(name, str):
            yield name


def _only_on(table: dict[str, Any]) -> str:
    """The marker of a feature that lists its platforms."""
    markers = [_target(name) or "" for name in _texts(table.get("platforms"))][:20]
    return " or ".join(f"({row})" for row in markers) if markers and all(markers) else ""


def _feature(document: Document, path: Path, of: str, marker: str) -> Iterator[Found]:
    """A feature's own dependencies, and those of its targets, which replace the feature's of the same name."""
    targets = document.table(*path, "target")
    replaced: dict[str, list[str]] = {}
    for name, table in targets.items():
        target = _target(name)
        if target is None or not isinstance(table, dict):
            yield unread(document, (*path, "target", name), name, "a platform that is not known")
            continue
        for row in _dependencies(document, (*path, "target", name), of, both(marker, target)):
            if isinstance(row, Pin):
                replaced.setdefault(f"{row.origin == 'conda'} {row.name}", []).append(target)
            yield row
    for row in _dependencies(document, path, of, marker):
        if isinstance(row, Pin):
            others = replaced.get(f"{row.origin == 'conda'} {row.name}", [])[:20]
            elsewhere = row.marker
            for target in others:
                elsewhere = both(elsewhere, _negated(target))
            yield replace(row, marker=elsewhere)
        else:
            yield row


def _target(name: str) -> str | None:
    return _FAMILIES.get(name) or conda_platforms.marker(name) or None


def _negated(marker: str) -> str:
    flipped = (part.replace("==", "\0").replace("!=", "==").replace("\0", "!=") for part in marker.split(" and "))
    return " or ".join(flipped)


def _dependencies(document: Document, path: Path, of: str, marker: str) -> Iterator[Found]:
    for key in (*_CONDA, "pypi-dependencies"):
        for name, value in document.table(*path, key).items():
            row = value if isinstance(value, dict) else {"version": value}
            where: Path = (*path, key, name)
            pin = _pin(name, row, key in _CONDA)
            if pin is None:
                yield unread(document, where, name, "not a constraint")
                continue
            version = (*where, "version") if isinstance(value, dict) else where
            placed = replace(pin, group=of, marker=both(marker, pin.marker))
            yield keyed(document, where, version if "version" in row else None, "pipfile", placed)


def _pin(name: str, row: dict[str, Any], conda: bool) -> Pin | None:
    version = row.get("version", "*")
    if not isinstance(version, str):
        return None
    kind = next((origin for key, origin in _KINDS.items() if key in row), None)
    written = re.sub(r"\s*([<>=!~|,]+)\s*", r"\1", version.strip())
    extras, channel, markers = row.get("extras"), row.get("channel"), row.get("env-markers")
    return Pin(
        name=canonicalize_name(name),
        specifier="" if kind or written == "*" else written,
        admits=() if kind else _admits(version, written, conda=conda),
        marker=markers if isinstance(markers, str) else "",
        line=1,
        column=1,
        extras=tuple(sorted(_texts(extras))),
        origin=kind or ("conda" if conda else _index(row.get("index"))),
        channel=channel if isinstance(channel, str) and conda else "",
    )


def _index(url: object) -> str:
    return "private" if isinstance(url, str) and not is_pypi(url) else "index"


def _admits(version: str, written: str, *, conda: bool) -> tuple[str, ...] | None:
    if written in {"*", ""}:
        return None
    sets = constraints_conda.conda(version.strip()) if conda else (written,) if is_pep440(written) else ()
    return None if sets == (written,) else sets


def _scopes(document: Document, root: Path) -> tuple[tuple[str, ...], ...]:
    """Each environment is the features it names; in a pyproject.toml extras and groups are features too."""
    environments = document.table(*root, "environments").values()
    extras = document.table("project", "optional-dependencies") if root else {}
    groups = document.table("dependency-groups") if root else {}
    rows = []
    for value in environments:
        names = _texts(value.get("features") if isinstance(value, dict) else value)
        row = [f"feature {name}" for name in names]
        row += [extra(name) for name in names if name in extras]
        row += [group(name) for name in names if name in groups]
        rows.append(tuple(row))
    return tuple(dict.fromkeys(row for row in rows if row)) if any(len(row) > 1 for row in rows) else ()


def _texts(value: object) -> list[str]:
    return [row for row in value if isinstance(row, str)] if isinstance(value, list) else []
