"""One situation with its answers: what a rule about pins is asked about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compat.facts.pins import Pin
from compat.matrix.load import Matrix
from compat.matrix.versions import minor, ranges
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import Cure, PinFinding
from compat.verdict.pins.offers import PLUGINS, Offers
from compat.verdict.pins.resolution import Resolver
from compat.verdict.pins.situation import PLACES, SUBJECTS, Placed, Situation
from compat.verdict.pins.wanted import Outcome, Refused, Taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One situation and what would be taken for each of its Pythons."""

    situation: Situation
    outcomes: tuple[Outcome, ...]
    resolver: Resolver

    @property
    def offers(self) -> Offers:
        """What the index offers."""
        return self.resolver.offers

    @property
    def matrix(self) -> Matrix:
        """What is known."""
        return self.offers.matrix

    @property
    def platform(self) -> str:
        """The platform's name."""
        return self.situation.platform

    @property
    def place(self) -> str:
        """The platform as people call it."""
        return PLACES[self.platform]

    @property
    def is_mac(self) -> bool:
        """Whether a plugin of Apple's could be used."""
        return self.platform.startswith("macos-")

    def subjects(self) -> tuple[Placed, ...]:
        """Return the pins of TensorFlow and plugins that hold on the platform."""
        return tuple(row for row in self.situation.anywhere() if row.pin.name in SUBJECTS)

    def plugin_pin(self) -> Placed | None:
        """Return the plugin's pin, where one is installed."""
        return next((row for row in self.subjects() if row.pin.name in PLUGINS and not row.pin.constraint), None)

    def of(self, name: str) -> tuple[Placed, ...]:
        """Return the pins of one name that hold on the platform."""
        return tuple(row for row in self.situation.anywhere() if row.pin.name == name)

    def taken(self) -> Iterator[tuple[Outcome, Taken]]:
        """Yield TensorFlow's distributions that would be taken, newest Python first."""
        for outcome in reversed(self.outcomes):
            for row in outcome.tensorflow:
                yield outcome, row

    def refusals(self, *names: str) -> tuple[tuple[Outcome, Refused], ...]:
        """Return what is refused of some names, newest Python first."""
        return tuple(
            (outcome, row) for outcome in reversed(self.outcomes) for row in outcome.refused if row.wanted.name in names
        )

    def everywhere(self, found: tuple[tuple[Outcome, Refused], ...]) -> bool:
        """Tell whether a name is refused for every Python for which it is pinned."""
        if not found:
            return False
        name = found[0][1].wanted.name
        return {outcome.python for outcome, _ in found} == {row.python for row in self.outcomes if name in row.asked}


def finding(
    rule: str,
    severity: Severity,
    placed: Placed,
    message: str,
    case: Case,
    cures: tuple[Cure, ...] = (),
) -> PinFinding:
    """Return a finding at a pin."""
    pin = placed.pin
    if placed.path != case.situation.file.path:
        message += f" (as {case.situation.file.path} installs it)"
    return PinFinding(
        id=rule,
        severity=severity,
        path=placed.path,
        line=pin.line,
        column=pin.column,
        message=message,
        targets=(case.platform,),
        cures=cures,
    )


def wording(pin: Pin) -> str:
    """Return a pin as one would write it: ``tensorflow>=2.16``."""
    extras = f"[{','.join(pin.extras)}]" if pin.extras else ""
    specifier = pin.specifier
    if pin.locked and specifier[:1].isdigit():
        specifier = f"=={specifier}"
    return f"{pin.name}{extras}{' ' if specifier[:1].isdigit() or specifier[:1] == '*' else ''}{specifier}"


def pythons(found: tuple[str, ...] | list[str]) -> str:
    """Return ``Python 3.9–3.12``."""
    return f"Python {ranges(found)}"


def next_minor(version: str) -> str:
    """Return ``2.20`` for 2.19.1."""
    major, _, second = minor(version).partition(".")
    return f"{major}.{int(second or 0) + 1}"
