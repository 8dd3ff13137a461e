"""What an environment that is replaced held besides TensorFlow: as requirements, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from compat.facts.environment import Distribution, Environment
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS
from compat.matrix.versions import parse

_NIGHTLY = ("tf-nightly", "tf-nightly-cpu", "tf-nightly-macos")
_PAIR = frozenset((*TENSORFLOWS, *_NIGHTLY, APPLE_PLUGIN, "tensorflow-metal-plugin"))
"""What the plan decides about."""

_TOOLS = frozenset(("pip", "setuptools"))
"""What every environment has, and repairs decide about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What comes along."""

    requirements: tuple[str, ...] = ()
    """Names of what nothing else asks for: the rest comes with it."""
    present: tuple[str, ...] = ()
    """Every version that was there, as a pin."""
    left: tuple[tuple[str, str], ...] = ()
    """Names of what cannot come from an index, each with where it came from: an address, or its name."""


def carry(environment: Environment) -> Carried:
    """Return what an environment holds besides the pair."""
    inside = f"{environment.path.rstrip('/')}/"  # an environment may see the system's: those are not its own
    own = (one for one in environment.distributions if environment.kind != "venv" or one.location.startswith(inside))
    others = {one.name: one for one in own if one.name not in _PAIR | _TOOLS}
    left = {name: source for name, one in others.items() if (source := _elsewhere(one)) is not None}
    kept = {name: one for name, one in others.items() if name not in left}
    return Carried(
        requirements=_asked_for(kept, environment.distributions),
        present=tuple(sorted(f"{name}=={one.version}" for name, one in kept.items())),
        left=tuple(sorted(left.items())),
    )


def _elsewhere(one: Distribution) -> str | None:
    """Where what no index has came from; None for what an index has."""
    if one.direct_url is not None:
        return one.direct_url
    if one.problem is not None or parse(one.version) is None:
        return one.name
    return None


def _asked_for(kept: Mapping[str, Distribution], installed: Iterable[Distribution]) -> tuple[str, ...]:
    """What no other distribution requires; where some require each other in a circle, the first of them by name."""
    needs = {one.name: frozenset(_needs(one)) for one in installed}
    required = {need for name, found in needs.items() for need in found if need != name}
    asked = [name for name in kept if name not in required]
    brought = _closure([*asked, *(name for name in needs if name not in kept)], needs)
    for name in sorted(kept):
        if name not in brought:
            asked.append(name)
            brought |= _closure([name], needs)
    return tuple(sorted(asked))


def _closure(names: Iterable[str], needs: Mapping[str, frozenset[str]]) -> set[str]:
    found: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += needs.get(name, ())
    return found


def _needs(one: Distribution) -> Iterable[str]:
    """What it asks for without any of its extras."""
    for text in one.requires:
        try:
            need = Requirement(text)
        except InvalidRequirement:
            continue
        if need.marker is None or "extra" not in str(need.marker):
            yield canonicalize_name(need.name)
