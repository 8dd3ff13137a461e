"""The versions that one set of pins leaves for one Python: what goes with everything else, and what stands in the way.

No resolver: TensorFlow's distributions, the plugin, the add-ons and the packages TensorFlow pins, of which the matrix
knows every release with its wheels and Requires-Dist. Of anything else only an exact pin can contradict.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from compat.facts.pins import Pin
from compat.matrix import query
from compat.matrix.versions import contains, is_final, order
from compat.verdict.pins.offers import PLUGINS, Offers, newest
from compat.verdict.pins.situation import FIRST, PLACES, Situation
from compat.verdict.pins.wanted import Refused, Taken, Wanted, sets_of


class Search:
    """The versions one set of pins leaves for one Python."""

    def __init__(self, offers: Offers, situation: Situation, python: str, wanted: dict[str, Wanted]) -> None:
        self.offers, self.wanted = offers, wanted
        self.target = situation.target(python)
        self.clash: list[Refused] = []
        self.addons = [row for row in wanted.values() if self._is_addon(row.name) and row.installs and row.known]
        self._all: dict[str, tuple[str, ...]] = {}

    def best(self, wanted: Wanted) -> Taken | Refused:
        """Return the newest version that goes with everything else that is pinned, or what stands in the way."""
        offered = self._offered(wanted)
        if not offered:
            return Refused(wanted=wanted, why=self._missing(wanted))
        first: Refused | None = None
        for version in offered:
            against = self._against(wanted, version)
            if against is None:
                body = self.offers.body(wanted.name, version, self.target)
                return Taken(wanted=wanted, version=version, body=body)
            first = first or against
        return first or Refused(wanted=wanted, why="wheel")

    def all_of(self, wanted: Wanted) -> tuple[str, ...]:
        """Return every version that goes with everything else, newest first."""
        if wanted.name not in self._all:
            self._all[wanted.name] = tuple(row for row in self._offered(wanted) if self._against(wanted, row) is None)
        return self._all[wanted.name]

    def together(self, found: list[Taken]) -> list[Taken]:
        """Return versions of several TensorFlow distributions that can be had together, the first as new as can be."""
        if len(found) < 2:  # noqa: PLR2004 - one is always together with itself
            return found
        first, second = found[0], found[1]
        for version in self.all_of(first.wanted):
            for other in self.all_of(second.wanted):
                if self._agree(first.name, version, second.name, other):
                    pair = ((first.wanted, version), (second.wanted, other))
                    return [
                        Taken(wanted=row, version=at, body=self.offers.body(row.name, at, self.target))
                        for row, at in pair
                    ] + found[2:]
        self.clash.append(Refused(wanted=first.wanted, why="conflict", by=second.wanted))
        return []

    def with_others(self, taken: Taken, version: str, others: tuple[Taken, ...]) -> bool:
        """Tell whether a version of one TensorFlow leaves a version of each other one that stands for the same code."""
        body = self.offers.body(taken.name, version, self.target)
        return all(
            any(
                self._agree(taken.name, version, other.name, row)
                and self.offers.body(other.name, row, self.target) == body
                for row in self.all_of(other.wanted)
            )
            for other in others
            if other is not taken
        )

    def _agree(self, left: str, left_version: str, right: str, right_version: str) -> bool:
        return self._admits(left, left_version, right, right_version) and self._admits(
            right, right_version, left, left_version
        )

    def _admits(self, owner: str, owned: str, name: str, version: str) -> bool:
        return all(
            need.name != name or contains(str(need.specifier), version)
            for need in self.offers.needs(owner, owned, self.target)
        )

    def _offered(self, wanted: Wanted) -> tuple[str, ...]:
        here = self.offers.installable(wanted.name, self.target)
        yanked = tuple(version for version in here if _yanked(self.offers, wanted.name, version))
        return wanted.among(here, yanked)

    def _missing(self, wanted: Wanted) -> str:
        """Say whether there is no wheel, no such release, or whether the matrix cannot know."""
        if wanted.among(self.offers.everywhere(wanted.name)):
            return "wheel"
        return "release" if all(map(self._is_settled, _exact_versions(wanted))) else "unknown"

    def _is_settled(self, version: str) -> bool:
        """Whether the matrix would have a version, were there one: it keeps few pre-releases, and knows no future.

        Nor does it keep every early patch release, none of which has a wheel for Apple silicon.
        """
        if not is_final(version):
            return False
        newest_known = order(self.offers.everywhere("tensorflow")[0])
        if order(version) > newest_known:
            return order(version).release[:2] > (newest_known.major, newest_known.minor + _FUTURE)
        return self.target.platform == FIRST or order(version) >= order(_COMPLETE)

    def _against(self, wanted: Wanted, version: str) -> Refused | None:
        """What keeps a version out: a requirement of its own that a pin excludes, or an add-on's of it."""
        return next(self._objections(wanted, version), None)

    def _objections(self, wanted: Wanted, version: str) -> Iterator[Refused]:
        for owner, owned, need in self._chain(wanted.name, version):
            name = canonicalize_name(need.name)
            other = self.wanted.get(name)
            if other is not None and name != wanted.name and other.known and not self._meets(other, need):
                says = f"{owner} {owned} requires {_said(need)}"
                yield Refused(wanted=wanted, why="conflict", by=other, says=says, needs=str(need.specifier))
            elif other is None and name in query.TENSORFLOWS and not self._exists(need):
                yield Refused(wanted=wanted, why="wheel", says=f"{owner} {owned} requires {_said(need)}")
        for other in self.addons if wanted.name in query.TENSORFLOWS else ():
            against = self._addon(other, wanted, version)
            if against:
                yield Refused(wanted=wanted, why="conflict", by=other, says=against)

    def _chain(self, name: str, version: str) -> Iterator[tuple[str, str, Requirement]]:
        """A release's requirements and those of the distribution that carries its code."""
        body = self.offers.body(name, version, self.target)
        for owner, owned in dict.fromkeys(((name, version), *((body,) if body else ()))):
            for need in self.offers.needs(owner, owned, self.target):
                yield owner, owned, need

    def _meets(self, other: Wanted, need: Requirement) -> bool:
        """Whether some version is in both sets; of what the matrix does not follow only an exact pin is judged.

        It follows old releases of NumPy, protobuf and setuptools only as far back as TensorFlow's requirements go.
        """
        specifier = str(need.specifier)
        if other.among(self.offers.everywhere(other.name)):
            offered = self.offers.installable(other.name, self.target)
            return any(contains(specifier, version) for version in other.among(offered)) if offered else True
        exact = [row.pin.specifier[2:] for row in other.placed if _is_exact(row.pin)]
        return all(contains(specifier, version) for version in exact) if specifier else True

    def _exists(self, need: Requirement) -> bool:
        return bool(newest(self.offers.installable(need.name, self.target), (str(need.specifier),)))

    def _is_addon(self, name: str) -> bool:
        return self.offers.follows(name) and name not in query.TENSORFLOWS and name not in PLUGINS

    def _addon(self, addon: Wanted, wanted: Wanted, version: str) -> str:
        """Why no release of an add-on that its pins admit goes with a TensorFlow; empty where one does."""
        says = ""
        body = self.offers.body(wanted.name, version, self.target)
        names = {wanted.name: version} | (dict([body]) if body else {})
        offered = addon.among(self.offers.installable(addon.name, self.target))
        if not offered and addon.name.startswith(_BINARY) and addon.among(self.offers.everywhere(addon.name)):
            return f"{addon} has no wheel for {PLACES[self.target.platform]} and Python {self.target.python}"
        for other in offered:
            against = next(
                (need for need in self.offers.needs(addon.name, other, self.target) if _excludes(need, names)), None
            )
            if against is None:
                return ""
            says = says or f"{addon.name} {other} requires {_said(against)}"
        return says


_FUTURE = 4
"""Minors beyond the newest known that may have come since the matrix was made: more than a year of them."""
_COMPLETE = "2.5"
"""From here on every final release is in the matrix."""


def _exact_versions(wanted: Wanted) -> list[str]:
    """The versions that are pinned exactly; a range that admits nothing known is not settled by one."""
    parts = [part for row in wanted.placed for part in sets_of(row.pin)]
    return [part[2:] for part in parts if part.startswith("==") and "*" not in part and "," not in part]


_BINARY = ("tensorflow-", "tf-")
"""Add-ons that come as wheels only; NumPy and others without one are built from source."""


def _excludes(need: Requirement, versions: dict[str, str]) -> bool:
    version = versions.get(canonicalize_name(need.name))
    return version is not None and not contains(str(need.specifier), version)


def _is_exact(pin: Pin) -> bool:
    return pin.specifier.startswith("==") and "*" not in pin.specifier and "," not in pin.specifier


def _said(need: Requirement) -> str:
    return f"{need.name}{need.specifier}"


def _yanked(offers: Offers, name: str, version: str) -> bool:
    row = offers.release(name, version)
    return row is not None and row.yanked is not None
