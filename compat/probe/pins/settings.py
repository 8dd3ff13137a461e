"""``[tool.tfcompat]``: what a project asks of the judgement, from the nearest pyproject.toml that has such a table."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat.errors import UsageError
from compat.facts.pins import PinSettings
from compat.matrix.model import PLATFORMS

KEYS = ("targets", "ignore", "per-file-ignores", "exclude", "severity", "strict", "markdown")
SEVERITIES = ("error", "warning", "info")

_LIMIT_BYTES = 5_000_000
_ID = re.compile(r"PIN\d{0,3}", re.IGNORECASE)


def of(path: Path) -> PinSettings:
    """Return the settings that hold for a file: those of the nearest table at or above it, else the defaults.

    Raises UsageError, naming file and key, for a table that cannot be meant.
    """
    try:
        folder = path.parent.absolute()
    except OSError:  # the current folder is gone
        return PinSettings()
    return _of_folder(folder)


@functools.cache
def _of_folder(folder: Path) -> PinSettings:
    table = _table(folder / "pyproject.toml")
    if table is not None:
        return _settings(table, folder)
    return PinSettings() if folder.parent == folder else _of_folder(folder.parent)


def is_id(word: str) -> bool:
    """Tell whether a word is an id of pins or the beginning of one."""
    return _ID.fullmatch(word) is not None


def forget() -> None:
    """Read the files anew the next time (a program that lives longer than one run)."""
    _of_folder.cache_clear()


def _table(path: Path) -> Any:  # noqa: ANN401 - TOML is what it is
    """Return the table, None where there is none; a file that is no TOML is a finding of its own, not a setting."""
    try:
        if not path.is_file() or path.stat().st_size > _LIMIT_BYTES:
            return None
        raw = path.read_bytes()
        if b"tfcompat" not in raw:  # parsing costs more than all the rest
            return None
        tool = _parsed(raw.decode("utf-8-sig")).get("tool")
    except (OSError, ValueError, RecursionError):
        return None
    return tool.get("tfcompat") if isinstance(tool, Mapping) else None


def _parsed(text: str) -> Mapping[str, Any]:
    import tomli  # the standard library's own, compiled

    return tomli.loads(text)


def _settings(table: Any, folder: Path) -> PinSettings:  # noqa: ANN401
    reader = _Table(folder / "pyproject.toml", table)
    return PinSettings(
        targets=reader.words("targets", PLATFORMS),
        ignore=reader.ids("ignore", reader.table.get("ignore", [])),
        per_file_ignores=reader.per_file(),
        exclude=reader.words("exclude"),
        root=str(folder),
        severity=reader.severity(),
        strict=reader.flag("strict"),
        markdown=reader.flag("markdown"),
    )


class _Table:
    """The table with the file's name at hand for what is wrong in it."""

    def __init__(self, path: Path, table: Any) -> None:  # noqa: ANN401
        self._path = path
        if not isinstance(table, Mapping):
            raise UsageError(f"{path}: tool.tfcompat must be a table")
        self.table: Mapping[str, Any] = table
        unknown = [key for key in table if key not in KEYS]
        if unknown:
            raise self._bad(unknown[0], "is no key of it", hint=f"its keys are {', '.join(KEYS)}")

    def words(self, key: str, known: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list of texts, each one of ``known`` where that is given."""
        return self._words(key, self.table.get(key, []), known)

    def ids(self, key: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Return ids or their beginnings, in capitals."""
        found = self._words(key, value, ())
        for word in found:
            if not is_id(word):
                raise self._bad(key, f"has {word!r}, which is no id and no beginning of one (PIN501, PIN5)")
        return tuple(word.upper() for word in found)

    def per_file(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return patterns with the ids that are ignored in the files they fit."""
        value = self.table.get("per-file-ignores", {})
        if not isinstance(value, Mapping):
            raise self._bad("per-file-ignores", 'must be a table of lists: {"docs/*" = ["PIN501"]}')
        return tuple((pattern, self.ids(f"per-file-ignores.{pattern}", ids)) for pattern, ids in value.items())

    def severity(self) -> str:
        """Return the lowest severity that is told."""
        value = self.table.get("severity", "info")
        if value not in SEVERITIES:
            raise self._bad("severity", f"must be one of {', '.join(SEVERITIES)}")
        return str(value)

    def flag(self, key: str) -> bool:
        """Return a yes or no."""
        value = self.table.get(key, False)
        if not isinstance(value, bool):
            raise self._bad(key, "must be true or false")
        return value

    def _words(self, key: str, value: Any, known: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ANN401
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self._bad(key, "must be a list of texts")
        for word in value:
            if known and word not in known:
                raise self._bad(key, f"has {word!r}, which is none of {', '.join(known)}")
        return tuple(value)

    def _bad(self, key: str, why: str, *, hint: str = "") -> UsageError:
        return UsageError(f"{self._path}: tool.tfcompat.{key} {why}", hint=hint)
