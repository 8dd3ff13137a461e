"""What an installer would take today for one Python, as far as TensorFlow and its plugin go, and what else works."""

from __future__ import annotations

from dataclasses import replace

from compat.facts.pins import Pin
from compat.matrix import query
from compat.matrix.model import LinkRow
from compat.verdict.pins.offers import ELSEWHERE, PLUGINS, Offers
from compat.verdict.pins.search import Search
from compat.verdict.pins.situation import Placed, Situation
from compat.verdict.pins.trusted import is_known_bad
from compat.verdict.pins.wanted import Outcome, Refused, Taken, Wanted, by_name


class Resolver:
    """Answers for the situations of a file, each Python apart."""

    def __init__(self, offers: Offers) -> None:
        self.offers = offers
        self._links: dict[tuple[str, str, str, str], LinkRow] | None = None

    def outcome(self, situation: Situation, python: str) -> Outcome:
        """Return what would be taken for one Python."""
        wanted = by_name(situation.on(python))
        asked = [wanted[name] for name in query.TENSORFLOWS if name in wanted]
        carriers = [row for row in asked if row.installs] or asked
        plugins = [wanted[name] for name in PLUGINS if name in wanted and wanted[name].installs]
        search = Search(self.offers, situation, python, wanted)
        found = [search.best(carrier) for carrier in carriers if carrier.known]
        elsewhere = (
            ELSEWHERE if situation.platform.startswith("macos") else frozenset[str]()
        )  # told apart from the rest
        whole = all(
            isinstance(row, Taken) or row.wanted.name in elsewhere for row in found
        )  # installed together or not
        taken = search.together([row for row in found if isinstance(row, Taken)]) if whole else []
        plugin = search.best(plugins[0]) if plugins and plugins[0].known else None
        refused = [row for row in (*found, *search.clash, plugin) if isinstance(row, Refused)]
        outcome = Outcome(
            python=python,
            tensorflow=tuple(taken),
            plugin=plugin if isinstance(plugin, Taken) else None,
            refused=tuple(refused),
            asked=frozenset(row.name for row in (*carriers, *plugins)),
        )
        return self._linked(outcome, situation, search)

    def _linked(self, outcome: Outcome, situation: Situation, search: Search) -> Outcome:
        body, plugin = outcome.body, outcome.plugin
        if body is None or plugin is None:
            return replace(outcome, working=self._working(outcome, situation, search)) if plugin else outcome
        row = self.link(body, plugin, situation)
        fails = row is not None and not self.is_sound(body, plugin.name, plugin.version, situation)
        return replace(outcome, link=row, working=self._working(outcome, situation, search) if fails else None)

    def _working(self, outcome: Outcome, situation: Situation, search: Search) -> tuple[str, str] | None:
        if outcome.plugin is None:
            return None
        plugins = search.all_of(outcome.plugin.wanted)
        for taken in outcome.tensorflow:
            for version in search.all_of(taken.wanted):
                body = self.offers.body(taken.name, version, search.target)
                if not search.with_others(taken, version, outcome.tensorflow):
                    continue
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
        wanted = {key: row for key, row in by_name(situation.on(python)).items() if key not in query.TENSORFLOWS}
        open_pin = Placed(path="", pin=Pin(name=name, specifier="", marker="", line=1, column=1))
        wanted[name] = Wanted(name=name, placed=(open_pin,))
        search = Search(self.offers, situation, python, wanted)
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
