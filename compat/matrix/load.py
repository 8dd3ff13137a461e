"""The door to ``matrices/``: TOML (or its compiled form) in, rows out; errors carry the address of the value.

The bundled matrix is read from ``matrices/compiled/*.json``, generated from the TOML files by ``scripts/compile`` and
checked in CI, because parsing megabytes of TOML costs more than the whole of a doctor run. Each section is read only
when asked for. A folder named by ``TFCOMPAT_MATRICES`` is read as TOML, because somebody may be writing it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from compat.errors import BadFacts, BadMatrix
from compat.facts.codec import decode
from compat.matrix.files import known_schema, read_json, read_toml, schema_of
from compat.matrix.model import (
    Chip,
    Issue,
    LinkRow,
    Lock,
    LockedPackage,
    LockEntry,
    MacOS,
    Observation,
    PluginBinary,
    PythonBuild,
    Release,
    Repair,
    Wheel,
)
from compat.matrix.places import Place, in_use
from compat.matrix.trusted import maker, undisturbed

Table = Mapping[str, Any]


class Matrix:
    """All that is known, each part read on first use and kept."""

    def __init__(self, root: Path, place: Place | None = None) -> None:
        self._root = root
        self._place = place or Place(root=root, origin="given")
        compiled = root / "compiled"
        self._compiled = compiled if self._place.origin != "named" and compiled.is_dir() else None
        self._kept: dict[str, Any] = {}

    @property
    def root(self) -> Path:
        """The folder the data is read from."""
        return self._root

    @property
    def place(self) -> Place:
        """Which copy this is."""
        return self._place

    @property
    def schema(self) -> int:
        """The number of the form of the tree. Raises BadMatrix for one made for a newer tfcompat."""
        with self._hinting():
            if self._compiled is None:
                return schema_of(self._root)
            return known_schema(self._section("index").get("schema", 1), "compiled/index.json")

    @property
    def date(self) -> str:
        """ISO day of the newest data in it."""
        return str(self._section("index").get("date", "unknown"))

    @property
    def distributions(self) -> tuple[str, ...]:
        """Names with a release table."""
        return tuple(self._section("index").get("releases", ()))

    def releases(self, name: str) -> tuple[Release, ...]:
        """Return every release of a distribution, newest first; empty for one the matrix does not follow."""
        if name not in self.distributions:
            return ()
        slot = f"releases/{name}#records"
        if slot not in self._kept:
            with self._hinting(), undisturbed():
                self._kept[slot] = tuple(_releases(self._section(f"releases/{name}"), f"releases/{name}"))
        found: tuple[Release, ...] = self._kept[slot]
        return found

    def links(self) -> tuple[LinkRow, ...]:
        """Return every judged pair."""
        if self._compiled is None:
            return self._rows("links", "pairs", LinkRow)
        if "links#records" not in self._kept:
            with self._hinting(), undisturbed():
                self._kept["links#records"] = tuple(_links(self._section("links")))
        found: tuple[LinkRow, ...] = self._kept["links#records"]
        return found

    def plugin_binaries(self) -> tuple[PluginBinary, ...]:
        """Return what the plugins' own files say."""
        return self._rows("links", "binaries", PluginBinary)

    def observed(self) -> tuple[Observation, ...]:
        """Return runs seen and claims made."""
        return self._rows("observed", "observed", Observation)

    def issues(self) -> tuple[Issue, ...]:
        """Return the known problems, withdrawn ones included."""
        return self._rows("issues", "issues", Issue)

    def repairs(self) -> tuple[Repair, ...]:
        """Return the constraints that mend drift."""
        return self._rows("repairs", "repairs", Repair)

    def locks(self) -> tuple[LockEntry, ...]:
        """Return the heads of the locks."""
        return self._rows("locks", "locks", LockEntry)

    def macos(self) -> tuple[MacOS, ...]:
        """Return the macOS versions rows may name."""
        return self._rows("platforms", "macos", MacOS)

    def chips(self) -> tuple[Chip, ...]:
        """Return the chip families rows may name."""
        return self._rows("platforms", "chips", Chip)

    def pythons(self) -> tuple[PythonBuild, ...]:
        """Return where Pythons come from as builds for Apple silicon."""
        return self._rows("platforms", "pythons", PythonBuild)

    def lock(self, entry: LockEntry) -> Lock:
        """Return a lock with its pins."""
        with self._hinting():
            raw = read_toml(self._root / "locks" / entry.file)
            pins = tuple(
                _decode(LockedPackage, row, f"locks/{entry.file}: packages[{index}]")
                for index, row in enumerate(raw.get("packages", ()))
            )
        return Lock(entry=entry, packages=pins)

    def _rows(self, section: str, key: str, record: type[Any]) -> tuple[Any, ...]:
        slot = f"{section}#{key}"
        if slot not in self._kept:
            with self._hinting(), undisturbed():
                rows = self._section(section).get(key, ())
                self._kept[slot] = self._trusted(record, rows) or tuple(
                    _decode(record, row, f"{section}: {key}[{index}]") for index, row in enumerate(rows)
                )
        return self._kept[slot]  # type: ignore[no-any-return]

    def _trusted(self, record: type[Any], rows: Any) -> tuple[Any, ...] | None:  # noqa: ANN401 - whatever the file holds
        """Records of the compiled form without a second look; None where they must be looked at."""
        if self._compiled is None:
            return None
        try:
            return tuple(map(maker(cast("Any", record)), rows))
        except (TypeError, ValueError):
            return None

    @contextmanager
    def _hinting(self) -> Iterator[None]:
        """Say of a broken copy what to do about this copy."""
        try:
            yield
        except BadMatrix as error:
            if not self._place.hint:
                raise
            raise BadMatrix(error.message, hint=self._place.hint) from error

    def _section(self, name: str) -> Table:
        if name not in self._kept:
            with self._hinting():
                self._kept[name] = self._read(name)
        found: Table = self._kept[name]
        return found

    def _read(self, name: str) -> Table:
        if self._compiled is not None:
            return read_json(self._compiled / f"{name}.json")
        from compat.matrix.compiled import section  # the slow road: only for a matrix that was never compiled

        return section(self._root, name)


def load(root: Path | None = None) -> Matrix:
    """Return the matrix in ``root``, or the one in use: TFCOMPAT_MATRICES names it, or it was updated, or bundled.

    Raises BadMatrix where there is none, or one made for a newer tfcompat.
    """
    return load_from(Place(root=root, origin="given") if root is not None else in_use())


def load_from(place: Place) -> Matrix:
    """Return the matrix of a place. Raises BadMatrix as ``load`` does."""
    if not place.root.is_dir():
        raise BadMatrix(f"no matrix data in {place.root}")
    found = Matrix(place.root, place)
    _ = found.schema  # whoever reads a part of it must not meet a form nobody here knows
    return found


def _links(section: Table) -> Iterator[LinkRow]:
    """Link rows of the compiled form (``compiled.packed``), whose shape was checked when it was compiled."""
    try:
        sets = [tuple(names) for names in section["missing"]]
        for head, distribution, tensorflow, version, loads, layer, reason, missing in section["pairs"]:
            plugin, arch, source = section["heads"][head]
            yield LinkRow(
                distribution=distribution,
                tensorflow=tensorflow,
                plugin=plugin,
                plugin_version=version,
                arch=arch,
                loads=loads,
                layer=layer or 0,
                missing=sets[missing],
                reason=reason or "",
                source=source,
            )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise BadMatrix(f"links: pairs: {error}") from error


def _releases(section: Table, at: str) -> Iterator[Release]:
    """Release records of one distribution; read by hand, because there are thousands of wheels."""
    try:
        lists = [tuple(row) for row in section["requires"]]
        for row in section["releases"]:
            yield Release(
                name=section["name"],
                version=row["version"],
                uploaded=row.get("uploaded", ""),
                wheels=tuple(
                    [Wheel(tag, size, None if number is None else lists[number]) for tag, size, number in row["wheels"]]
                ),
                requires_python=row.get("requires_python"),
                yanked=row.get("yanked"),
                has_sdist=row.get("has_sdist", False),
            )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise BadMatrix(f"{at}: {type(error).__name__}: {error}") from error


def _decode(record: type[Any], row: object, at: str) -> Any:  # noqa: ANN401
    try:
        return decode(record, row)
    except BadFacts as error:
        raise BadMatrix(f"{at}: {error.message}") from error
