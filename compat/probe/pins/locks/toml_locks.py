"""TOML lock files: uv.lock, poetry.lock, pdm.lock and the standard's pylock.toml.

Sources: https://packaging.python.org/en/latest/specifications/pylock-toml/ (PEP 751); poetry's ``packages/locker.py``;
PDM's ``models/repositories/lock.py``; uv's are in ``uv_lock``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin, PinFile
from compat.probe.pins.locks import markers as lock_markers
from compat.probe.pins.locks import uv_lock
from compat.probe.pins.locks.uv_lock import Needed
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.source import Source
from compat.probe.pins.toml import constraints
from compat.probe.pins.toml.document import Document, load
from compat.probe.pins.toml.groups import shared

_NAME = re.compile(
    r"(?m)^\[\[packages?\]\][ \t]*\r?\n(?:(?!\[|name[ \t]*=)[^\n]*\n)*name[ \t]*=[ \t]*[\"'](?=([^\"'\n]*))"
)
"""A package's name as the tools write it, which is looked for before the whole file is scanned for places."""

_RELOCK = {"uv": "uv lock", "poetry": "poetry lock", "pdm": "pdm lock", "pip": "pip lock", "pipenv": "pipenv lock"}
_VCS = frozenset({"git", "hg", "svn", "bzr", "vcs"})
_PATHS = frozenset({"path", "directory", "editable", "virtual", "file"})

Needs = Callable[[dict[str, Any], list[dict[str, Any]]], list[Needed | None]]


def read(source: Source) -> PinFile:
    """Return what a lock file pins."""
    name = source.path.name.lower()
    if name.endswith("uv.lock"):
        return _lock(source, "uv.lock", "package", uv_lock.needs)
    if name.startswith("poetry"):
        return _lock(source, "poetry.lock", "package", _poetry)
    if name.startswith("pdm"):
        return _lock(source, "pdm.lock", "package", _pdm)
    return _lock(source, "pylock", "packages", _standard)


def _lock(source: Source, kind: str, key: str, needs: Needs) -> PinFile:
    document = load(source, kind)
    if isinstance(document, PinFile):
        return document
    numbers = [number for number, row in enumerate(document.items(key)) if isinstance(row, dict)]
    packages = [document.items(key)[number] for number in numbers]
    needed = needs(document.data, packages)
    at = _names(document, key, packages, numbers)
    pins = tuple(
        pin
        for package, need, offset in zip(packages, needed, at, strict=True)
        if need is not None and (pin := _pin(document, package, need, offset)) is not None
    )
    return PinFile(
        path=str(source.path),
        kind=kind,
        pins=pins,
        requires_python=_requires_python(document),
        scopes=shared(need.groups for need in needed if need is not None and need.groups),
        is_lock=True,
        relock=_relock(document, kind),
    )


def _pin(document: Document, package: dict[str, Any], need: Needed, at: int) -> Pin | None:
    name, version = package.get("name"), package.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        return None
    line, column = document.source.place(at)
    return Pin(
        name=canonicalize_name(name),
        specifier=version,
        admits=(f"=={version}",),
        marker=need.marker,
        line=line,
        column=column,
        group=need.group,
        origin=_origin(package),
        locked=True,
    )


def _names(document: Document, key: str, packages: list[dict[str, Any]], numbers: list[int]) -> list[int]:
    """Where each package's name stands."""
    found = list(_NAME.finditer(document.source.text))
    if [match[1] for match in found] == [row.get("name") for row in packages]:
        return [match.end() for match in found]
    texts = document.places.texts
    places = (texts.get((key, number, "name")) for number in numbers)
    return [place.start if place else 0 for place in places]


def _origin(package: dict[str, Any]) -> str:
    """Where a package is from, in the spelling of each tool."""
    source = package.get("source")
    keys = {key for key, value in package.items() if value and key != "source"}
    url: object = package.get("index")
    if isinstance(source, dict):
        kind = source.get("type")
        keys |= {key for key, value in source.items() if value}
        keys |= {str(kind)} if isinstance(kind, str) else set()
        url = source.get("registry", source.get("url") if kind == "legacy" else None)
    if keys & _VCS:
        return "vcs"
    if keys & _PATHS:
        return "path"
    if isinstance(url, str):
        return "private" if not is_pypi(url) else "index"
    return "url" if keys & {"url", "archive"} else "index"


def _requires_python(document: Document) -> str | None:
    """The Pythons a lock is for; Poetry writes its own kind of constraint."""
    for path in (("requires-python",), ("metadata", "requires_python"), ("metadata", "targets", 0, "requires_python")):
        if said := document.text(*path).strip():
            return said
    return constraints.requires_python(document.text("metadata", "python-versions"))


def _relock(document: Document, kind: str) -> str:
    tool = (
        document.text("created-by").split("/")[0].split(" ")[0].lower() if kind == "pylock" else kind[: -len(".lock")]
    )
    if kind == "pylock" and tool == "uv":
        head = re.match(r"(?:#[^\n]*\n)*?#[ \t]+(uv [^\n]+)", document.source.text)
        return head[1].strip() if head else "uv export --format pylock.toml"
    return _RELOCK.get(tool, "")


def _poetry(data: dict[str, Any], packages: list[dict[str, Any]]) -> list[Needed | None]:
    extras: dict[str, set[str]] = {}
    table = data.get("extras")
    for extra, names in table.items() if isinstance(table, dict) else ():
        for name in names if isinstance(names, list) else ():
            extras.setdefault(str(name), set()).add(f"extra {canonicalize_name(extra)}")
    return [_of_poetry(package, extras) for package in packages]


def _of_poetry(package: dict[str, Any], extras: dict[str, set[str]]) -> Needed:
    """``groups`` is there since Poetry 2, ``category`` was until 1.4; ``markers`` may differ from group to group."""
    groups = [row for row in _texts(package.get("groups", [package.get("category")])) if row] or ["main"]
    written = package.get("markers", "")
    if isinstance(written, dict):
        written = written.get("main" if "main" in groups else groups[0], "")
    marker = written if isinstance(written, str) else ""
    if "main" not in groups:
        return Needed(frozenset(f"group {row}" for row in groups), _told(marker))
    if not package.get("optional"):
        return Needed(frozenset(), _told(marker))
    found = lock_markers.groups(marker) or frozenset(extras.get(str(package.get("name")), {"extra"}))
    return Needed(found, _told(marker))


def _pdm(_: dict[str, Any], packages: list[dict[str, Any]]) -> list[Needed | None]:
    """PDM's lock tells extras and groups alike."""
    found: list[Needed | None] = []
    for package in packages:
        groups = frozenset(_texts(package.get("groups"))) or frozenset({"default"})
        marker = package.get("marker", package.get("markers", ""))
        names = frozenset() if "default" in groups else frozenset(f"group {row}" for row in groups)
        found.append(Needed(names, _told(marker) if isinstance(marker, str) else ""))
    return found


def _standard(data: dict[str, Any], packages: list[dict[str, Any]]) -> list[Needed | None]:
    environments = data.get("environments")
    everywhere = lock_markers.any_of(environments if isinstance(environments, list) else ())
    found: list[Needed | None] = []
    for package in packages:
        marker = package.get("marker", "")
        marker = marker if isinstance(marker, str) else ""
        default = lock_markers.groups(marker) & _defaults(data)
        groups = frozenset() if default else lock_markers.groups(marker)
        told = _told(marker) if everywhere == lock_markers.ALWAYS else ""
        found.append(
            Needed(groups, told or lock_markers.text(lock_markers.both(lock_markers.parsed(marker), everywhere)))
        )
    return found


def _defaults(data: dict[str, Any]) -> frozenset[str]:
    return frozenset(f"group {row}" for row in _texts(data.get("default-groups")))


def _told(marker: str) -> str:
    """A marker as it is written, unless it speaks of extras and groups: those are told apart."""
    if not lock_markers.groups(marker) and len(marker) <= lock_markers.LIMIT_TEXT:
        return marker
    return lock_markers.text(lock_markers.parsed(marker))


def _texts(value: object) -> Iterator[str] | list[str]:
    return [row for row in value if isinstance(row, str)] if isinstance(value, list) else []
