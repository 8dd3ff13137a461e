"""Markers of lock files as alternatives of conditions, so that walks over a lock can join and limit them.

Everything is kept small: what grows beyond a handful of alternatives counts as "always", which is never too narrow.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

Reach = frozenset[frozenset[str]]
"""Alternatives, each a set of conditions that all hold."""

ALWAYS: Reach = frozenset({frozenset()})
NEVER: Reach = frozenset()

LIMIT_ALTERNATIVES = 8
LIMIT_TEXT = 200
"""Characters of a marker that is told; a longer one says nothing a reader of pins could use."""
_LIMIT_INPUT = 5_000

_ABOUT_GROUPS = re.compile(
    r"\b(?:extra|extras|dependency_groups)\b(?=[^'\"]*(?:$|[=!'\"]))|\bin +(?:extras|dependency_groups)\b"
)
_EXTRA = re.compile(r"\bextra *== *['\"]([^'\"]+)['\"]|['\"]([^'\"]+)['\"] +in +extras\b")
_GROUP = re.compile(r"['\"]([^'\"]+)['\"] +in +dependency_groups\b")
_COMPARED = re.compile(r"(\w+) *(==|!=|<=|>=|<|>) *(['\"][^'\"]*['\"])")
_PYTHON = re.compile(r"python_(full_)?version *(>=|<|==) *['\"](\d{1,9}(?:\.\d{1,9}){0,3})(\.\*)?['\"]")
Release = tuple[int, ...]
_FIRST: Release = ()
_LAST: Release = (10**9,)
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@functools.lru_cache(maxsize=4096)
def parsed(marker: str) -> Reach:
    """Return the alternatives of a marker; conditions about extras and groups are left out (they count as true)."""
    if not marker.strip() or len(marker) > _LIMIT_INPUT:
        return ALWAYS
    found: set[frozenset[str]] = set()
    for part in _split(_bare(marker), "or"):
        atoms = tuple(_split(_bare(part), "and"))
        found.add(frozenset(atom for atom in atoms if not _ABOUT_GROUPS.search(atom)))
    return _tidy(found)


def groups(marker: str) -> frozenset[str]:
    """Return the extras and dependency groups a marker names, as groups of pins."""
    extras = {f"extra {one or two}" for one, two in _EXTRA.findall(marker[:_LIMIT_INPUT])}
    return frozenset(extras | {f"group {one}" for one in _GROUP.findall(marker[:_LIMIT_INPUT])})


@functools.lru_cache(maxsize=16384)
def either(left: Reach, right: Reach) -> Reach:
    """Return what holds where one of two does."""
    return left if left == right else _tidy(left | right)


@functools.lru_cache(maxsize=16384)
def both(left: Reach, right: Reach) -> Reach:
    """Return what holds where both do."""
    return _tidy({one | two for one in left for two in right})


def text(reach: Reach) -> str:
    """Return a marker's text, empty for "always" and for one too long to be told."""
    parts = sorted(" and ".join(sorted(row)) for row in reach)
    if len(parts) == 1:
        found = parts[0]
    else:
        found = " or ".join(f"({part})" if " and " in part or " or " in part else part for part in parts)
    return found if len(found) <= LIMIT_TEXT else ""


def any_of(markers: Iterable[object]) -> Reach:
    """Return what holds where one of a list of markers does; "always" for an empty list."""
    found = NEVER
    for marker in markers:
        if isinstance(marker, str):
            found = either(found, parsed(marker))
    return found or ALWAYS


def _tidy(rows: Iterable[frozenset[str]]) -> Reach:
    """Fewer alternatives that say the same; "always" where too many are left."""
    left = [found for row in set(rows) if (found := _narrow(row)) is not None]
    if len(left) > LIMIT_ALTERNATIVES**2:
        return ALWAYS
    changed = True
    while changed and len(left) > 1:
        left = sorted(set(left), key=lambda row: (len(row), sorted(row)))
        left = [row for at, row in enumerate(left) if not any(_covers(other, row) for other in left[:at])]
        changed = _shortened(left) or _joined(left)
    return frozenset(left) if len(left) <= LIMIT_ALTERNATIVES else ALWAYS


def _covers(row: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one alternative holds wherever another does."""
    (others, low, high), (more, low_too, high_too) = _apart(row), _apart(other)
    return others <= more and low <= low_too and high_too <= high


def _shortened(left: list[frozenset[str]]) -> bool:
    """Drop a condition where another alternative holds without it: ``a or (not a and b)`` is ``a or b``."""
    for at, row in enumerate(left):
        for condition in row:
            rest, opposite = row - {condition}, _opposite(condition)
            if any(opposite in other and other - {opposite} <= rest for other in left):
                left[at] = rest
                return True
    return False


def _joined(left: list[frozenset[str]]) -> bool:
    """Make one of two alternatives that differ in their spans of Python alone, where the spans touch."""
    taken = [_apart(row) for row in left]
    for at, (others, low, high) in enumerate(taken):
        for also, (others_too, low_too, high_too) in enumerate(taken[:at]):
            if others == others_too and max(low, low_too) <= min(high, high_too):
                left[also] = others | _span(min(low, low_too), max(high, high_too))
                del left[at]
                return True
    return False


@functools.lru_cache(maxsize=4096)
def _narrow(row: frozenset[str]) -> frozenset[str] | None:
    """An alternative with its conditions on Python as one span, None where no Python is left."""
    others, low, high = _apart(row)
    return others | _span(low, high) if low < high else None


@functools.lru_cache(maxsize=4096)
def _apart(row: frozenset[str]) -> tuple[frozenset[str], Release, Release]:
    """The conditions about other things than Python, and the span of Pythons, its end exclusive."""
    others, low, high = set(), _FIRST, _LAST
    for condition in row:
        sign, version = _bound(condition)
        if not sign:
            others.add(condition)
            continue
        low = max(low, version) if sign != "<" else low
        high = min(high, version) if sign == "<" else high
        high = min(high, (*version[:-1], version[-1] + 1)) if sign == "==" else high
    return frozenset(others), low, high


@functools.lru_cache(maxsize=4096)
def _bound(condition: str) -> tuple[str, Release]:
    """A condition that bounds Python, ``==`` for one minor; nothing for any other."""
    found = _PYTHON.fullmatch(condition)
    if found is None:
        return "", ()
    release = tuple(int(part) for part in found[3].split("."))
    minor = found[1] is None  # python_version knows two parts
    whole = found[4] or (minor and len(release) == 2)  # noqa: PLR2004
    if (minor and len(release) > 2) or (found[2] == "==") != bool(whole and found[2] == "=="):  # noqa: PLR2004
        return "", ()
    while len(release) > 1 and not release[-1] and not found[4]:
        release = release[:-1]
    return found[2], release


def _span(low: Release, high: Release) -> frozenset[str]:
    bounds = ((">=", low, _FIRST), ("<", high, _LAST))
    written = ((sign, ".".join(map(str, edge))) for sign, edge, none in bounds if edge != none)
    return frozenset(f"python_full_version {sign} '{edge}'" for sign, edge in written)


@functools.lru_cache(maxsize=4096)
def _opposite(condition: str) -> str:
    found = _COMPARED.fullmatch(condition)
    return f"{found[1]} {_OPPOSITE[found[2]]} {found[3]}" if found else ""


def _bare(marker: str) -> str:
    """A marker without the brackets around all of it."""
    marker = marker.strip()
    while marker.startswith("(") and marker.endswith(")") and _closes(marker) == len(marker) - 1:
        marker = marker[1:-1].strip()
    return marker


def _closes(marker: str) -> int:
    depth = 0
    for found in re.finditer(r"[()]", marker):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            return found.start()
    return -1


def _split(marker: str, word: str) -> Iterator[str]:
    """The parts between a word outside of brackets and strings."""
    depth, start = 0, 0
    for found in re.finditer(rf"'[^']*'|\"[^\"]*\"|[()]|\b{word}\b", marker):
        if found[0] in {"(", ")"}:
            depth += 1 if found[0] == "(" else -1
        elif found[0] == word and depth == 0:
            yield marker[start : found.start()].strip()
            start = found.end()
    yield marker[start:].strip()
