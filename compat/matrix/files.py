"""The door to matrix files: TOML and compiled JSON in, plain values out; every failure names its address."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

from compat.errors import BadMatrix


def read_toml(path: Path) -> dict[str, Any]:
    """Parse one TOML file, dates as ISO text. Raises BadMatrix with the file's name."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        with path.open("rb") as file:
            return {key: _plain(value) for key, value in tomllib.load(file).items()}
    except OSError as error:
        raise BadMatrix(f"{path.name}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadMatrix(f"{path.parent.name}/{path.name}: {error}") from error


def read_json(path: Path) -> dict[str, Any]:
    """Parse one compiled file. Raises BadMatrix."""
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise BadMatrix(f"{path.name}: {error.strerror or error}") from error
    except ValueError as error:
        raise BadMatrix(f"compiled/{path.name}: {error}") from error
    if not isinstance(value, dict):
        raise BadMatrix(f"compiled/{path.name}: not a table")
    return value


def _plain(value: object) -> Any:  # noqa: ANN401 - TOML is what it is
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value
