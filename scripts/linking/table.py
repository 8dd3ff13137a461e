"""The file of one plugin and architecture: its rows, what merges with them, and their text, stable to the byte."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from packaging.version import Version

Row: TypeAlias = dict[str, str | int | bool]

HEADING = "# Derived by scripts/links from the binaries in the wheels; an edit by hand is lost at the next run."
LAYERS = {1: "library", 2: "two-level", 3: "flat"}
"""What the names of a missing set are, by the layer that fails."""


class StaleTable(Exception):
    """The table to merge with was made from other plugin wheels; it must be made anew."""


@dataclass
class Table:
    """Rows, newest release first."""

    plugin: str
    architecture: str
    source: str
    computed: dt.date
    plugins: list[Row] = field(default_factory=list)
    tensorflows: list[Row] = field(default_factory=list)
    pairs: list[Row] = field(default_factory=list)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def name_missing(self, layer: int, names: tuple[str, ...]) -> str:
        """Keep a set of names and return what rows call it: its kind, its size, and a mark made from the names.

        The mark keeps a set's name through every later run, so that a new release renames no old row.
        """
        mark = hashlib.sha256("\n".join(names).encode()).hexdigest()[:6]
        name = f"{LAYERS[layer]}-{len(names)}-{mark}"
        self.missing[name] = names
        return name

    def merge(self, older: Table) -> None:
        """Take over the older rows about TensorFlow releases that this table does not hold. Raises StaleTable."""
        if sorted(self.plugins, key=_plugin_order) != sorted(older.plugins, key=_plugin_order):
            raise StaleTable(f"{self.plugin}.{self.architecture}: the plugins have changed; run without --tensorflow")
        held = {(row["distribution"], row["version"]) for row in self.tensorflows}
        self.tensorflows += [row for row in older.tensorflows if (row["distribution"], row["version"]) not in held]
        kept = [row for row in older.pairs if (row["distribution"], row["tensorflow"]) not in held]
        self.pairs += kept
        for name in {str(row["missing"]) for row in kept if "missing" in row}:
            self.missing[name] = older.missing[name]

    def text(self) -> str:
        """Write the TOML."""
        lines = [
            HEADING,
            f"plugin = {_value(self.plugin)}",
            f"architecture = {_value(self.architecture)}",
            f"computed = {self.computed}",
            f"source = {_value(self.source)}",
            *_array("plugins", sorted(self.plugins, key=_plugin_order, reverse=True)),
            *_array("tensorflows", sorted(self.tensorflows, key=_tensorflow_order, reverse=True)),
            *_array("pairs", sorted(self.pairs, key=_pair_order, reverse=True)),
            "",
            "[missing]",
        ]
        for name, symbols in sorted(self.missing.items(), key=lambda item: _set_order(item[0])):
            lines += [f"{_value(name)} = [", *(f"  {_value(symbol)}," for symbol in symbols), "]"]
        return "\n".join(lines) + "\n"


def table_of(raw: dict[str, Any]) -> Table:
    """Rebuild a table from its parsed TOML. Raises KeyError where a part is missing."""
    parts = ("plugin", "architecture", "source", "computed", "plugins", "tensorflows", "pairs")
    missing = {name: tuple(symbols) for name, symbols in raw["missing"].items()}
    return Table(**{part: raw[part] for part in parts}, missing=missing)


def write(table: Table, path: Path, older: Table | None) -> bool:
    """Write the file unless nothing but the day would change. Returns whether it was written."""
    if older is not None:
        day, table.computed = table.computed, older.computed
        if table.text() == older.text() and path.read_text() == older.text():
            return False
        table.computed = day
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(table.text())
    os.replace(partial, path)  # noqa: PTH105 - one call, atomic
    return True


def _array(name: str, rows: list[Row]) -> list[str]:
    body = (", ".join(f"{key} = {_value(value)}" for key, value in row.items()) for row in rows)
    return ["", f"{name} = [", *(f"  {{ {each} }}," for each in body), "]"]


def _value(value: str | bool | int) -> str:
    """JSON's strings, numbers and booleans of ASCII text are TOML's too."""
    return json.dumps(value)


def _plugin_order(row: Row) -> Version:
    return Version(str(row["version"]))


def _tensorflow_order(row: Row) -> tuple[Version, str]:
    return Version(str(row["version"])), str(row["distribution"])


def _pair_order(row: Row) -> tuple[Version, str, Version]:
    return Version(str(row["tensorflow"])), str(row["distribution"]), Version(str(row["plugin_version"]))


def _set_order(name: str) -> tuple[str, int, str]:
    kind, count, mark = name.rsplit("-", 2)
    return kind, int(count), mark
