"""PIN503, PIN508 and PIN512: whether there is something to install at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compat.matrix import query
from compat.matrix.versions import is_final
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case, finding, pythons, wording
from compat.verdict.pins.finding import Cure, PinFinding
from compat.verdict.pins.offers import ELSEWHERE, PLUGINS, newest
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.situation import FIRST, PLACES, Placed
from compat.verdict.pins.wanted import Refused, Wanted, sets_of

_LINUX, _OTHERS = "sys_platform == 'linux'", "sys_platform != 'linux'"


class NotForMacs(PinRule):
    """Is the distribution one that a Mac can install?

    ``tensorflow-cpu``, ``tensorflow-gpu``, ``tensorflow-intel`` and ``tensorflow-rocm`` have no wheel for Apple
    silicon, and the extra ``and-cuda`` asks for NVIDIA's packages, which have no wheel for macOS at all: the whole
    installation fails. Plain ``tensorflow`` is the CPU build on a Mac.

    Under a marker that keeps it off Macs nothing is said. Source: ``releases/`` of the matrix; the wheels' metadata.
    """

    id = "PIN512"
    title = "the distribution is one that this platform can install"

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield each such distribution that holds on a Mac and has no wheel there."""
        for row in case.subjects() if case.is_mac else ():
            pin = row.pin
            if "and-cuda" in pin.extras and not pin.constraint:
                text = f"{wording(pin)}: the and-cuda extra asks for NVIDIA packages, which have no wheel for macOS"
                cure = Cure(path=row.path, pin=row.pin, marker=_LINUX, add=f"{pin.name}{pin.specifier}; {_OTHERS}")
                yield finding(self.id, self.severity, row, f"{text}; leave the extra out on Macs", case, (cure,))
            elif pin.name in ELSEWHERE and pin.origin == "index" and not _has_any(case, row):
                cures = tuple(_instead(case, row))
                there = "tensorflow is the CPU build there" if cures else "nor has tensorflow of that version"
                yield finding(
                    self.id, self.severity, row, f"{wording(pin)} has no wheel for {case.place}: {there}", case, cures
                )


def _has_any(case: Case, row: Placed) -> bool:
    wanted = Wanted(name=row.pin.name, placed=(row,))
    for python in case.situation.pythons or query.PYTHONS:
        if wanted.among(case.offers.installable(row.pin.name, case.situation.target(python))):
            return True
    return not case.offers.follows(row.pin.name) and row.pin.name.startswith("tf-nightly")


def _instead(case: Case, row: Placed) -> Iterator[Cure]:
    """Plain tensorflow of the same versions for Macs, where it has wheels and is not asked for already."""
    same = Wanted(name="tensorflow", placed=(row,))
    targets = [case.situation.target(python) for python in case.situation.pythons]
    there = any(same.among(case.offers.installable("tensorflow", target)) for target in targets)
    if case.of("tensorflow"):
        yield Cure(path=row.path, pin=row.pin, marker="sys_platform != 'darwin'")
    elif there and not row.pin.marker:
        plain = f"tensorflow{','.join(set(sets_of(row.pin)))}; sys_platform == 'darwin'"
        yield Cure(path=row.path, pin=row.pin, marker="sys_platform != 'darwin'", add=plain)
    elif there:
        yield Cure(path=row.path, pin=row.pin, name="tensorflow")


class NoWheel(PinRule):
    """Is there a wheel of an admitted version, for any admitted Python?

    For each target the file admits, the versions a pin admits are compared with the wheels on the index. On Apple
    silicon TensorFlow up to 2.12 is called ``tensorflow-macos``; both have an oldest and a newest Python. A version
    that was never released is told as that.

    Source: ``releases/`` of the matrix, from the index; ``packaging.tags`` decides what fits.
    """

    id = "PIN503"
    title = "there is a wheel for an admitted Python"
    ends = True

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Yield each pin that nothing can be installed for."""
        told = ELSEWHERE if case.is_mac else frozenset[str]()  # on a Mac PIN512 tells of those
        for name in (*query.TENSORFLOWS, *PLUGINS):
            found = case.refusals(name) if name not in told else ()
            bad = tuple((outcome, row) for outcome, row in found if row.why in ("wheel", "release"))
            if case.everywhere(bad) or (bad and not case.outcomes):
                yield self._finding(bad[0][1], case)
        if not case.outcomes and case.situation.bounded:
            yield from self._no_python(case)

    def _finding(self, refused: Refused, case: Case) -> PinFinding:
        row = refused.wanted.first
        text = wording(row.pin) if len(refused.wanted.placed) == 1 else str(refused.wanted)
        if refused.why == "release":
            said = _never_released(text, refused.wanted, case)
        else:
            said = f"{text} has no wheel for {case.place}{_others(refused, case)}"
        return finding(self.id, self.severity, row, said, case, tuple(_other_name(refused.wanted, case)))

    def _no_python(self, case: Case) -> Iterator[PinFinding]:
        """The file admits only Pythons that no TensorFlow with a Mac wheel has ever been built for."""
        row = case.subjects()[0] if case.subjects() else None
        # TensorFlow for Intel Macs and Linux had wheels for Pythons older than any the matrix asks about
        if row is not None and row.pin.origin == "index" and case.platform == FIRST:
            said = case.situation.file.requires_python or ", ".join(stated.version for stated in case.situation.stated)
            text = f"{row.pin.name} has no wheel for {case.place} for Python {said}"
            yield finding(self.id, self.severity, row, f"{text}: they are for {pythons(_ever(row, case))}", case)


def _ever(row: Placed, case: Case) -> tuple[str, ...]:
    return query.pythons_with_any(case.matrix, row.pin.name, case.situation.target("3.11"))


def _never_released(text: str, wanted: Wanted, case: Case) -> str:
    last = next(filter(is_final, case.offers.everywhere(wanted.name)), None)
    return f"no release of {wanted.name} meets {text.removeprefix(wanted.name)}; the newest is {last}"


def _others(refused: Refused, case: Case) -> str:
    """For which Pythons or platforms there are wheels, or who else asks for one that does not exist."""
    if refused.says:
        return f": {refused.says}, which has none for {pythons(case.situation.pythons)}"
    versions = newest(refused.wanted.among(case.offers.everywhere(refused.wanted.name)), ())
    here = [python for python in query.PYTHONS if _fits(refused.wanted.name, versions, case.platform, python, case)]
    if here:
        return f" and {pythons(case.situation.pythons)}; its wheels are for {pythons(here)}"
    other = next(iter(_other_name(refused.wanted, case)), None)
    if other is not None:
        return f"; there it is called {other.name}"
    elsewhere = [
        place
        for platform, place in PLACES.items()
        if any(_fits(refused.wanted.name, versions, platform, python, case) for python in query.PYTHONS)
    ]
    if elsewhere and all("Mac" in place or "Apple" in place for place in elsewhere):
        return f"; its wheels are for {' and '.join(elsewhere)}: add the marker sys_platform == 'darwin'"
    return f"; its wheels are for {', '.join(elsewhere)}" if elsewhere else ""


def _fits(name: str, versions: tuple[str, ...], platform: str, python: str, case: Case) -> bool:
    target = replace(case.situation.target(python), platform=platform)
    return bool(set(versions) & set(case.offers.installable(name, target)))


def _other_name(wanted: Wanted, case: Case) -> Iterator[Cure]:
    """TensorFlow below 2.13 is tensorflow-macos on Apple silicon; tensorflow-macos ends at 2.16.2."""
    pairs = {"tensorflow": "tensorflow-macos", "tensorflow-macos": "tensorflow"}
    name, row = pairs.get(wanted.name), wanted.first
    if name is None or not case.is_mac or case.of(name):
        return
    targets = [case.situation.target(python) for python in case.situation.pythons]
    if any(wanted.among(case.offers.installable(name, target)) for target in targets):
        yield Cure(path=row.path, pin=row.pin, name=name)


class SomePythons(PinRule):
    """Do all the Pythons that a project admits have wheels?

    ``requires-python = ">=3.10"`` admits Pythons that no wheel exists for yet: resolvers that lock for every admitted
    Python (uv, Poetry, PDM) then find no solution, or an old one. Only Pythons newer or older than the ones with wheels
    are remarked; a Python that a workflow, an image or a file names as the one that runs is PIN540's.

    Source: ``releases/`` of the matrix.
    """

    id = "PIN508"
    title = "every admitted Python has a wheel"
    severity = Severity.INFO

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Remark the admitted Pythons without wheels."""
        if case.situation.stated or case.situation.file.requires_python is None:
            return
        for name in (*query.TENSORFLOWS, *PLUGINS):
            without = [(outcome.python, row) for outcome, row in case.refusals(name) if row.why == "wheel"]
            if without and len(without) < len(case.outcomes):
                row, missing = without[0][1].wanted.first, [python for python, _ in without]
                allowed = case.situation.file.requires_python
                text = f"{name} has no wheel for {case.place} for {pythons(missing)}, which {allowed} admits:"
                text += " resolvers that lock for all of them find no solution or an old one"
                yield finding(self.id, self.severity, row, text, case)


RULES: tuple[PinRule, ...] = (NotForMacs(), NoWheel(), SomePythons())
