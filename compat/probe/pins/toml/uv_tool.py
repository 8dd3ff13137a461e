"""What ``[tool.uv]`` and ``[tool.setuptools.dynamic]`` add to the standard tables.

Sources: https://docs.astral.sh/uv/reference/settings/ and https://docs.astral.sh/uv/concepts/projects/dependencies/ ;
https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html#dynamic-metadata
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from packaging.utils import canonicalize_name

from compat.facts.pins import Included, Pin
from compat.matrix import query, requires
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.pip.requirements import Walk, include
from compat.probe.pins.toml.document import Document, requirements
from compat.probe.pins.toml.groups import Found, Part
from compat.probe.pins.toml.pep621 import extra
from compat.probe.pins.toml.places import Path

PLATFORMS = ("macos-arm64", "macos-x86_64", "linux-x86_64", "linux-aarch64", "windows-amd64")
_MAC = PLATFORMS[0]


def read(document: Document) -> Part:
    """Return what uv's own table asks for."""
    found = [
        *requirements(document, "tool", "uv", "dev-dependencies", group="group dev"),
        *requirements(document, "tool", "uv", "constraint-dependencies", constraint=True),
        *requirements(document, "tool", "uv", "override-dependencies", constraint=True),
        *_from_files(document),
    ]
    platforms = _platforms(document)
    why = "the environments of tool.uv" if platforms else ""
    return Part(found=tuple(found), platforms=platforms, platforms_why=why)


def overridden(document: Document) -> frozenset[str]:
    """Return the names for which uv asks the override alone, whatever else is asked for them."""
    rows = requirements(document, "tool", "uv", "override-dependencies")
    return frozenset(row.name for row in rows if isinstance(row, Pin))


def origins(document: Document) -> dict[str, str]:
    """Return the origin of each name that ``tool.uv.sources`` takes from elsewhere than PyPI, on Apple silicon."""
    urls = {row.get("name"): str(row.get("url")) for row in document.items("tool", "uv", "index") if _is_table(row)}
    found: dict[str, str] = {}
    for name, value in document.table("tool", "uv", "sources").items():
        rows = value if isinstance(value, list) else [value]
        chosen = [_origin(row, urls) for row in rows if _is_table(row) and _on_a_mac(row)]
        if chosen and chosen[0] != "index":
            found[canonicalize_name(name)] = chosen[0]
    return found


def _origin(row: dict[str, Any], urls: dict[Any, str]) -> str:
    if "index" in row:
        name = row["index"] if isinstance(row["index"], str) else None
        return "index" if is_pypi(urls.get(name, "")) or name == "pypi" else "private"
    kinds = {"git": "vcs", "url": "url", "path": "path", "workspace": "path"}
    return next((origin for key, origin in kinds.items() if row.get(key)), "index")


def _on_a_mac(row: dict[str, Any]) -> bool:
    marker = row.get("marker")
    return not isinstance(marker, str) or _holds(marker, _MAC)


def _is_table(row: object) -> bool:
    return isinstance(row, dict)


def _platforms(document: Document) -> tuple[str, ...]:
    """The platforms ``environments`` leaves over; none where it leaves all."""
    written = document.get("tool", "uv", "environments")
    markers = [row for row in (written if isinstance(written, list) else [written]) if isinstance(row, str)][:50]
    left = tuple(platform for platform in PLATFORMS if any(_holds(marker, platform) for marker in markers))
    return left if markers and left != PLATFORMS else ()


def _holds(marker: str, platform: str) -> bool:
    return any(requires.holds(marker, platform, python) is not False for python in query.PYTHONS)


def _from_files(document: Document) -> Iterator[Found]:
    dynamic: Path = ("tool", "setuptools", "dynamic")
    yield from _files(document, (*dynamic, "dependencies", "file"), "")
    for name in document.table(*dynamic, "optional-dependencies"):
        yield from _files(document, (*dynamic, "optional-dependencies", name, "file"), extra(name))
    hook: Path = ("tool", "hatch", "metadata", "hooks", "requirements_txt")
    yield from _files(document, (*hook, "files"), "")
    for name in document.table(*hook, "optional-dependencies"):
        yield from _files(document, (*hook, "optional-dependencies", name), extra(name))


def _files(document: Document, path: Path, group: str) -> Iterator[Found]:
    value = document.get(*path)
    many = isinstance(value, list)
    walk = Walk()
    for number, target in enumerate(value if isinstance(value, list) else [value]):
        if not isinstance(target, str):
            continue
        found = include(target, 0, document.source, walk, constraint=False)
        if found is not None:
            line, column = document.at((*path, number) if many else path)
            placed = replace(found, line=line, column=column)
            yield _grouped(placed, group) if group and isinstance(placed, Included) else placed


def _grouped(row: Included, group: str) -> Included:
    file = row.file
    pins = tuple(replace(pin, group=group) for pin in file.pins)
    inner = tuple(_grouped(one, group) for one in file.included)
    return replace(row, file=replace(file, pins=pins, included=inner))
