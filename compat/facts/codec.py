"""Records to JSON values and back, by their annotations: the one codec of every fact.

A fact that is unknown travels as ``{"unknown": why}``, one that does not apply as ``{"not_applicable": true}``.
Decoding checks every value against the field's type and names the address of the first that does not fit
(``environment.distributions[3].version``). Unknown keys are ignored, so newer captures of the same schema can be read.
"""

from __future__ import annotations

import functools
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, Union

from compat.errors import BadFacts
from compat.facts.known import NotApplicable, Unknown

R = TypeVar("R")


def encode(value: object) -> Any:  # noqa: ANN401, PLR0911 - one return a JSON kind; JSON is what it is
    """Return the JSON value of a record, tuple, mapping or scalar; NaN and infinities become strings."""
    if isinstance(value, Unknown):
        return {"unknown": value.why}
    if isinstance(value, NotApplicable):
        return {"not_applicable": True}
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def decode(record: type[R], value: object, at: str = "") -> R:
    """Return a ``record`` built from a JSON value.

    Raises BadFacts with the address of the first value that does not fit.
    """
    if not isinstance(value, Mapping):
        raise BadFacts(f"{at or 'the top level'}: expected an object, found {_kind(value)}")
    wanted = _hints(typing.cast("type", record))
    given: dict[str, Any] = {}
    for field in fields(record):  # type: ignore[arg-type]
        here = f"{at}.{field.name}" if at else field.name
        if field.name in value:
            given[field.name] = _value(wanted[field.name], value[field.name], here)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise BadFacts(f"{here}: missing")
    return record(**given)


@functools.cache
def _hints(record: type) -> dict[str, Any]:
    return typing.get_type_hints(record)


def _value(wanted: Any, value: object, at: str) -> Any:  # noqa: ANN401
    origin = typing.get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _union(typing.get_args(wanted), value, at)
    if origin is tuple:
        return _tuple(typing.get_args(wanted), value, at)
    if is_dataclass(wanted):
        return decode(typing.cast("type", wanted), value, at)
    return _scalar(wanted, value, at)


def _union(members: tuple[Any, ...], value: object, at: str) -> Any:  # noqa: ANN401
    if value is None and type(None) in members:
        return None
    if isinstance(value, Mapping) and Unknown in members and "unknown" in value:
        return Unknown(str(value["unknown"]))
    if isinstance(value, Mapping) and NotApplicable in members and "not_applicable" in value:
        return NotApplicable()
    rest = [member for member in members if member not in (Unknown, NotApplicable, type(None))]
    return _value(rest[0], value, at)


def _tuple(arguments: tuple[Any, ...], value: object, at: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise BadFacts(f"{at}: expected a list, found {_kind(value)}")
    if arguments[-1] is Ellipsis:
        return tuple(_value(arguments[0], item, f"{at}[{index}]") for index, item in enumerate(value))
    if len(arguments) != len(value):
        raise BadFacts(f"{at}: expected {len(arguments)} values, found {len(value)}")
    return tuple(_value(kind, item, f"{at}[{i}]") for i, (kind, item) in enumerate(zip(arguments, value, strict=True)))


def _scalar(wanted: type, value: object, at: str) -> Any:  # noqa: ANN401
    if wanted is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if wanted is float and value in ("nan", "inf", "-inf"):
        return float(str(value))
    if isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool)):
        return value
    raise BadFacts(f"{at}: expected {wanted.__name__}, found {_kind(value)}")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true/false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else type(value).__name__)
