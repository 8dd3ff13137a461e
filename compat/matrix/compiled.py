"""TOML tree to the sections the loader hands out: references resolved, one JSON file a section.

``scripts/compile`` writes what ``section`` returns; a test holds the committed files to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat.errors import BadMatrix
from compat.matrix import load

Table = dict[str, Any]


def section(root: Path, name: str) -> Table:
    """Return one section: ``index``, ``releases/<name>``, ``links``, ``observed``, ``issues``…"""
    if name.startswith("releases/"):
        return _releases(root / f"{name}.toml")
    makers = {"index": _index, "links": _links, "locks": _locks}
    return makers.get(name, lambda tree: _joined(tree / name))(root)


def sections(root: Path) -> tuple[str, ...]:
    """Return the names of all sections there are in ``root``."""
    releases = tuple(f"releases/{path.stem}" for path in _files(root / "releases"))
    return ("index", *load.SECTIONS, *releases)


def _index(root: Path) -> Table:
    tables = {path.stem: load.read_toml(path) for path in _files(root / "releases")}
    days = sorted(str(table.get("retrieved", "")) for table in tables.values())
    return {"schema": 1, "date": days[-1] if days else "unknown", "releases": sorted(tables)}


def _releases(path: Path) -> Table:
    """Requirement lists once, wheels as ``[tag, size, number of its list]``: a third of the size, and quick to read."""
    raw = load.read_toml(path)
    at = f"releases/{path.name}"
    rows = raw.get("releases", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "version" in row for row in rows):
        raise BadMatrix(f"{at}: releases is not a list of tables with a version")
    lists = raw.get("requires", [])
    return {
        "name": str(raw.get("name", path.stem)),
        "requires": lists,
        "releases": [_release(row, len(lists), f"{at}: releases[{index}]") for index, row in enumerate(rows)],
    }


_RELEASE_HEAD = ("version", "uploaded", "requires_python", "yanked")


def _release(row: Table, lists: int, at: str) -> Table:
    kept: Table = {key: row[key] for key in _RELEASE_HEAD if key in row}
    wheels = [_wheel(wheel, lists, f"{at}.wheels[{index}]") for index, wheel in enumerate(row.get("wheels", []))]
    return {**kept, "wheels": wheels, "has_sdist": "sdist" in row}


def _wheel(row: Table, lists: int, at: str) -> list[Any]:
    number = row.get("requires")
    if number is not None and not (isinstance(number, int) and 0 <= number < lists):
        raise BadMatrix(f"{at}.requires: there is no list number {number}")
    if not isinstance(row.get("tag"), str):
        raise BadMatrix(f"{at}.tag: missing")
    return [row["tag"], row.get("size", 0), number]


def _links(root: Path) -> Table:
    pairs: list[Table] = []
    binaries: list[Table] = []
    for path in _files(root / "links"):
        raw = load.read_toml(path)
        shared = {"plugin": raw.get("plugin"), "arch": raw.get("architecture")}
        names = raw.get("missing", {})
        pairs += [
            _pair(row, shared, names, raw.get("source", ""), f"links/{path.name}") for row in raw.get("pairs", [])
        ]
        binaries += [
            {
                **shared,
                "version": row["version"],
                "minimum_macos": row.get("minimum_macos"),
                "sha256": row.get("sha256", ""),
            }
            for row in raw.get("plugins", [])
        ]
    return {"pairs": pairs, "binaries": binaries}


def _pair(row: Table, shared: Table, names: Mapping[str, list[str]], source: str, at: str) -> Table:
    missing = row.get("missing")
    if missing is not None and missing not in names:
        raise BadMatrix(f"{at}: missing set {missing!r} is not defined")
    judged = row.get("judged", True)
    return {
        **shared,
        "distribution": row["distribution"],
        "tensorflow": row["tensorflow"],
        "plugin_version": row["plugin_version"],
        "loads": row["loads"] if judged else None,
        "layer": row.get("layer", 0),
        "missing": names[missing] if missing is not None else [],
        "reason": row.get("reason", ""),
        "source": source,
    }


_LOCK_HEAD = (
    "platform", "python", "distribution", "tensorflow", "tier", "exclude_newer", "plugin", "plugin_version",
    "minimum_macos", "glibc", "cuda", "repairs", "recommended",
)  # fmt: skip


def _locks(root: Path) -> Table:
    folder = root / "locks"
    heads = []
    for path in _files(folder):
        raw = load.read_toml(path)
        head = {key: raw[key] for key in _LOCK_HEAD if key in raw}
        size = sum(package.get("size", 0) for package in raw.get("packages", []))
        day = raw.get("verified", {}).get("day")
        file = path.relative_to(folder).as_posix()
        heads.append({"file": file, **head, "download_bytes": size, "verified_day": day})
    return {"locks": heads}


def _joined(folder: Path) -> Table:
    """All files of a folder as one table: lists of the same name are joined in file order."""
    joined: Table = {}
    for path in _files(folder):
        for key, rows in load.read_toml(path).items():
            if isinstance(rows, list):
                joined.setdefault(key, []).extend(rows)
    return joined


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.toml")) if folder.is_dir() else []
