"""What installed distributions declare to need, against what is installed: Requires-Dist for the target interpreter.

A requirement that is met whatever its marker says needs no marker, and a marker without parentheses is read here;
only the rest goes to ``packaging.markers`` and ``packaging.requirements``, whose import alone costs tens of
milliseconds. Requirements of extras are not considered: nothing records which extras were asked for.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.matrix.load import Matrix
from compat.matrix.query import release, wheel_for
from compat.matrix.versions import contains, parse, specifiers
from compat.verdict.rule import MissingFactError, environment_of
from compat.verdict.rules.installed import target_of
from compat.verdict.rules.markers import decide, unknown_variables, variables_of

_NAME = r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?"
_EXTRAS = rf"\[\s*(?:{_NAME}\s*(?:,\s*{_NAME}\s*)*)?\]"
_PLAIN = re.compile(
    rf"\s*(?P<name>{_NAME})\s*(?:{_EXTRAS})?\s*(?:\((?P<inner>[^();@]*)\)|(?P<bare>[^();@]*))\s*"
    r"(?:;\s*(?P<marker>.*\S)\s*)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One Requires-Dist line, taken apart."""

    name: str
    """Normalized."""
    specifier: str
    marker: str = ""

    @property
    def text(self) -> str:
        """Return it without its marker, as an installer takes it."""
        return f"{self.name}{self.specifier}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A requirement that applies here and is not met."""

    requirer: Distribution
    requirement: Requirement
    installed: str | None
    """The version that is there, None where the distribution is absent."""

    @property
    def said(self) -> str:
        """Return it as a clause: ``a 1 requires b<2, and b 3 is installed``."""
        there = f"{self.requirement.name} {self.installed} is installed" if self.installed else "it is not installed"
        return f"{self.requirer.name} {self.requirer.version} requires {self.requirement.text}, and {there}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A requirement that is not met, where nobody can say whether it applies."""

    requirer: Distribution
    requirement: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """All that does not fit."""

    conflicts: tuple[Conflict, ...] = ()
    undecided: tuple[Undecided, ...] = ()


def declared(facts: Facts) -> Declared:
    """Return the unmet requirements of every installed distribution. Raises MissingFactError without an environment."""
    return _declared(environment_of(facts), tuple(variables_of(facts).items()))


@functools.lru_cache(maxsize=2)
def _declared(environment: Environment, pairs: tuple[tuple[str, str], ...]) -> Declared:
    """Kept, because six rules ask the same of the same environment."""
    installed: dict[str, Distribution] = {}
    for item in environment.distributions:
        installed.setdefault(item.name, item)
    found = list(_unmet(installed, dict(pairs)))
    return Declared(
        conflicts=tuple(item for item in found if isinstance(item, Conflict)),
        undecided=tuple(item for item in found if isinstance(item, Undecided)),
    )


def _unmet(installed: Mapping[str, Distribution], variables: Mapping[str, str]) -> Iterator[Conflict | Undecided]:
    for requirer in installed.values():
        for line in requirer.requires:
            requirement = read(line)
            if requirement is None:
                yield Undecided(requirer=requirer, requirement=line, why="the requirement cannot be read")
                continue
            answer = _answer(requirer, requirement, installed.get(requirement.name), variables)
            if answer is not None:
                yield answer


def _answer(
    requirer: Distribution, requirement: Requirement, there: Distribution | None, variables: Mapping[str, str]
) -> Conflict | Undecided | None:
    if there is not None and admits(requirement.specifier, there.version):
        return None
    applies = decide(requirement.marker, variables) if requirement.marker else True
    if applies is False:
        return None
    if applies is None:
        missing = ", ".join(unknown_variables(requirement.marker, variables)) or "the marker's meaning"
        return Undecided(requirer=requirer, requirement=requirement.text, why=f"{missing} is unknown")
    if there is not None and parse(there.version) is None:
        why = f"the version of {there.name} cannot be read"
        return Undecided(requirer=requirer, requirement=requirement.text, why=why)
    return Conflict(requirer=requirer, requirement=requirement, installed=there.version if there else None)


def requires_of(item: Distribution, facts: Facts, matrix: Matrix) -> tuple[str, ...]:
    """Return what a distribution requires: its METADATA, else (a capture from a report) its wheel in the matrix."""
    if item.requires:
        return item.requires
    try:
        target = target_of(facts)
    except MissingFactError:
        return ()
    row = release(matrix, item.name, item.version)
    wheel = wheel_for(row, target) if row else None
    return (wheel.requires or ()) if wheel else ()


def admits(specifier: str, version: str) -> bool:
    """Tell whether a version meets a specifier, pre-releases included, as installers judge what is installed."""
    return not specifier or contains(specifier, version)


@functools.cache
def read(line: str) -> Requirement | None:
    """Return a Requires-Dist line taken apart, None for one that is none; a direct reference asks for any version."""
    plain = _PLAIN.fullmatch(line)
    specifier = (plain["inner"] or plain["bare"] or "").strip() if plain else ""
    if plain is None or not _is_set(specifier):
        return _read_slowly(line)
    return Requirement(name=normalized(plain["name"]), specifier=specifier, marker=plain["marker"] or "")


def _is_set(text: str) -> bool:
    """Whether a text is empty or versions between single commas (a stray comma is for ``packaging`` to judge)."""
    return not text or (all(part.strip() for part in text.split(",")) and specifiers(text) is not None)


def _read_slowly(line: str) -> Requirement | None:
    from packaging.requirements import InvalidRequirement
    from packaging.requirements import Requirement as Parsed

    try:
        parsed = Parsed(line)
    except InvalidRequirement:
        return None
    return Requirement(name=normalized(parsed.name), specifier=str(parsed.specifier), marker=str(parsed.marker or ""))


def normalized(name: str) -> str:
    """Return a name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_below(specifier: str, version: str) -> bool:
    """Tell whether a version is older than the oldest a specifier admits."""
    given = parse(version)
    floors = [parse(floor) for floor in re.findall(r"(?:>=|~=|===?|>)\s*([^,*\s]+?)(?:\.\*)?\s*(?:,|$)", specifier)]
    return given is not None and any(floor is not None and given < floor for floor in floors)
