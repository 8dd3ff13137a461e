"""PIN501, PIN502, PIN504 and PIN507: TensorFlow and its plugin side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.matrix import query
from compat.matrix.versions import is_final
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case, finding, pythons
from compat.verdict.pins.finding import Cure, PinFinding
from compat.verdict.pins.pairing import bound, ways_out
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.situation import Placed
from compat.verdict.pins.trusted import is_named
from compat.verdict.pins.wanted import Outcome


def loading(case: Case) -> tuple[list[Outcome], list[Outcome]]:
    """Return the outcomes whose pair loads, and those whose pair cannot."""
    judged = [row for row in case.outcomes if row.link is not None and row.plugin is not None]
    good = [row for row in judged if row.link is not None and row.link.loads]
    return good, [row for row in judged if row.link is not None and row.link.loads is False]


class CannotLoad(PinRule):
    """Can any pair that the pins admit load?

    The plugin is a library that TensorFlow opens with every symbol bound at once. For each pair of releases it was
    looked up in the wheels' binaries whether every library and symbol the plugin names is there; one missing symbol
    ends ``import tensorflow`` itself. The finding stands where no admitted pair can load; where only today's newest
    cannot, PIN502 tells it.

    Source: ``links/`` of the matrix, from the Mach-O files of the wheels.
    """

    id = "PIN501"
    title = "TensorFlow and the plugin can load together"
    ends = True

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield a pair that cannot load, where no admitted one can."""
        good, bad = loading(case)
        if not bad or good or any(row.working for row in bad):
            return
        worst = bad[-1]
        if worst.plugin is None or worst.link is None:
            return
        placed = _blamed(worst)
        missing = f": {worst.link.missing[0]} is missing" if worst.link.missing else ""
        text = f"{worst.plugin.name} {worst.plugin.version} cannot load on TensorFlow {worst.body}{missing}"
        remedy, cures = ways_out(worst, case)
        yield finding(self.id, self.severity, placed, text + remedy, case, cures)


def _blamed(outcome: Outcome) -> Placed:
    """The plugin's pin, unless it is open and TensorFlow's is not."""
    plugin = outcome.plugin.wanted.first if outcome.plugin else None
    tensorflow = outcome.tensorflow[0].wanted.first if outcome.tensorflow else None
    if plugin is None or (tensorflow is not None and tensorflow.pin.specifier and not plugin.pin.specifier):
        return tensorflow or plugin  # type: ignore[return-value]
    return plugin


class NewestCannot(PinRule):
    """Can the newest versions that the pins admit load together?

    An open bound takes what is newest on the day of installation: pins without an upper bound for TensorFlow give 2.20
    or newer, on which no release of Apple's plugin loads, although older admitted versions would work. The finding says
    what would be taken today, and the bound to add.

    Source: ``releases/`` and ``links/`` of the matrix, as of its date.
    """

    id = "PIN502"
    title = "the newest admitted versions can load together"
    severity = Severity.WARNING
    ends = True

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield the bound to add where today's resolution cannot load and another one could."""
        good, bad = _sound(case)
        if not bad or not (good or any(row.working for row in bad)):
            return
        curable = [row for row in bad if row.working] or bad
        worst = curable[-1]
        if worst.plugin is None or not worst.tensorflow:
            return
        where = f" on {pythons([row.python for row in bad])}" if good or case.situation.bounded else ""
        text = f"today these pins take TensorFlow {worst.body} and {worst.plugin.name} {worst.plugin.version}{where},"
        fails = worst.link is not None and worst.link.loads is False
        text += " which cannot load together" if fails else " which load and are known not to run"
        said, cures = bound(worst, case)
        yield finding(self.id, self.severity, _bounded_pin(cures) or _blamed(worst), text + said, case, cures)


def _sound(case: Case) -> tuple[list[Outcome], list[Outcome]]:
    """The outcomes whose pair loads and is not known to fail all the same, and the others."""
    judged = [row for row in case.outcomes if row.link is not None and row.plugin is not None and row.body is not None]
    good = [
        row
        for row in judged
        if row.plugin
        and row.body
        and case.resolver.is_sound(row.body, row.plugin.name, row.plugin.version, case.situation)
    ]
    return good, [row for row in judged if row not in good]


def _bounded_pin(cures: tuple[Cure, ...]) -> Placed | None:
    return Placed(path=cures[0].path, pin=cures[0].pin) if cures else None


_PROJECT = re.compile(r"-e\b|--editable\b|\.|/|file:|git\+|hg\+|https?:")
"""A project of one's own, or an address, among the requirements."""


class PluginAlone(PinRule):
    """Does the plugin stand beside a TensorFlow it loads on?

    ``tensorflow-metal`` declares no dependency on TensorFlow. In a file without one, whatever another package brings,
    or nothing at all, will stand beside it; pinning both is the only way to have a pair.

    Source: METADATA of every tensorflow-metal wheel.
    """

    id = "PIN504"
    title = "the plugin comes with a TensorFlow pin"
    severity = Severity.WARNING
    ends = True

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield a plugin without TensorFlow in what is installed together."""
        row = case.plugin_pin()
        if row is None or not case.is_mac or any(other.pin.name != row.pin.name for other in case.subjects()):
            return
        if any(_PROJECT.match(one.text) for one in case.situation.file.unread):
            return  # `-e .` and the like bring what their own files say
        best = next((pair for pair in (_alone(outcome, case) for outcome in reversed(case.outcomes)) if pair), None)
        text = f"{row.pin.name} declares no TensorFlow, and none is pinned beside it"
        cures: tuple[Cure, ...] = ()
        elsewhere = next((pin for pin in case.situation.file.pins if pin.name in query.TENSORFLOWS), None)
        if elsewhere is not None:
            where = elsewhere.group or "others"
            text += f" where it is installed: line {elsewhere.line} pins {elsewhere.name} for {where}"
        elif best is not None:
            text += f": add tensorflow=={best[0]}, the newest it loads on"
            marker = f"; {row.pin.marker}" if row.pin.marker else ""
            cures = (Cure(path=row.path, pin=row.pin, add=f"tensorflow=={best[0]}{marker}"),)
        yield finding(self.id, self.severity, row, text, case, cures)


def _alone(outcome: Outcome, case: Case) -> tuple[str, str] | None:
    """The newest tensorflow on which the plugin that would be taken loads."""
    if outcome.plugin is None:
        return None
    target, arch = case.situation.target(outcome.python), case.platform.partition("-")[2]
    for version in filter(is_final, case.offers.installable("tensorflow", target)):
        body = case.offers.body("tensorflow", version, target)
        if body and outcome.plugin.version in query.loadable_plugins(case.matrix, body[1], arch, outcome.plugin.name):
            return version, outcome.plugin.version
    return None


class OffTheTable(PinRule):
    """Is the pair one that its vendor names?

    Apple prints a table of pairs in the plugin's metadata. "Off the table" and "cannot load" are two things: most pairs
    off the table load, and some of the table do not work. The finding says what is on record of the pair.

    Source: the claims and runs of ``observed/`` in the matrix.
    """

    id = "PIN507"
    title = "the pair is one its vendor names"
    severity = Severity.INFO

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Remark a pair that loads by the binaries and that its vendor does not name."""
        good, _ = loading(case)
        for outcome in good[-1:]:
            if outcome.plugin is None or outcome.body is None:
                continue
            if is_named(case.matrix, outcome.body, outcome.plugin.name, outcome.plugin.version):
                continue
            runs = query.observations_of(case.matrix, outcome.body, outcome.plugin.version)
            worked = sum(row.result == "works" for row in runs)
            seen = "a run on record worked" if worked else "no run on record worked" if runs else "no run is on record"
            name = f"{outcome.plugin.name} {outcome.plugin.version}"
            text = (
                f"TensorFlow {outcome.body} with {name} is not on its vendor's table; it loads by the binaries, {seen}"
            )
            yield finding(self.id, self.severity, outcome.plugin.wanted.first, text, case)


RULES: tuple[PinRule, ...] = (CannotLoad(), NewestCannot(), PluginAlone(), OffTheTable())
