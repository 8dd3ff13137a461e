"""The rows of the table: which fault is tried at which steps of which stage, and what becomes of each."""

from __future__ import annotations

import errno
import signal
from collections.abc import Iterator
from dataclasses import dataclass

from tests.trust.run import Bench, chosen, kill_all, steps_of
from tests.trust.stages import CREATE, STAGES, Fault, Outcome

MAIN = ("create", "replace", "in-place", "rollback")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One fault in one stage."""

    fault: str
    act: str
    stage: str
    exchange: bool = True
    lasting: bool = False
    placing: bool = False
    """Only from the moment the result is on its way to its name: until then all is as in the stage with an exchange."""

    @property
    def key(self) -> str:
        return f"{self.fault}, {self.stage}{'' if self.exchange else ', names not exchanged'}"


def _rows() -> Iterator[Row]:
    for stage in MAIN:
        yield Row(fault="killed", act="kill", stage=stage)
    for stage in ("rollback", "replace", "in-place", "in-place-again"):
        yield Row(fault="killed", act="kill", stage=stage, exchange=False, placing=True)
    yield Row(fault="killed", act="kill", stage="in-place-again", placing=True)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        for stage in MAIN:
            yield Row(fault=name, act=f"signal:{getattr(signal, name).value}", stage=stage)
    for name in ("ENOSPC", "EROFS"):
        for stage in MAIN:
            yield Row(fault=f"{name} from then on", act=f"errno:{getattr(errno, name)}", stage=stage, lasting=True)
    for name in ("EIO", "EMFILE"):
        for stage in MAIN:
            yield Row(fault=f"{name} once", act=f"errno:{getattr(errno, name)}", stage=stage)
    for stage in MAIN:
        yield Row(fault="SIGSTOP, another run meanwhile", act=f"signal:{signal.SIGSTOP.value}", stage=stage)


ROWS = tuple(_rows())


def steps(bench: Bench, row: Row, every: int = 1, first: int = 0) -> list[tuple[int, str]]:
    """The steps of a row that are tried: one in ``every``."""
    names = steps_of(bench, STAGES[row.stage], exchange=row.exchange)
    begin = (
        names.index(next(step for step in names if " -> " in step and step.endswith(" env"))) - 8 if row.placing else 0
    )
    return [(number, names[number]) for number in chosen(names) if number >= begin][first::every]


def outcome(bench: Bench, row: Row, at: int) -> Outcome:
    """What becomes of one fault at one step."""
    fault = Fault(act=row.act, at=at, exchange=row.exchange, lasting=row.lasting)
    if row.act == f"signal:{signal.SIGSTOP.value}":
        return stopped(bench, row, fault)
    return bench.outcome(STAGES[row.stage], fault)


def stopped(bench: Bench, row: Row, fault: Fault) -> Outcome:
    """A run that stands still at a step; another one meanwhile; then the first goes on."""
    stage = STAGES[row.stage]
    place = bench.place(stage)
    first = bench.begin(place, stage, fault)
    if first.poll() != "stopped":
        kill_all(first.pid)
        raise AssertionError("it did not stop")
    second = bench.run(place, stage, Fault(wait=1.0))
    state, problems = bench.state(place, stage)
    held = f"(process {first.pid}) is at work there" in second.said or "another run is at work there" in second.said
    bench.resume(first.pid)
    ended = first.told(first.poll())
    found = bench.judged(place, stage, ended)
    if stage.words != CREATE and second.code == 0:  # the first then acts upon what the second has made
        found.problems = [one for one in found.problems if "user's own" in one]
        found.state = state
        return found
    if second.code != 0 and not held:
        problems.append(f"the second does not say who holds it: {second.code} {second.last_word!r}")
    if second.code == 0 and state != "new":
        problems.append(f"the second ended well, but it is {state}")
    if second.code not in (0, 3) or ended.code != 0:
        problems.append(f"ended with {ended.code}, the second with {second.code}: {ended.said[-600:]}")
    found.problems += problems
    bench.then(place, stage, found)
    return found
