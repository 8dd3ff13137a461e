"""PIN505 and PIN506: what people saw of the pair, and the known problems of it."""

from __future__ import annotations

from collections.abc import Iterator

from compat.matrix import query
from compat.matrix.model import Issue, Observation
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case, finding
from compat.verdict.pins.finding import PinFinding
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.rules.pairs import loading
from compat.verdict.pins.trusted import is_certain, is_named, problems
from compat.verdict.pins.wanted import Outcome

_SAID = {"fails-to-load": "fail to load", "fails-to-run": "fail to run", "wrong-numbers": "compute wrong numbers"}


def _newest(case: Case) -> Outcome | None:
    """The newest Python's answer whose pair loads, or that asks for no plugin."""
    good, bad = loading(case)
    if bad and not good:
        return None
    return good[-1] if good else next((row for row in reversed(case.outcomes) if row.body), None)


class SeenFailing(PinRule):
    """Did anybody see this very pair fail on a real Mac?

    A pair that loads by the binaries may still not run, or compute wrong numbers. A pair that was seen to fail, that
    nobody saw work and that its vendor does not name is an error; else, and where the numbers were wrong, it is a
    warning: whether a machine is affected is for ``tfcompat doctor`` to measure.

    Source: the runs of ``observed/`` in the matrix, each with its report.
    """

    id = "PIN505"
    title = "nobody saw the pair fail"

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield the worst that was seen of the newest pair."""
        outcome = _newest(case)
        if outcome is None or outcome.body is None or outcome.plugin is None or not case.is_mac:
            return
        runs = [
            row
            for row in query.observations_of(case.matrix, outcome.body, outcome.plugin.version)
            if row.plugin == outcome.plugin.name and _same_kind(row, case)
        ]
        bad = [row for row in runs if row.result in _SAID]
        if bad:
            worst = min(bad, key=lambda row: tuple(_SAID).index(row.result))
            works = any(row.result == "works" for row in runs) or is_named(
                case.matrix, outcome.body, outcome.plugin.name, outcome.plugin.version
            )
            yield self._finding(worst, outcome, case, certain=worst.result != "wrong-numbers" and not works)

    def _finding(self, row: Observation, outcome: Outcome, case: Case, *, certain: bool) -> PinFinding:
        assert outcome.plugin is not None  # noqa: S101 - check() took only these
        name = f"{outcome.plugin.name} {outcome.plugin.version}"
        where = f" on {row.chip}" if row.chip else ""
        text = f"TensorFlow {outcome.body} with {name} was seen to {_SAID[row.result]}{where} ({row.id})"
        text += "" if certain else ": measure it on the Mac with `tfcompat doctor`"
        severity = Severity.ERROR if certain else Severity.WARNING
        return finding(self.id, severity, outcome.plugin.wanted.first, text, case)


def _same_kind(row: Observation, case: Case) -> bool:
    """An M1 says nothing of an Intel Mac's GPU."""
    return (row.chip or "Apple").startswith("Intel") == (case.platform == "macos-x86_64")


class KnownIssue(PinRule):
    """Is a problem known of these versions?

    The matrix's known problems whose versions and platform hold for what would be taken today. Those that end training
    or import are errors; the others, which depend on the chip, the macOS or the program, are remarks.

    Source: ``issues/`` of the matrix; `tfcompat explain ID` prints one with its sources.
    """

    id = "PIN506"
    title = "no problem is known of these versions"
    severity = Severity.INFO

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield the known problems, errors each alone and the remarks in one line."""
        outcome = _newest(case)
        if outcome is None or outcome.body is None:
            return
        rows = tuple(_issues(outcome, case))
        placed = outcome.plugin.wanted.first if outcome.plugin else outcome.tensorflow[0].wanted.first
        for row in rows:
            if is_certain(row):
                text = f"known of these versions: {row.title} (`tfcompat explain {row.id}`)"
                yield finding(self.id, Severity.ERROR, placed, text, case)
        others = [row for row in rows if row.severity != "error" and outcome.plugin is not None]
        if others:
            titles = "; ".join(f"{row.id} {row.title}" for row in others)
            yield finding(self.id, self.severity, placed, f"known of this pair: {titles}", case)


def _issues(outcome: Outcome, case: Case) -> Iterator[Issue]:
    """Problems about TensorFlow or the plugin that no other rule about pins tells."""
    packages = dict.fromkeys((row.name for row in outcome.tensorflow), outcome.body or "")
    packages |= dict([row.body for row in outcome.tensorflow if row.body])
    if outcome.plugin is not None:
        packages[outcome.plugin.name] = outcome.plugin.version
    return problems(case.matrix, packages, case.platform, outcome.python)


RULES: tuple[PinRule, ...] = (SeenFailing(), KnownIssue())
