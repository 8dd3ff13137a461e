"""PIN510 and PIN511: distributions that stand for TensorFlow and hold none, and two that both hold one."""

from __future__ import annotations

from collections.abc import Iterator

from compat.matrix import query
from compat.matrix.versions import order
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case, finding, pythons, wording
from compat.verdict.pins.finding import Cure, PinFinding
from compat.verdict.pins.pairing import best_pair
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.wanted import Outcome, Refused, Taken, Wanted

LAST_OWN_NAME = "2.15.0"
"""The last tensorflow-macos with TensorFlow's code in it."""


class NoTensorFlowInside(PinRule):
    """Does what these pins take hold TensorFlow's code?

    ``tensorflow-macos`` 2.15.1 is a wheel of 2 KB that requires itself: pip and uv choose it where ``<2.16`` or an old
    NumPy keeps the newer ones out, and there is no ``import tensorflow`` afterwards. tensorflow 2.13.0 to 2.15.0 on
    Apple silicon, and tensorflow-macos from 2.16 on, are shells that require the other one, which is all right.

    Source: sizes and Requires-Dist of the wheels in ``releases/``.
    """

    id = "PIN511"
    title = "what the pins take holds TensorFlow"
    ends = True

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield pins that take only shells."""
        empty = [row for row in case.outcomes if row.tensorflow and row.body is None]
        if not empty:
            return
        taken = empty[-1].tensorflow[0]
        everywhere = not any(works(row, case) for row in case.outcomes)
        text = f"today {wording(taken.wanted.first.pin)} takes {taken.name} {taken.version} on"
        text += f" {pythons([row.python for row in empty])}, a shell that holds no TensorFlow"
        severity = Severity.ERROR if everywhere else Severity.WARNING
        said, cures = _instead(empty[-1], taken, case)
        yield finding(self.id, severity, taken.wanted.first, text + said, case, cures)


def works(outcome: Outcome, case: Case) -> bool:
    """Tell whether TensorFlow would be there, and the plugin, where one is pinned, would load."""
    if outcome.body is None or (case.plugin_pin() is not None and outcome.plugin is None):
        return False
    return outcome.link is None or outcome.link.loads is not False


def _instead(outcome: Outcome, taken: Taken, case: Case) -> tuple[str, tuple[Cure, ...]]:
    """The same version under tensorflow's name, else the newest release that goes with the other pins."""
    row, plugin = taken.wanted.first, outcome.plugin
    if _holds(taken.version, outcome, case):
        return f"; tensorflow {taken.version} holds it", (Cure(path=row.path, pin=row.pin, name="tensorflow"),)
    pythons = [other.python for other in reversed(case.outcomes)]
    found = [one for python in pythons for one in _holding(taken.name, plugin, python, case)]
    if not found:
        return "", ()
    name, version, release = max(found, key=lambda one: order(one[1]))
    said = f"; {name} {version} holds it"
    new = "" if name == taken.name else name
    cures = [Cure(path=row.path, pin=row.pin, name=new, specifier=f"=={version}")]
    if release is not None and plugin is not None and release != plugin.version:
        said += f" and goes with {plugin.name} {release}"
        cures.append(Cure(path=plugin.wanted.first.path, pin=plugin.wanted.first.pin, specifier=f"=={release}"))
    return said, tuple(cures)


def _holds(version: str, outcome: Outcome, case: Case) -> bool:
    """Whether tensorflow of that very version would do, plugin and all, and no other pin asks for it already."""
    plugin = outcome.plugin
    if case.of("tensorflow") or version not in case.resolver.free(case.situation, outcome.python, "tensorflow"):
        return False
    return plugin is None or case.resolver.is_sound(version, plugin.name, plugin.version, case.situation)


def _holding(own: str, plugin: Taken | None, python: str, case: Case) -> Iterator[tuple[str, str, str | None]]:
    """Name, version and plugin release, the newest of each name; the file's other TensorFlows stay as they are."""
    for name in dict.fromkeys((own, "tensorflow")):
        if name != own and case.of(name):
            continue
        if plugin is not None:
            pair = best_pair(name, plugin, python, case)
            if pair is not None:
                yield name, *pair
        else:
            for version in case.resolver.free(case.situation, python, name)[:1]:
                yield name, version, None


class TwoTensorFlows(PinRule):
    """Is TensorFlow asked for once?

    ``tensorflow`` and ``tensorflow-macos`` of one version are one TensorFlow: the one requires the other. Of two
    versions they cannot be had together, or both write the same files, or the empty tensorflow-macos 2.15.1 is what a
    resolver finds to satisfy both. From 2.16 on plain ``tensorflow`` is enough.

    Source: Requires-Dist of both in ``releases/``.
    """

    id = "PIN510"
    title = "tensorflow and tensorflow-macos agree"

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield two TensorFlows that cannot be had together or do not belong together."""
        clashes = [row for row in case.refusals(*query.TENSORFLOWS) if row[1].why == "conflict" and _is_pair(row[1].by)]
        if len({outcome.python for outcome, _ in clashes}) == sum(1 for row in case.outcomes if _is_asked(row)) > 0:
            yield self._clash(clashes[0][1], case)
            return
        mixed = [row for row in case.outcomes if len({taken.body for taken in row.tensorflow}) > 1]
        if mixed:
            yield self._mixed(mixed, case)

    def _clash(self, refused: Refused, case: Case) -> PinFinding:
        text = f"{refused.wanted} and {refused.by} cannot be had together"
        text += f": {refused.says}" if refused.says else ""
        return finding(self.id, self.severity, refused.wanted.first, text, case)

    def _mixed(self, mixed: list[Outcome], case: Case) -> PinFinding:
        first, second = mixed[-1].tensorflow[:2]
        where = pythons([row.python for row in mixed])
        text = f"today these pins take {first.name} {first.version} and {second.name} {second.version} on {where}"
        shell = next((row for row in (first, second) if row.body is None), None)
        if shell is None:
            text += ", which write the same files"
        else:
            text += f"; {shell.name} {shell.version} is an empty shell"
        kept = "tensorflow-macos" if first.version == LAST_OWN_NAME else "tensorflow"
        return finding(self.id, Severity.WARNING, second.wanted.first, f"{text}: pin one of them, {kept}", case)


def _is_asked(outcome: Outcome) -> bool:
    """Whether both could be looked for: a Python without wheels of either says nothing of the two."""
    return not any(row.why in ("wheel", "release") for row in outcome.refused)


def _is_pair(other: Wanted | None) -> bool:
    return other is not None and other.name in query.TENSORFLOWS


RULES: tuple[PinRule, ...] = (TwoTensorFlows(), NoTensorFlowInside())
