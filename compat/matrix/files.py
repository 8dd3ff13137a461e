"""The door to matrix files: TOML and compiled JSON in, plain values out; every failure names its address.

A matrix may come from anybody, so a file is looked at before it is parsed: the parser takes quadratic time for keys of
many parts, and recursion for brackets in brackets.
"""

from __future__ import annotations

import json
import stat
from datetime import date, time
from pathlib import Path
from typing import Any

from compat.errors import BadMatrix

SCHEMA = 1
"""The number of the newest form of the tree that is understood; ``matrices/matrix.toml`` says which one a tree has."""

HEAD = "matrix.toml"
"""What a tree says of itself; one without it has schema 1."""

MAX_FILE_BYTES = 4_000_000
"""Bytes of one TOML file: more than twenty times the largest there is."""

_MAX_DEPTH = 32
"""Brackets in brackets; rows are four deep."""

_MAX_DOTS = 64
"""Dots of one line outside strings and comments; keys have one or two."""


_INTEGERS = 1 << 63
_LONGEST_TEXT = 4_000
"""Characters; the longest there is has seven hundred, and Python reads no number of more than 4300 digits."""


def read_toml(path: Path) -> dict[str, Any]:
    """Parse one TOML file, dates as ISO text. Raises BadMatrix with the file's name."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise BadMatrix(f"{path.parent.name}/{path.name}: not a file")
        if found.st_size > MAX_FILE_BYTES:
            raise BadMatrix(f"{path.parent.name}/{path.name}: larger than {MAX_FILE_BYTES // 1_000_000} MB")
        data = path.read_bytes()
    except OSError as error:
        raise BadMatrix(f"{path.name}: {error.strerror or error}") from error
    return parse_toml(data, f"{path.parent.name}/{path.name}")


def parse_toml(data: bytes, at: str) -> dict[str, Any]:
    """Return the values of TOML text, dates as ISO text. Raises BadMatrix with the address ``at``."""
    import tomli  # the standard library's own, compiled

    try:
        text = data.decode("utf-8")
        _shallow(text, at)
        return {key: _plain(value) for key, value in tomli.loads(text).items()}
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, a number of a million digits
        raise BadMatrix(f"{at}: {error}") from error


def read_json(path: Path) -> dict[str, Any]:
    """Parse one compiled file. Raises BadMatrix."""
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise BadMatrix(f"{path.name}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BadMatrix(f"compiled/{path.name}: {error}") from error
    if not isinstance(value, dict):
        raise BadMatrix(f"compiled/{path.name}: not a table")
    return value


def schema_of(root: Path) -> int:
    """Return the schema number of a tree's TOML files. Raises BadMatrix for one made for a newer tfcompat."""
    head = root / HEAD
    return known_schema(read_toml(head).get("schema", 1), HEAD) if head.is_file() else 1


def known_schema(value: object, at: str) -> int:
    """Return the schema number of a tree. Raises BadMatrix for one that is none, or newer than this program."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadMatrix(f"{at}: the schema is no number from 1 on")
    if value > SCHEMA:
        raise BadMatrix(
            f"{at}: the matrix has schema {value}, made for a newer tfcompat; this one reads up to {SCHEMA}",
            hint="upgrade tfcompat, or use an older matrix",
        )
    return value


def _shallow(text: str, at: str) -> None:
    """Refuse what would keep the parser busy. Raises BadMatrix."""
    import re

    bare = re.sub(r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*""", "", text)
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", bare):
        depth += 1 if bracket in "[{" else -1
        if depth > _MAX_DEPTH:
            raise BadMatrix(f"{at}: nested deeper than any matrix")
    if any(line.count(".") > _MAX_DOTS for line in bare.splitlines()):
        raise BadMatrix(f"{at}: a key of more parts than any matrix has")


def _plain(value: object) -> Any:  # noqa: ANN401 - TOML is what it is
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, int) and not -_INTEGERS <= value < _INTEGERS:
        raise ValueError("a number of more than 64 bits")
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        raise ValueError(f"a text of more than {_LONGEST_TEXT} characters: {value[:40]!r}…")
    return value.isoformat() if isinstance(value, (date, time)) else value
