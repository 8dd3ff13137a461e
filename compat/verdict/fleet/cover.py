"""Which remedy first: a greedy cover of machines by the remedies that their own reports offer.

Nothing is claimed that a report does not say: a remedy covers a machine only where a root cause of that machine names
it. Updates are counted per machine and remedy, so the whole takes the time of sorting them, not remedies × machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from compat.verdict.finding import Remedy
from compat.verdict.fleet.machine import Fault

_PLACE = re.compile(r"""(?<!\S)(--python|--venv)([ =])((?:'[^']*'|"[^"]*"|[^\s'"])+)""")
"""Options whose value is a place on one machine; quoted as a shell reads it."""
_SHOWN = {"--python": "PYTHON", "--venv": "DIR"}
_VERSION = re.compile(r"[\d.]+")

Key = tuple[tuple[str, ...], str]
"""A remedy apart from the machine: its commands with places taken out; its words where there is no command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One remedy, in the order in which they help most."""

    commands: tuple[str, ...]
    text: str
    """What to do by hand, where there is no command."""
    causes: tuple[str, ...]
    """Ids of the findings it is offered for."""
    machines: tuple[str, ...]
    """Every unhealthy machine with a root cause that names it."""
    last: tuple[str, ...]
    """Of these, the machines that have no other root cause left after the steps before."""


@dataclass(slots=True)
class _Tally:
    """Where one remedy stands while the cover is being made."""

    machines: list[str] = field(default_factory=list)
    causes: set[str] = field(default_factory=set)
    last: int = 0
    done: bool = False


def key(remedy: Remedy) -> Key | None:
    """Return what two machines' remedies have in common; None where a finding offers none."""
    commands = tuple(_without_places(command) for command in remedy.commands)
    if commands:
        return commands, ""
    return ((), remedy.text) if remedy.text else None


def _without_places(command: str) -> str:
    """Put placeholders for interpreters and folders; ``--python 3.12`` says the same everywhere and stays."""
    return _PLACE.sub(lambda found: found[0] if _VERSION.fullmatch(found[3]) else _placeholder(found), command)


def _placeholder(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{_SHOWN[found[1]]}"


def cover(sick: Iterable[tuple[str, Sequence[Fault]]]) -> tuple[Step, ...]:
    """Return remedies, the one that is the last thing lacking on most machines first.

    ``sick`` are names and pressing faults. Then by how many machines have it to do, then by its words: the order in
    which machines come changes nothing.
    """
    needs: dict[str, set[Key | None]] = {}
    tallies: dict[Key, _Tally] = {}
    for name, faults in sick:
        needs[name] = {key(fault.remedy) for fault in faults}
        for fault in faults:
            _enter(tallies, fault, name)
    for wanted in needs.values():
        _count_last(tallies, wanted)
    return tuple(_steps(needs, tallies))


def _enter(tallies: dict[Key, _Tally], fault: Fault, name: str) -> None:
    remedy = key(fault.remedy)
    if remedy is None:
        return
    tally = tallies.setdefault(remedy, _Tally())
    tally.causes.add(fault.id)
    if not tally.machines or tally.machines[-1] != name:
        tally.machines.append(name)


def _count_last(tallies: dict[Key, _Tally], wanted: set[Key | None]) -> Key | None:
    """Note the remedy that alone is lacking on a machine, and return it."""
    only = next(iter(wanted)) if len(wanted) == 1 else None
    if only is not None:
        tallies[only].last += 1
    return only


def _steps(needs: dict[str, set[Key | None]], tallies: dict[Key, _Tally]) -> Iterable[Step]:
    """Take the best remedy from a heap; counts only grow, so its newest entry comes first and older ones are passed."""
    heap: list[tuple[int, int, Key]] = []
    for remedy in tallies:
        _push(heap, tallies, remedy)
    while heap:
        _, _, remedy = heappop(heap)
        tally = tallies[remedy]
        if tally.done:
            continue
        tally.done = True
        finished = []
        for name in tally.machines:
            needs[name].discard(remedy)
            if not needs[name]:
                finished.append(name)
            elif (only := _count_last(tallies, needs[name])) is not None:
                _push(heap, tallies, only)
        commands, text = remedy
        yield Step(
            commands=commands,
            text=text,
            causes=tuple(sorted(tally.causes)),
            machines=tuple(sorted(tally.machines)),
            last=tuple(sorted(finished)),
        )


def _push(heap: list[tuple[int, int, Key]], tallies: dict[Key, _Tally], remedy: Key) -> None:
    tally = tallies[remedy]
    heappush(heap, (-tally.last, -len(tally.machines), remedy))
