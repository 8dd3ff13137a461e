"""TOML tree to the sections the loader hands out: references resolved, one JSON file a section.

``scripts/compile`` and ``tfcompat matrix check --fix`` write what ``texts`` returns; ``matrix check`` holds the files
of a tree to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from compat.errors import BadMatrix
from compat.matrix.files import HEAD, read_toml

SECTIONS = ("links", "observed", "issues", "repairs", "locks", "platforms")

TABLES = {
    "observed": ("observed",),
    "issues": ("issues",),
    "repairs": ("repairs",),
    "platforms": ("macos", "chips", "pythons"),
}
"""The lists of rows that the files of a folder may hold."""

Table = dict[str, Any]

Read = Callable[[Path], Table]
"""Returns the values of a TOML file; whoever has read the tree already hands out what it has."""


def texts(root: Path, read: Read = read_toml) -> dict[str, str]:
    """Return one JSON text a section, by its name: always the same for the same data. Raises BadMatrix."""
    return {name: text(packed(name, section(root, name, read))) for name in sections(root)}


SHARED = ("plugin", "arch", "source")
PAIR = ("distribution", "tensorflow", "plugin_version", "loads", "layer", "reason")


def packed(name: str, table: Table) -> Table:
    """Return a section as its file has it.

    A thousand pairs share a few heads and a few dozen sets of missing names; each is a list: the number of its head,
    the values of ``PAIR``, and the number of its set.
    """
    if name != "links":
        return table
    heads: dict[tuple[Any, ...], int] = {}
    sets: dict[tuple[str, ...], int] = {}
    pairs = [
        [
            heads.setdefault(tuple(row.get(key) for key in SHARED), len(heads)),
            *(row.get(key) for key in PAIR),
            sets.setdefault(tuple(row.get("missing", ())), len(sets)),
        ]
        for row in table["pairs"]
    ]
    return {**table, "heads": [list(head) for head in heads], "missing": [list(one) for one in sets], "pairs": pairs}


def text(table: Table) -> str:
    """Return the JSON text of a section."""
    return json.dumps(table, separators=(",", ":"), ensure_ascii=False) + "\n"


def section(root: Path, name: str, read: Read = read_toml) -> Table:
    """Return one section: ``index``, ``releases/<name>``, ``links``, ``observed``, ``issues``… Raises BadMatrix."""
    if name.startswith("releases/"):
        return _releases(root / f"{name}.toml", read)
    makers = {"index": _index, "links": _links, "locks": _locks}
    return makers[name](root, read) if name in makers else _joined(root / name, read)


def sections(root: Path) -> tuple[str, ...]:
    """Return the names of all sections there are in ``root``."""
    releases = tuple(f"releases/{path.stem}" for path in _files(root / "releases"))
    return ("index", *SECTIONS, *releases)


def _index(root: Path, read: Read) -> Table:
    tables = {path.stem: read(path) for path in _files(root / "releases")}
    days = sorted(str(table.get("retrieved", "")) for table in tables.values())
    head = root / HEAD
    schema = read(head).get("schema", 1) if head.is_file() else 1
    return {"schema": schema, "date": days[-1] if days else "unknown", "releases": sorted(tables)}


def _releases(path: Path, read: Read) -> Table:
    """Requirement lists once, wheels as ``[tag, size, number of its list]``: a third of the size, and quick to read."""
    raw = read(path)
    at = f"releases/{path.name}"
    rows = raw.get("releases", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "version" in row for row in rows):
        raise BadMatrix(f"{at}: releases is not a list of tables with a version")
    lists = raw.get("requires", [])
    if not isinstance(lists, list) or not all(isinstance(one, list) for one in lists):
        raise BadMatrix(f"{at}: requires is not a list of lists")
    return {
        "name": str(raw.get("name", path.stem)),
        "requires": lists,
        "releases": [_release(row, len(lists), f"{at}: releases[{index}]") for index, row in enumerate(rows)],
    }


_RELEASE_HEAD = ("version", "uploaded", "requires_python", "yanked")


def _release(row: Table, lists: int, at: str) -> Table:
    rows = _tables(row, "wheels", at)
    wheels = [_wheel(wheel, lists, f"{at}.wheels[{index}]") for index, wheel in enumerate(rows)]
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


def _links(root: Path, read: Read) -> Table:
    parts = [link_rows(read(path), f"links/{path.name}") for path in _files(root / "links")]
    return {
        "pairs": [row for pairs, _ in parts for row in pairs],
        "binaries": [row for _, rows in parts for row in rows],
    }


def link_rows(raw: Table, at: str) -> tuple[list[Table], list[Table]]:
    """Return the pairs and the binaries of one file, each row whole. Raises BadMatrix.

    What a row lacks stays lacking: decoding names it with its address.
    """
    shared = {"plugin": raw.get("plugin"), "arch": raw.get("architecture")}
    source, names = raw.get("source", ""), raw.get("missing", {})
    if not isinstance(names, dict):
        raise BadMatrix(f"{at}: missing is not a table of lists")
    pairs = [{**shared, "source": source, **_pair(row, names, at)} for row in _tables(raw, "pairs", at)]
    return pairs, [{**shared, **_kept(row, _BINARY)} for row in _tables(raw, "plugins", at)]


def _pair(row: Table, names: Mapping[str, list[str]], at: str) -> Table:
    missing = row.get("missing")
    if missing is not None and (not isinstance(missing, str) or missing not in names):
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


LOCK_RECORD = ("uv", "command", "packages", "verified", "plain", "without", "twin")
"""What else a lock file holds: how it was made, its pins, and the runs it was tried in."""


def lock_keys() -> frozenset[str]:
    """Return every key a lock file may have."""
    return frozenset((*_LOCK_HEAD, *LOCK_RECORD))


def _locks(root: Path, read: Read) -> Table:
    folder = root / "locks"
    return {"locks": [lock_head(read(path), path.relative_to(folder).as_posix()) for path in _files(folder)]}


def lock_head(raw: Table, file: str) -> Table:
    """Return what the loader keeps of a lock without its pins. Raises BadMatrix."""
    sizes = [package.get("size", 0) for package in _tables(raw, "packages", f"locks/{file}")]
    if not all(isinstance(size, int) for size in sizes):
        raise BadMatrix(f"locks/{file}: the size of a package is not a number")
    day = raw["verified"].get("day") if isinstance(raw.get("verified"), dict) else None
    return {"file": file, **_kept(raw, _LOCK_HEAD), "download_bytes": sum(sizes), "verified_day": day}


def _joined(folder: Path, read: Read) -> Table:
    """All files of a folder as one table: lists of the same name are joined in file order."""
    joined: Table = {}
    for path in _files(folder):
        for key, rows in read(path).items():
            if isinstance(rows, list):
                joined.setdefault(key, []).extend(rows)
            elif key in TABLES[folder.name]:
                raise BadMatrix(f"{folder.name}/{path.name}: {key} is not a list of tables")
    return joined


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.toml")) if folder.is_dir() else []
