"""Records from the compiled form: its values were checked when it was compiled, and are not looked at again.

That takes a third of the time of ``facts.codec.decode``, which is asked only where something does not fit: it says
where. What is a record or a tuple is read off the annotations as text: resolving them costs more than reading the rows.
"""

from __future__ import annotations

import functools
import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

from compat.matrix import model

Make = Callable[[dict[str, Any]], Any]


@functools.cache
def maker(record: type[Any]) -> Make:
    """Return what makes a record of its JSON object; it raises TypeError for one that does not fit."""
    parts = [(field.name, part) for field in fields(record) if (part := _part(str(field.type)))]

    def make(row: dict[str, Any]) -> Any:  # noqa: ANN401 - a record of the type asked for
        if not parts:
            return record(**row)
        given = dict(row)
        for name, part in parts:
            if name in given:
                given[name] = part(given[name])
        return record(**given)

    return make


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the collector from looking at thousands of new records, none of which is garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _part(annotation: str) -> Callable[[Any], Any] | None:
    """Return how a tuple or a record within a record is made; None for what JSON already has."""
    names = re.findall(r"\w+", annotation)
    inner = next((kind for name in names if is_dataclass(kind := getattr(model, name, None))), None)
    if annotation.startswith("tuple["):
        return functools.partial(_many, maker(inner) if isinstance(inner, type) else None)
    return functools.partial(_one, maker(inner)) if isinstance(inner, type) else None


def _many(make: Make | None, value: object) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise TypeError(value)
    return tuple([make(item) for item in value]) if make else tuple(value)


def _one(make: Make, value: Any) -> Any:  # noqa: ANN401
    return None if value is None else make(value)
