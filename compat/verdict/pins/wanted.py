"""All pins of one name, and the records of what an installer would take or refuse for them."""

from __future__ import annotations

from dataclasses import dataclass

from compat.facts.pins import Pin
from compat.matrix.model import LinkRow
from compat.matrix.versions import contains
from compat.verdict.pins.offers import newest
from compat.verdict.pins.situation import Placed


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """All pins of one name that hold: a version must be admitted by each of them."""

    name: str
    placed: tuple[Placed, ...]

    @property
    def installs(self) -> bool:
        """Whether any of them is more than a constraint."""
        return any(not row.pin.constraint for row in self.placed)

    @property
    def first(self) -> Placed:
        """The pin a finding points at: one with a version set, if any has one."""
        ranked = sorted(self.placed, key=lambda row: (row.pin.constraint, not row.pin.specifier))
        return ranked[0]

    @property
    def known(self) -> bool:
        """Whether the file tells which versions of the index are meant."""
        return all(sets_of(row.pin) != () and row.pin.origin == "index" for row in self.placed)

    def admits(self, version: str) -> bool:
        """Tell whether every pin admits a version."""
        return all(any(not part or contains(part, version) for part in sets_of(row.pin)) for row in self.placed)

    def among(self, versions: tuple[str, ...], yanked: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the versions every pin admits, in the order given."""
        found = versions
        for row in self.placed:
            found = newest(found, sets_of(row.pin), yanked)
        return found

    def __str__(self) -> str:
        """Return it as one requirement."""
        return self.name + ",".join(dict.fromkeys(row.pin.specifier for row in self.placed if row.pin.specifier))


def sets_of(pin: Pin) -> tuple[str, ...]:
    """Return the PEP 440 sets a pin admits, ``("",)`` for any version."""
    return pin.admits if pin.admits is not None else (pin.specifier,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One release an installer would take, and where TensorFlow's code then comes from."""

    wanted: Wanted
    version: str
    body: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """The distribution."""
        return self.wanted.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why nothing can be taken."""

    wanted: Wanted
    why: str
    """``release`` (no such version), ``wheel``, ``conflict``, or ``unknown`` (the matrix may not have it)."""
    by: Wanted | None = None
    """The pin that leaves everything out, where one does."""
    says: str = ""
    """Who requires what: ``tensorflow 2.17.0 requires numpy<2.0.0,>=1.23.5``."""
    needs: str = ""
    """The set (PEP 440) that the other package's pin leaves out, where it is TensorFlow that requires it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One Python's answer."""

    python: str
    tensorflow: tuple[Taken, ...] = ()
    plugin: Taken | None = None
    refused: tuple[Refused, ...] = ()
    asked: frozenset[str] = frozenset()
    """Names of TensorFlow and plugins that are pinned for this Python."""
    link: LinkRow | None = None
    working: tuple[str, str] | None = None
    """The newest admitted pair that loads, where today's does not."""

    @property
    def body(self) -> str | None:
        """The version of TensorFlow's code that is installed."""
        return next((row.body[1] for row in self.tensorflow if row.body), None)


def by_name(placed: tuple[Placed, ...]) -> dict[str, Wanted]:
    """Return the pins that hold, by name."""
    names: dict[str, list[Placed]] = {}
    for row in placed:
        names.setdefault(row.pin.name, []).append(row)
    return {name: Wanted(name=name, placed=tuple(rows)) for name, rows in names.items()}
