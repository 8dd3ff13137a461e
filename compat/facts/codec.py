"""Records to JSON values and back, by their annotations: the one codec of every fact.

A fact that is unknown travels as ``{"unknown": why}``, one that does not apply as ``{"not_applicable": true}``.
Decoding checks every value against the field's type and names the address of the first that does not fit
(``environment.distributions[3].version``). Unknown keys are ignored, so newer captures of the same schema can be read.

A reader is made once for each type and kept: the matrix is thousands of values, and looking annotations up for each
cost more than reading them. Addresses are put together only where something does not fit.
"""

from __future__ import annotations

import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, Union

from compat.errors import BadFacts
from compat.facts.known import NotApplicable, Unknown

R = TypeVar("R")
Reader = Callable[[Any], Any]


class _MisfitError(Exception):
    """A value that does not fit; the way to it is gathered from the inside out."""

    def __init__(self, text: str, *steps: str) -> None:
        super().__init__(text)
        self.steps = list(steps)

    def address(self, at: str) -> str:
        """Return the way from the top, ``at`` before it."""
        whole = at + "".join(reversed(self.steps))
        return whole.removeprefix(".") or "the top level"


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
    try:
        return typing.cast("R", _reader(typing.cast("Any", record))(value))
    except _MisfitError as misfit:
        raise BadFacts(f"{misfit.address(at)}: {misfit}") from None


@functools.cache
def _reader(wanted: Any) -> Reader:  # noqa: ANN401
    origin = typing.get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _union_reader(typing.get_args(wanted))
    if origin is tuple:
        return _tuple_reader(typing.get_args(wanted))
    if is_dataclass(wanted):
        return _record_reader(typing.cast("type", wanted))
    return _scalar_reader(wanted)


def _record_reader(record: type) -> Reader:
    wanted = typing.get_type_hints(record)
    plan = [
        (field.name, _reader(wanted[field.name]), field.default is MISSING and field.default_factory is MISSING)
        for field in fields(record)
    ]

    def read(value: object) -> object:
        if not isinstance(value, Mapping):
            raise _MisfitError(f"expected an object, found {_kind(value)}")
        given = {}
        for name, read_field, required in plan:
            if name in value:
                try:
                    given[name] = read_field(value[name])
                except _MisfitError as misfit:
                    misfit.steps.append(f".{name}")
                    raise
            elif required:
                raise _MisfitError("missing", f".{name}")
        return record(**given)

    return read


def _union_reader(members: tuple[Any, ...]) -> Reader:
    optional, unknown, inapplicable = (kind in members for kind in (type(None), Unknown, NotApplicable))
    rest = _reader(next(one for one in members if one not in (Unknown, NotApplicable, type(None))))

    def read(value: object) -> object:
        if value is None and optional:
            return None
        if isinstance(value, Mapping):
            if unknown and "unknown" in value:
                return Unknown(str(value["unknown"]))
            if inapplicable and "not_applicable" in value:
                return NotApplicable()
        return rest(value)

    return read


def _tuple_reader(arguments: tuple[Any, ...]) -> Reader:
    if arguments[-1] is Ellipsis:
        return _list_reader(_reader(arguments[0]))
    readers = [_reader(one) for one in arguments]

    def read(value: object) -> tuple[Any, ...]:
        items = _listed(value)
        if len(items) != len(readers):
            raise _MisfitError(f"expected {len(readers)} values, found {len(items)}")
        return tuple(_item(one, item, index) for index, (one, item) in enumerate(zip(readers, items, strict=True)))

    return read


def _list_reader(one: Reader) -> Reader:
    def read(value: object) -> tuple[Any, ...]:
        return tuple([_item(one, item, index) for index, item in enumerate(_listed(value))])

    return read


def _item(one: Reader, item: object, index: int) -> object:
    try:
        return one(item)
    except _MisfitError as misfit:
        misfit.steps.append(f"[{index}]")
        raise


def _listed(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise _MisfitError(f"expected a list, found {_kind(value)}")
    return value


def _scalar_reader(wanted: type) -> Reader:
    if wanted is float:
        return _float

    def read(value: object) -> object:
        if isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool)):
            return value
        raise _MisfitError(f"expected {wanted.__name__}, found {_kind(value)}")

    return read


def _float(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if value in ("nan", "inf", "-inf"):
        return float(str(value))
    raise _MisfitError(f"expected float, found {_kind(value)}")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true/false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else type(value).__name__)
