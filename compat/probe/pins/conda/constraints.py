"""Conda's version constraints in the standard's terms.

Source: conda's ``conda/models/match_spec.py`` (what ``name=1.2=build`` means) and ``conda/models/version.py``
(``VersionSpec``: ``|`` binds weaker than ``,``; a relation drops a trailing ``.*``; a bare version is exact).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet

_SPEC = re.compile(r"(?P<name>[A-Za-z0-9_][A-Za-z0-9_.-]*)(?P<rest>.*)", re.DOTALL)
_IN_BRACKETS = re.compile(r"(\w+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\]\s]*))")
_RELATION = re.compile(r"(==|!=|>=|<=|~=|=|>|<)?(.+)", re.DOTALL)
_BLANKS = re.compile(r"\s*([<>=!~|,]+)\s*")
_LIMIT = 1_000
"""Characters of a constraint; what is longer is not worth its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One match specification: ``channel::name version build``."""

    name: str
    name_at: int
    """Offset of the name in the specification."""
    written: str
    """Version and build as written, blanks around operators left out."""
    version: str
    build: str
    channel: str

    @property
    def admits(self) -> tuple[str, ...]:
        """PEP 440 sets, any of which admits a version; empty where the constraint is not understood."""
        return conda(self.version)


@functools.lru_cache(maxsize=8192)
def spec(text: str) -> Spec | None:
    """Return the parts of a match specification, None for what is none."""
    if len(text) > _LIMIT:
        return None
    text = text.partition(" #")[0].rstrip()
    channel, colons, _ = text.rpartition("::")
    begins = len(channel) + len(colons)
    begins += len(text[begins:]) - len(text[begins:].lstrip())
    found = _SPEC.fullmatch(text[begins:])
    if found is None:
        return None
    rest, brackets = _bracketed(found["rest"])
    if rest and re.match(r"[\s=<>!~]", rest) is None:
        return None
    version, build = _parts(_BLANKS.sub(r"\1", rest.strip()))
    return Spec(
        name=found["name"],
        name_at=begins,
        written=_BLANKS.sub(r"\1", found["rest"].strip()),
        version=brackets.get("version", version),
        build=brackets.get("build", build),
        channel=brackets.get("channel", channel.strip()),
    )


@functools.lru_cache(maxsize=8192)
def conda(text: str) -> tuple[str, ...]:
    """Return the PEP 440 sets a version constraint stands for: one for each alternative, none if it is not understood.

    ``=1.2`` is any 1.2, ``1.2`` and ``==1.2`` are 1.2 alone.
    """
    if len(text) > _LIMIT or any(sign in text for sign in "()^$"):
        return ()
    sets = tuple(_conjunction(part) for part in text.split("|"))
    return tuple(one for one in sets if one is not None) if None not in sets else ()


def _bracketed(rest: str) -> tuple[str, dict[str, str]]:
    before, bracket, inside = rest.partition("[")
    if not bracket:
        return rest, {}
    return before, {key: one or two or three for key, one, two, three in _IN_BRACKETS.findall(inside)}


def _parts(rest: str) -> tuple[str, str]:
    """Version and build; where both are given, the version is exact whatever sign it has."""
    if not rest:
        return "", ""
    blank = rest.split(None, 1)
    if len(blank) > 1:
        return blank[0].removeprefix("="), blank[1].strip()
    if rest.startswith("=") and not rest.startswith("=="):
        version, sign, build = rest[1:].partition("=")
        return (version if sign and version != "*" else f"={version}", build)
    if rest.startswith("=="):
        version, _, build = rest[2:].partition("=")
        return f"=={version}", build
    return rest, ""


def _conjunction(text: str) -> str | None:
    parts = tuple(_one(part.strip()) for part in text.split(","))
    return None if None in parts else ",".join(part for part in parts if part)


def _one(text: str) -> str | None:
    """One relation; an empty text for one that holds for any version."""
    found = _RELATION.fullmatch(text)
    if found is None or not text:
        return "" if not text else None
    sign, version = found[1] or "", found[2].strip()
    if version.strip("*.") == "":
        return "" if "*" in version else None
    if sign in {"", "=", "==", "!="}:
        return _equal(sign, version)
    return _pep440(f"{sign}{version.removesuffix('.*').removesuffix('*')}")


def _equal(sign: str, version: str) -> str | None:
    starred = version.endswith("*")
    stem = version.rstrip("*").removesuffix(".")
    any_of = starred or sign == "="
    return _pep440(f"{'!=' if sign == '!=' else '=='}{stem}{'.*' if any_of else ''}")


def _pep440(text: str) -> str | None:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return None
    return text
