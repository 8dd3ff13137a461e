"""What an installer would take today for one Python, as far as TensorFlow and its plugin go, and what else would work.

No resolver: TensorFlow's distributions, the plugin, the add-ons and the packages TensorFlow pins, of which the matrix
knows every release with its wheels and Requires-Dist. Of anything else only an exact pin can contradict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from compat.facts.pins import Pin
from compat.matrix import query
from compat.matrix.model import LinkRow
from compat.matrix.versions import contains
from compat.verdict.pins.offers import PLUGINS, Offers, newest
from compat.verdict.pins.situation import Placed, Situation
from compat.verdict.pins.trusted import is_known_bad


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
    """``release`` (no such version), ``wheel``, or ``conflict``."""
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
    unknown: bool = False
    """The file does not tell which TensorFlow, or takes it from elsewhere than the index."""
    link: LinkRow | None = None
    working: tuple[str, str] | None = None
    """The newest admitted pair that loads, where today's does not."""

    @property
    def body(self) -> str | None:
        """The version of TensorFlow's code that is installed."""
        return next((row.body[1] for row in self.tensorflow if row.body), None)


class Resolver:
    """Answers for the situations of a file, each Python apart."""

    def __init__(self, offers: Offers) -> None:
        self.offers = offers
        self._links: dict[tuple[str, str, str, str], LinkRow] | None = None

    def outcome(self, situation: Situation, python: str) -> Outcome:
        """Return what would be taken for one Python."""
        wanted = _by_name(situation.on(python))
        asked = [wanted[name] for name in query.TENSORFLOWS if name in wanted]
        carriers = [row for row in asked if row.installs] or asked
        plugins = [wanted[name] for name in PLUGINS if name in wanted and wanted[name].installs]
        search = _Search(self.offers, situation, python, wanted)
        found = [search.best(carrier) for carrier in carriers if carrier.known]
        taken = search.together([row for row in found if isinstance(row, Taken)])
        plugin = search.best(plugins[0]) if plugins and plugins[0].known else None
        refused = [row for row in (*found, *search.clash, plugin) if isinstance(row, Refused)]
        outcome = Outcome(
            python=python,
            tensorflow=tuple(taken),
            plugin=plugin if isinstance(plugin, Taken) else None,
            refused=tuple(refused),
            unknown=any(not row.known for row in (*carriers, *plugins)),
        )
        return self._linked(outcome, situation, search)

    def _linked(self, outcome: Outcome, situation: Situation, search: _Search) -> Outcome:
        from dataclasses import replace

        body, plugin = outcome.body, outcome.plugin
        if body is None or plugin is None:
            return replace(outcome, working=self._working(outcome, situation, search)) if plugin else outcome
        row = self.link(body, plugin, situation)
        fails = row is not None and not self.is_sound(body, plugin.name, plugin.version, situation)
        return replace(outcome, link=row, working=self._working(outcome, situation, search) if fails else None)

    def _working(self, outcome: Outcome, situation: Situation, search: _Search) -> tuple[str, str] | None:
        if outcome.plugin is None:
            return None
        plugins = search.all_of(outcome.plugin.wanted)
        for taken in outcome.tensorflow:
            for version in search.all_of(taken.wanted):
                body = self.offers.body(taken.name, version, search.target)
                for plugin in plugins if body else ():
                    if body and self.is_sound(body[1], outcome.plugin.name, plugin, situation):
                        return version, plugin
        return None

    def is_sound(self, body: str, plugin: str, version: str, situation: Situation) -> bool:
        """Tell whether a pair loads by the binaries and is not known to fail all the same."""
        row = self._row(body, plugin, version, situation)
        bad = is_known_bad(self.offers.matrix, body, plugin, version, situation.platform)
        return row is not None and row.loads is True and not bad

    def free(self, situation: Situation, python: str, name: str) -> tuple[str, ...]:
        """Return the releases of a TensorFlow that hold its code and go with every other pin, newest first.

        What the file says of TensorFlow itself is left aside.
        """
        wanted = {key: row for key, row in _by_name(situation.on(python)).items() if key not in query.TENSORFLOWS}
        open_pin = Placed(path="", pin=Pin(name=name, specifier="", marker="", line=1, column=1))
        wanted[name] = Wanted(name=name, placed=(open_pin,))
        search = _Search(self.offers, situation, python, wanted)
        return tuple(row for row in search.all_of(wanted[name]) if self.offers.body(name, row, search.target))

    def link(self, body: str, plugin: Taken, situation: Situation) -> LinkRow | None:
        """Return the judged pair."""
        return self._row(body, plugin.name, plugin.version, situation)

    def _row(self, body: str, plugin: str, version: str, situation: Situation) -> LinkRow | None:
        if self._links is None:
            self._links = {}
            for row in self.offers.matrix.links():
                key = (row.tensorflow, row.plugin, row.plugin_version, row.arch)
                if key not in self._links or row.distribution == "tensorflow":
                    self._links[key] = row
        return self._links.get((body, plugin, version, situation.platform.partition("-")[2]))


def _by_name(placed: tuple[Placed, ...]) -> dict[str, Wanted]:
    names: dict[str, list[Placed]] = {}
    for row in placed:
        names.setdefault(row.pin.name, []).append(row)
    return {name: Wanted(name=name, placed=tuple(rows)) for name, rows in names.items()}


class _Search:
    """The versions one set of pins leaves for one Python."""

    def __init__(self, offers: Offers, situation: Situation, python: str, wanted: dict[str, Wanted]) -> None:
        self.offers, self.wanted = offers, wanted
        self.target = situation.target(python)
        self.clash: list[Refused] = []
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
        return "wheel" if wanted.among(self.offers.everywhere(wanted.name)) else "release"

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
        for other in self.wanted.values():
            if other.installs and other.known and self._is_addon(other.name) and wanted.name in query.TENSORFLOWS:
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
            return f"{addon} has no wheel for Python {self.target.python}"
        for other in offered:
            against = next(
                (need for need in self.offers.needs(addon.name, other, self.target) if _excludes(need, names)), None
            )
            if against is None:
                return ""
            says = says or f"{addon.name} {other} requires {_said(against)}"
        return says


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
