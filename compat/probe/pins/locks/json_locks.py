"""Pipenv's Pipfile.lock.

Source: https://pipenv.pypa.io/en/latest/locking.html and the files Pipenv writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin, PinFile
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.source import Source
from compat.probe.pins.toml.pipfile import category, marker, required_python

_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*"?|[{}\[\]:]')
_KINDS = {"git": "vcs", "hg": "vcs", "svn": "vcs", "path": "path", "file": "url"}
_DEEP = 2
"""How deep a package's name stands: the file, its section, its name."""


def read(source: Source) -> PinFile:
    """Return what a Pipfile.lock pins."""
    try:
        data = json.loads(source.text)
    except json.JSONDecodeError as error:
        return _problem(source, f"not JSON: {error.msg}", error.lineno, error.colno)
    except (ValueError, RecursionError):  # a number of a million digits; brackets without end
        return _problem(source, "nested too deeply", 1, 1)
    if not isinstance(data, dict):
        return _problem(source, "not a Pipfile.lock", 1, 1)
    meta = data.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    requires = meta.get("requires")
    return PinFile(
        path=str(source.path),
        kind="Pipfile.lock",
        pins=tuple(_pins(data, _indexes(meta), source)),
        requires_python=required_python(requires) if isinstance(requires, dict) else None,
        is_lock=True,
        relock="pipenv lock",
    )


def _problem(source: Source, problem: str, line: int, column: int) -> PinFile:
    return PinFile(
        path=str(source.path), kind="Pipfile.lock", problem=problem, problem_line=line, problem_column=column
    )


def _indexes(meta: dict[str, Any]) -> dict[str, str]:
    rows = meta.get("sources")
    rows = rows if isinstance(rows, list) else []
    return {str(row.get("name")): str(row.get("url")) for row in rows if isinstance(row, dict)}


def _pins(data: dict[str, Any], indexes: dict[str, str], source: Source) -> Iterator[Pin]:
    places = dict(_places(source.text))
    for section, table in data.items():
        if section == "_meta" or not isinstance(table, dict):
            continue
        for name, row in table.items():
            if isinstance(row, dict) and isinstance(row.get("version", ""), str):
                line, column = source.place(places.get((section, name), 0))
                version = row.get("version", "")
                extras = row.get("extras")
                yield Pin(
                    name=canonicalize_name(name),
                    specifier="" if version == "*" else version,
                    admits=() if not version else None,
                    marker=marker(row),
                    line=line,
                    column=column,
                    extras=tuple(sorted(one for one in extras if isinstance(one, str)))
                    if isinstance(extras, list)
                    else (),
                    group=category(section, "default", "develop"),
                    origin=_origin(row, indexes),
                    locked=True,
                )


def _origin(row: dict[str, Any], indexes: dict[str, str]) -> str:
    kind = next((origin for key, origin in _KINDS.items() if key in row), None)
    if kind:
        return kind
    index = row.get("index")
    private = isinstance(index, str) and index != "pypi" and not is_pypi(indexes.get(index, ""))
    return "private" if private else "index"


def _places(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    """Where the names of packages stand, by section and name."""
    depth, section, last, at = 0, "", "", 0
    for found in _TOKEN.finditer(text):
        sign = found[0]
        if sign in {"{", "["}:
            depth += 1
        elif sign in {"}", "]"}:
            depth -= 1
        elif sign == ":":
            if depth == 1:
                section = last
            elif depth == _DEEP:
                yield (section, last), at
        elif depth <= _DEEP:
            last, at = sign[1:-1], found.start() + 1
