"""Poetry's constraints in the standard's terms: each becomes PEP 440 sets, any of which admits a version.

Source: Poetry's "Dependency specification" (caret, tilde, wildcard, inequality, exact, ``||``) and the tests of
poetry-core's ``parse_constraint``: a bare version is exact, ``^0.6.0`` stops before 0.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from compat.probe.pins.requirement import both

_BOUND = re.compile(r"(===|==|!=|<>|<=|>=|~=|<|>|=|\^|~)?[ \t]*([^\s,|<>=!~^]+)")
_LONGEST = 1_000
"""Characters of one constraint; what people write has some dozens."""
_ANY = frozenset({"*", "x", "X", "x.x", "*.*"})


def poetry(text: str) -> tuple[str, ...]:
    """Return the PEP 440 sets of a constraint, an empty set for any version; ``()`` where it cannot be understood."""
    if len(text) > _LONGEST:
        return ()
    sets = tuple(_all_of(part) for part in re.split(r"\|\|?", text))
    return () if any(row is None for row in sets) else tuple(row for row in sets if row is not None)


def compact(text: str) -> str:
    """Return a constraint as it is written, without the blanks around operators and commas; nothing for ``*``."""
    text = " || ".join(_compact(part) for part in re.split(r"\|\|?", text[:_LONGEST]))
    return "" if text == "*" else text


def _compact(text: str) -> str:
    text = re.sub(r"(===|[<>=!~]=|<>|[<>=^~])[ \t]+", r"\1", text.strip())
    return re.sub(r"[ \t]*,[ \t]*|[ \t]+", ",", text)


def admitted(text: str) -> tuple[str, ...] | None:
    """Return a pin's ``admits`` for a constraint: None where its spelling is PEP 440's already."""
    sets = poetry(text)
    if sets == ("",) or (len(sets) == 1 and is_pep440(text)):
        return None
    return sets


def requires_python(text: str) -> str | None:
    """Return a constraint on Python as one PEP 440 set: of alternatives, what lies between the lowest and the highest.

    A gap between two alternatives is lost; nothing that is admitted is.
    """
    sets = poetry(text)
    if len(sets) < 2:  # noqa: PLR2004
        return sets[0] or None if sets else None
    bounds = [tuple(_edges(row)) for row in sets]
    lower, upper = _outer([row[0] for row in bounds], lowest=True), _outer([row[1] for row in bounds], lowest=False)
    return ",".join(part for part in (lower, upper) if part) or None


def is_pep440(text: str) -> bool:
    """Return whether a text is a set of versions as the standard spells it."""
    try:
        SpecifierSet(text)
    except (InvalidSpecifier, ValueError):
        return False
    return True


def python_marker(text: str) -> str:
    """Return the marker that a constraint on Python stands for; empty for any and for what is not understood."""
    sets = poetry(text)
    if not sets or "" in sets:
        return ""
    parts = tuple(" and ".join(_atom(bound) for bound in row.split(",")) for row in sets)
    return parts[0] if len(parts) == 1 else " or ".join(f"({part})" if " and " in part else part for part in parts)


def platform_marker(text: str) -> str:
    """Return the marker for Poetry's ``platform`` key: values of ``sys.platform``, ``!`` and ``||`` as in versions."""
    alternatives = []
    for part in re.split(r"\|\|?", text[:_LONGEST]):
        found = re.findall(r"(!=|==|=)?[ \t]*([\w-]+)", part)
        alternatives.append(" and ".join(f"sys_platform {_sign(sign)} '{value}'" for sign, value in found))
    alternatives = [row for row in alternatives if row]
    return " or ".join(alternatives)


def all_markers(parts: Iterable[str]) -> str:
    """Return the marker that holds where all hold."""
    marker = ""
    for part in parts:
        marker = both(marker, part)
    return marker


def _sign(sign: str) -> str:
    return "!=" if sign == "!=" else "=="


def _all_of(text: str) -> str | None:
    """One alternative: bounds that all hold, joined by commas or blanks."""
    bounds = []
    rest = text.strip()
    while rest:
        found = _BOUND.match(rest)
        bound = _bound(found[1] or "", found[2]) if found else None
        if found is None or bound is None:
            return None
        bounds.append(bound)
        rest = rest[found.end() :].strip().removeprefix(",").lstrip()
    return ",".join(row for row in bounds if row)


def _bound(sign: str, version: str) -> str | None:
    if version in _ANY:
        return "" if sign in {"", "=", "==", "^", "~", ">="} else None
    version = re.sub(r"(?:\.[*xX])+$", ".*", version.removeprefix("v"))
    if version.endswith(".*"):
        return _wildcard(sign, version)
    parsed = _version(version)
    if parsed is None:
        return None
    if sign == "^":
        return f">={version},<{_caret(parsed)}"
    if sign == "~" or (sign == "~=" and len(parsed.release) == 1):  # the latter is not PEP 440's
        return f">={version},<{_tilde(parsed)}"
    bound = {"": "==", "=": "==", "<>": "!="}.get(sign, sign) + version
    return bound if is_pep440(bound) else None


def _wildcard(sign: str, version: str) -> str | None:
    stem = version.removesuffix(".*")
    if _version(stem) is None:
        return None
    if sign in {"", "=", "=="}:
        return f"=={version}"
    if sign in {"!=", "<>"}:
        return f"!={version}"
    return _bound(sign, stem)


def _caret(version: Version) -> str:
    """The next version that breaks: the first part above zero counts one up."""
    release = version.release
    place = next((number for number, part in enumerate(release) if part), len(release) - 1)
    return _next(version, place)


def _tilde(version: Version) -> str:
    return _next(version, 0 if len(version.release) == 1 else 1)


def _next(version: Version, place: int) -> str:
    release = version.release
    epoch = f"{version.epoch}!" if version.epoch else ""
    parts = (*release[:place], release[place] + 1, *(0 for _ in release[place + 1 :]))
    return epoch + ".".join(str(part) for part in parts)


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except (InvalidVersion, ValueError):  # ValueError: more digits than Python reads
        return None


def _edges(bounds: str) -> Iterator[str]:
    """The lower and the upper bound of one alternative, empty where it has none."""
    lower = upper = ""
    for bound in bounds.split(","):
        found = _BOUND.match(bound)
        sign, version = (found[1] or "", found[2].removesuffix(".*")) if found else ("", "")
        parsed = _version(version)
        if parsed is None:
            continue
        if sign in {">", ">=", "~=", "=="}:
            lower = f"{'>' if sign == '>' else '>='}{version}"
        if sign in {"<", "<="}:
            upper = f"{sign}{version}"
        elif sign == "==":
            upper = f"<{_next(parsed, len(parsed.release) - 1)}" if bound.endswith(".*") else f"<={version}"
        elif sign == "~=":
            upper = f"<{_next(parsed, len(parsed.release) - 2)}"
    yield lower
    yield upper


def _outer(bounds: list[str], *, lowest: bool) -> str:
    """The bound that admits most; none at all where an alternative has none."""
    if not all(bounds):
        return ""
    key = [(Version(row.lstrip("<>=")), "=" in row) for row in bounds]
    order = sorted(range(len(bounds)), key=lambda at: (key[at][0], key[at][1] != lowest))
    return bounds[order[0] if lowest else order[-1]]


def _atom(bound: str) -> str:
    """One PEP 440 bound on Python as a marker."""
    found = _BOUND.match(bound)
    sign, version = (found[1] or "==", found[2]) if found else ("==", bound)
    minor = version.removesuffix(".*").count(".") < 2  # noqa: PLR2004
    if version.endswith(".*") and minor:
        version = version if "." not in version.removesuffix(".*") else version.removesuffix(".*")
    variable = "python_version" if minor else "python_full_version"
    return f'{variable} {sign} "{version}"'
