"""A whole matrix read once: every file as plain values, every row as a record with its address.

What cannot be read becomes a problem, and the rest is read all the same: the checks that follow see all there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from compat.errors import BadMatrix
from compat.matrix import compiled
from compat.matrix.files import HEAD, read_toml
from compat.matrix.lint import shapes, words
from compat.matrix.lint.problem import Problem
from compat.matrix.model import Chip, Issue, LinkRow, LockedPackage, LockEntry, MacOS, Observation, PythonBuild, Repair

R = TypeVar("R")
Table = dict[str, Any]

EXCEPTIONS = "exceptions.toml"
FOLDERS = ("releases", "links", "observed", "issues", "repairs", "locks", "platforms", "files")
_RECORDS: dict[str, Any] = {
    "issues": Issue,
    "observed": Observation,
    "repairs": Repair,
    "macos": MacOS,
    "chips": Chip,
    "pythons": PythonBuild,
}
_RELEASE_KEYS = frozenset(("name", "source", "retrieved", "requires", "releases"))
_LINK_KEYS = frozenset(("plugin", "architecture", "computed", "source", "plugins", "tensorflows", "pairs", "missing"))
_HEAD_KEYS = frozenset(("schema",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Generic[R]):
    """A row and where it stands."""

    at: str
    """``issues/load.toml: ISS001``."""
    record: R

    @property
    def file(self) -> str:
        """The file below the root."""
        return self.at.partition(":")[0]


@dataclass(slots=True, kw_only=True)
class Tree:
    """All rows that could be read, by kind; filled by ``read_tree`` and not changed afterwards."""

    root: Path
    raw: dict[str, Table | None] = field(default_factory=dict)
    """Values of each file, by its name below the root; None for one that cannot be read."""
    problems: list[Problem] = field(default_factory=list)
    rows: dict[str, list[Row[Any]]] = field(default_factory=dict)

    def of(self, kind: str) -> list[Row[Any]]:
        """Return the rows of a kind: ``issues``, ``links``, ``releases``…"""
        return self.rows.setdefault(kind, [])

    def read(self, path: Path) -> Table:
        """Return the values of a file as ``read_toml`` does, without reading it again. Raises BadMatrix."""
        found = self.raw.get(path.relative_to(self.root).as_posix())
        return read_toml(path) if found is None else found

    def say(self, address: str, check: str, text: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(address=address, check=check, text=text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release with what its file says for all of them."""

    name: str
    row: shapes.ReleaseRow
    lists: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A lock's head and pins."""

    entry: LockEntry
    packages: tuple[LockedPackage, ...]


def read_tree(root: Path) -> Tree:
    """Read all TOML files of a matrix."""
    tree = Tree(root=root)
    readers = {"releases": _releases, "links": _links, "locks": _lock, "files": _files}
    for path in sorted(root.rglob("*.toml")):
        name = path.relative_to(root).as_posix()
        folder = name.split("/", maxsplit=1)[0]
        if name not in (HEAD, EXCEPTIONS) and folder not in FOLDERS:
            tree.say(name, "unknown-file", f"nobody reads this file; rows stand in {', '.join(FOLDERS)}")
            continue
        try:
            raw = tree.raw[name] = read_toml(path)
        except BadMatrix as error:
            tree.raw[name] = None
            tree.say(
                name, "unreadable", error.message.removeprefix(f"{path.parent.name}/").removeprefix(f"{path.name}: ")
            )
            continue
        if "/" in name:
            readers.get(folder, _tables)(tree, name, raw)
        elif name == HEAD:
            _unknown(tree, name, raw, _HEAD_KEYS)
    return tree


def _tables(tree: Tree, name: str, raw: Table) -> None:
    known = compiled.TABLES[name.split("/", maxsplit=1)[0]]
    _unknown(tree, name, raw, frozenset(known))
    for key in known:
        for at, row in _rows_of(tree, name, raw, key):
            record = shapes.decoded(_RECORDS[key], row, at, tree.problems)
            if record is not None:
                tree.of(key).append(Row(at=at, record=record))


def _releases(tree: Tree, name: str, raw: Table) -> None:
    _unknown(tree, name, raw, _RELEASE_KEYS)
    _texts(tree, name, raw, ("name", "retrieved"))
    lists = raw.get("requires", [])
    if not isinstance(lists, list) or not all(_is_texts(one) for one in lists):
        tree.say(f"{name}: requires", "wrong-type", "expected a list of lists of texts")
        lists = []
    for at, row in _rows_of(tree, name, raw, "releases"):
        record = shapes.decoded(shapes.ReleaseRow, row, at, tree.problems)
        if record is not None:
            release = Release(name=str(raw.get("name", "")), row=record, lists=len(lists))
            tree.of("releases").append(Row(at=at, record=release))


def _links(tree: Tree, name: str, raw: Table) -> None:
    _unknown(tree, name, raw, _LINK_KEYS)
    _texts(tree, name, raw, ("plugin", "architecture"))
    for key in ("plugins", "tensorflows"):
        for at, row in _rows_of(tree, name, raw, key):
            shapes.decoded(shapes.BinaryRow, row, at, tree.problems)
    names = raw.get("missing", {})
    if not isinstance(names, dict) or not all(_is_texts(one) for one in names.values()):
        tree.say(f"{name}: missing", "wrong-type", "expected a table of lists of texts")
        return
    for at, row in _rows_of(tree, name, raw, "pairs"):
        pair = shapes.decoded(shapes.PairRow, row, at, tree.problems)
        if pair is not None and pair.missing is not None and pair.missing not in names:
            tree.say(f"{at}.missing", "unknown-reference", f"missing set {pair.missing!r} is not defined")
        elif pair is not None:
            (whole,), _ = compiled.link_rows({**raw, "pairs": [row], "plugins": []}, name)
            link = shapes.decoded(LinkRow, whole, at, tree.problems)
            if link is not None:
                tree.of("links").append(Row(at=at, record=link))


def _lock(tree: Tree, name: str, raw: Table) -> None:
    _unknown(tree, name, raw, compiled.lock_keys())
    before = len(tree.problems)
    pins = [shapes.decoded(LockedPackage, row, at, tree.problems) for at, row in _rows_of(tree, name, raw, "packages")]
    if len(tree.problems) > before:
        return
    head = compiled.lock_head(raw, name.removeprefix("locks/"))
    entry = shapes.decoded(LockEntry, head, f"{name}: head", tree.problems)
    if entry is not None:
        lock = Lock(entry=entry, packages=tuple(pin for pin in pins if pin is not None))
        tree.of("locks").append(Row(at=f"{name}: ", record=lock))


def _files(tree: Tree, name: str, raw: Table) -> None:
    known = {"files/macos.toml": ("wheels",), "files/urls.toml": ("base", "folders")}
    if name not in known:
        tree.say(name, "unknown-file", f"nobody reads this file; {' and '.join(known)} are read")
        return
    _unknown(tree, name, raw, frozenset(known[name]))


def _rows_of(tree: Tree, name: str, raw: Table, key: str) -> Iterator[tuple[str, Any]]:
    rows = raw.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        tree.say(f"{name}: {key}", "wrong-type", "expected a list of tables")
    elif len(rows) > words.MOST_ROWS:
        tree.say(f"{name}: {key}", "too-many-rows", f"{len(rows)} rows, more than {words.MOST_ROWS}")
    else:
        yield from ((f"{name}: {_called(key, index, row)}", row) for index, row in enumerate(rows))


def _called(key: str, index: int, row: Table) -> str:
    """Return how an address names a row: by what tells it apart, or by its place."""
    if key == "pairs" and all(
        isinstance(row.get(one), str) for one in ("distribution", "tensorflow", "plugin_version")
    ):
        return f"{row['distribution']} {row['tensorflow']} + {row['plugin_version']}"
    if key == "pythons" and all(isinstance(row.get(one), str) for one in ("version", "origin")):
        return f"{row['version']} {row['origin']}"
    name = row.get({"macos": "version", "chips": "name", "packages": "name", "releases": "version"}.get(key, "id"))
    if not isinstance(name, str) or not name.isprintable() or not name:
        return f"{key}[{index}]"
    return f"packages.{name}" if key == "packages" else name


def _unknown(tree: Tree, name: str, raw: Table, known: frozenset[str]) -> None:
    tree.problems += (shapes.unknown_key(f"{name}: {key}") for key in raw if key not in known)


def _texts(tree: Tree, name: str, raw: Table, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in raw:
            tree.say(f"{name}: {key}", "missing-key", "missing")
        elif not isinstance(raw[key], str):
            tree.say(f"{name}: {key}", "wrong-type", "expected text")


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
