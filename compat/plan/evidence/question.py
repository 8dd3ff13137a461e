"""The words of ``matrix why``, as names and PEP 440 sets: ``tensorflow==2.20 tensorflow-metal``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from compat.errors import UsageError
from compat.matrix import query
from compat.matrix.load import Matrix
from compat.matrix.versions import contains, is_final, order
from compat.plan.evidence.standing import PLUGINS

_JOINED = re.compile(r"\s*(===|[<>=!~]=|[<>,])\s*")
"""Blanks around an operator or a comma belong to the requirement."""
_WRITTEN = "write it as tensorflow==2.20.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One name, and the versions that are meant."""

    name: str
    specifier: str = ""
    """A PEP 440 set; empty for any."""

    def __str__(self) -> str:
        """Return it as it is written in a requirement."""
        return self.name + self.specifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Whether these can be had together."""

    tensorflow: Part
    plugin: Part | None = None
    others: tuple[Part, ...] = ()

    def __str__(self) -> str:
        """Return it as it was asked, TensorFlow first."""
        return " ".join(str(part) for part in (self.tensorflow, self.plugin, *self.others) if part is not None)


def parse(text: str, matrix: Matrix) -> Question:
    """Return the question. Raises UsageError for what is no requirement, or a package the matrix does not follow."""
    if any(sign in text for sign in ";@"):
        raise UsageError("a marker (;) or an address (@) is more than a name and versions", hint=_WRITTEN)
    parts = [_part(word, matrix) for word in _JOINED.sub(r"\1", text).split()]
    if not parts:
        raise UsageError(
            "nothing was asked", hint="name packages: tfcompat matrix why 'tensorflow==2.20 tensorflow-metal'"
        )
    tensorflow = _only(parts, query.TENSORFLOWS, "TensorFlow") or Part(name="tensorflow")
    plugin = _only(parts, PLUGINS, "plugin")
    others = tuple(part for part in parts if part.name not in (*query.TENSORFLOWS, *PLUGINS))
    _only(others, (part.name for part in others), "version of a package", same=True)
    return Question(tensorflow=tensorflow, plugin=plugin, others=others)


def _part(word: str, matrix: Matrix) -> Part:
    try:
        wanted = Requirement(word)
    except InvalidRequirement as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"{word!r} is not a requirement: {reason}", hint=_WRITTEN) from error
    if wanted.extras or wanted.url or wanted.marker:
        raise UsageError(f"{word!r} is more than a name and versions", hint=_WRITTEN)
    name = canonicalize_name(wanted.name)
    known = tuple(dict.fromkeys((*matrix.distributions, *query.TENSORFLOWS, *PLUGINS)))
    if name not in known:
        close = get_close_matches(name, known, n=3) or sorted(known)
        raise UsageError(f"the matrix does not follow a package called {name}", hint=f"one of {', '.join(close)}")
    return Part(name=name, specifier=str(wanted.specifier))


def _only(parts: Iterable[Part], names: Iterable[str], what: str, *, same: bool = False) -> Part | None:
    wanted = tuple(names)
    found = [part for part in parts if part.name in wanted]
    if same:
        found = [part for part in found if [other.name for other in found].count(part.name) > 1]
    if len(found) > 1:
        hint = "two plugins in one process abort it: `tfcompat explain ISS007`" if what == "plugin" else "name one"
        raise UsageError(f"{found[0]} and {found[1]} ask for more than one {what}", hint=hint)
    return found[0] if found else None


def admitted(part: Part, names: Iterable[str], matrix: Matrix) -> tuple[str, ...]:
    """Return the releases of any of the names that the part means, newest first.

    Pre-releases where the set names one or nothing else is admitted (PEP 440, "Handling of pre-releases"), yanked
    releases where they are pinned (PEP 592).
    """
    wanted = SpecifierSet(part.specifier)
    pinned = any(clause.operator in ("==", "===") and "*" not in clause.version for clause in wanted)
    found = set(_releases(part.specifier, names, matrix, yanked=pinned))
    finals = {version for version in found if is_final(version)}
    return tuple(sorted(found if wanted.prereleases else finals or found, key=order, reverse=True))


def _releases(specifier: str, names: Iterable[str], matrix: Matrix, *, yanked: bool) -> Iterator[str]:
    for name in names:
        for row in matrix.releases(name):
            if (row.yanked is None or yanked) and (not specifier or contains(specifier, row.version)):
                yield row.version
