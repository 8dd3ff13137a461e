"""TOML tree to the sections the loader hands out: references resolved, one JSON file a section.

``scripts/compile`` writes what ``section`` returns; a test holds the committed files to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from compat.errors import BadMatrix
from compat.matrix.files import read_toml

SECTIONS = ("links", "observed", "issues", "repairs", "locks", "platforms")

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
    return ("index", *SECTIONS, *releases)


def _index(root: Path) -> Table:
    tables = {path.stem: read_toml(path) for path in _files(root / "releases")}
    days = sorted(str(table.get("retrieved", "")) for table in tables.values())
    return {"schema": 1, "date": days[-1] if days else "unknown", "releases": sorted(tables)}


def _releases(path: Path) -> Table:
    """Requirement lists once, wheels as ``[tag, size, number of its list]``: a third of the size, and quick to read."""
    raw = read_toml(path)
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
    wheels = [_wheel(wheel, lists, f"{at}.wheels[{index}]") for index, wheel in enumerate(row.get("wheels", []))]
    return {**_kept(row, _RELEASE_HEAD), "wheels": wheels, "has_sdist": "sdist" in row}


def _wheel(row: Table, lists: int, at: str) -> list[Any]:
    number = row.get("requires")
    if number is not None and not (isinstance(number, int) and 0 <= number < lists):
        raise BadMatrix(f"{at}.requires: there is no list number {number}")
    if not isinstance(row.get("tag"), str):
        raise BadMatrix(f"{at}.tag: missing")
    return [row["tag"], row.get("size", 0), number]


_PAIR = ("distribution", "tensorflow", "plugin_version", "layer", "reason")
_BINARY = ("version", "minimum_macos", "sha256")


def _links(root: Path) -> Table:
    """What a row lacks stays lacking: decoding names it with its address."""
    pairs: list[Table] = []
    binaries: list[Table] = []
    for path in _files(root / "links"):
        raw, at = read_toml(path), f"links/{path.name}"
        shared = {"plugin": raw.get("plugin"), "arch": raw.get("architecture")}
        source, names = raw.get("source", ""), raw.get("missing", {})
        pairs += [{**shared, "source": source, **_pair(row, names, at)} for row in _tables(raw, "pairs", at)]
        binaries += [{**shared, **_kept(row, _BINARY)} for row in _tables(raw, "plugins", at)]
    return {"pairs": pairs, "binaries": binaries}


def _pair(row: Table, names: Mapping[str, list[str]], at: str) -> Table:
    missing = row.get("missing")
    if missing is not None and missing not in names:
        raise BadMatrix(f"{at}: missing set {missing!r} is not defined")
    loads = _kept(row, ("loads",)) if row.get("judged", True) else {"loads": None}
    return {**_kept(row, _PAIR), **loads, "missing": names[missing] if missing is not None else []}


def _kept(row: Table, keys: Iterable[str]) -> Table:
    return {key: row[key] for key in keys if key in row}


def _tables(raw: Table, key: str, at: str) -> list[Table]:
    rows = raw.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadMatrix(f"{at}: {key} is not a list of tables")
    return rows


_LOCK_HEAD = (
    "platform", "python", "distribution", "tensorflow", "tier", "exclude_newer", "plugin", "plugin_version",
    "minimum_macos", "glibc", "cuda", "repairs", "recommended",
)  # fmt: skip


def _locks(root: Path) -> Table:
    folder = root / "locks"
    heads = []
    for path in _files(folder):
        raw, file = read_toml(path), path.relative_to(folder).as_posix()
        sizes = [package.get("size", 0) for package in _tables(raw, "packages", f"locks/{file}")]
        if not all(isinstance(size, int) for size in sizes):
            raise BadMatrix(f"locks/{file}: the size of a package is not a number")
        day = raw["verified"].get("day") if isinstance(raw.get("verified"), dict) else None
        heads.append({"file": file, **_kept(raw, _LOCK_HEAD), "download_bytes": sum(sizes), "verified_day": day})
    return {"locks": heads}


def _joined(folder: Path) -> Table:
    """All files of a folder as one table: lists of the same name are joined in file order."""
    joined: Table = {}
    for path in _files(folder):
        for key, rows in read_toml(path).items():
            if isinstance(rows, list):
                joined.setdefault(key, []).extend(rows)
    return joined


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.toml")) if folder.is_dir() else []
