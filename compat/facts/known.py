"""A fact is known, unknown because of something, or not applicable: silence never reads as support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, Union

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A fact nobody could establish, and why."""

    why: str = "not looked at"


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A fact that has no meaning here (Rosetta on Linux)."""


Known = Union[T, Unknown, NotApplicable]  # noqa: UP007 - subscripted at run time on Python 3.10
"""``Known[str]`` is a ``str``, or the reason there is none."""


def known(value: Known[T]) -> T | None:
    """Return the value, or None where there is none (for code that treats both absences alike)."""
    return None if isinstance(value, (Unknown, NotApplicable)) else value


def is_known(value: object) -> bool:
    """Tell whether a fact carries a value."""
    return not isinstance(value, (Unknown, NotApplicable))


UNKNOWN = Unknown()
NOT_APPLICABLE = NotApplicable()
