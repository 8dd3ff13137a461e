"""The shape of rows as they stand in the files, where it differs from the records the loader makes of them."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

from compat.errors import BadFacts
from compat.facts.codec import decode
from compat.matrix.lint.problem import Problem

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelRow:
    """A wheel in ``releases/``."""

    tag: str
    size: int = 0
    sha256: str = ""
    requires: int | None = None
    """Number of its list in the file's ``requires``."""
    uploaded: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SdistRow:
    """A source distribution in ``releases/``."""

    size: int = 0
    sha256: str = ""
    uploaded: str | None = None
    file: str | None = None
    requires: int | None = None
    """Number of its list in the file's ``requires``; kept where a release has no wheel that could say them."""
    dynamic: bool = False
    """Whether building it may change them (``Dynamic: Requires-Dist``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """A release in ``releases/``."""

    version: str
    uploaded: str
    wheels: tuple[WheelRow, ...] = ()
    requires_python: str | None = None
    yanked: str | None = None
    sdist: SdistRow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """A pair in ``links/``; the plugin is said once for the file."""

    distribution: str
    tensorflow: str
    plugin_version: str
    judged: bool = True
    loads: bool | None = None
    layer: int = 0
    missing: str | None = None
    """Name of a set of the file's ``missing``."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryRow:
    """A plugin's or TensorFlow's binary in ``links/``."""

    version: str
    distribution: str = ""
    file: str = ""
    sha256: str = ""
    judged: bool = True
    reason: str = ""
    minimum_macos: str | None = None
    sdk: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExceptionRow:
    """A problem of ``exceptions.toml`` that stays, and why."""

    address: str
    problem: str
    """Name of the check."""
    reason: str
    day: str


def decoded(record: type[R], raw: object, at: str, found: list[Problem]) -> R | None:
    """Return a row as a record; what does not fit, and every key nobody reads, becomes a problem."""
    if isinstance(raw, Mapping):
        found += (unknown_key(f"{at}.{key}") for key in unknown_keys(record, raw))
    try:
        return decode(record, raw)
    except BadFacts as error:
        where, _, what = error.message.partition(": ")
        address = at if where == "the top level" else f"{at}.{where}"
        found.append(Problem(address=address, check="missing-key" if what == "missing" else "wrong-type", text=what))
        return None


def unknown_key(address: str) -> Problem:
    """Return the problem of a key that is misspelt, or of a newer form."""
    return Problem(address=address, check="unknown-key", text="nobody reads this key")


def unknown_keys(record: Any, raw: Mapping[str, Any]) -> Iterator[str]:  # noqa: ANN401 - any record's class
    """Yield the paths of keys that no field of the record, or of the records in it, is called by."""
    known = {field.name for field in fields(record)}
    yield from (key for key in raw if key not in known)
    for name, inner in _inner(record).items():
        value = raw.get(name)
        if isinstance(value, Mapping):
            yield from (f"{name}.{key}" for key in unknown_keys(inner, value))
        for index, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, Mapping):
                yield from (f"{name}[{index}].{key}" for key in unknown_keys(inner, item))


@functools.cache
def _inner(record: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the fields that hold records, with the record's class."""
    found = {}
    for name, hint in typing.get_type_hints(record).items():
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        inner = parts[0] if origin in (tuple, typing.Union, types.UnionType) else hint
        if is_dataclass(inner):
            found[name] = inner
    return found
