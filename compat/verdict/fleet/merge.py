"""Many machines as one table: who shares which root cause, what helps most, and what there is of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from compat.verdict.finding import Severity
from compat.verdict.fleet.cover import Key, Step, cover, key
from compat.verdict.fleet.machine import Fault, Health, Seen, Unseen, health, pressing

Machine = Seen | Unseen
_RANK = (Severity.ERROR, Severity.WARNING, Severity.INFO)
_SHOWN = 3
"""Files that are named where several reports contradict each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One root cause with one remedy, and the machines that share it."""

    id: str
    issue: str | None
    severity: Severity
    message: str
    """In the words that most of these machines' reports use."""
    wordings: int
    """How many different messages there are."""
    commands: tuple[str, ...]
    """The remedy, with placeholders for what is a place on one machine."""
    text: str
    machines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many machines have something."""

    name: str
    machines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """All of it, ready to be told."""

    machines: tuple[Machine, ...]
    """By name; every name once."""
    strict: bool
    causes: tuple[Cause, ...]
    steps: tuple[Step, ...]
    left: tuple[str, ...]
    """Unhealthy machines with a root cause for which no report offers a remedy."""
    counts: tuple[tuple[str, tuple[Count, ...]], ...]
    """What is counted, and its values, the commonest first."""

    def of(self, wanted: Health) -> tuple[Machine, ...]:
        """Return the machines that came out so."""
        return tuple(machine for machine in self.machines if health(machine, strict=self.strict) is wanted)

    @property
    def ok(self) -> bool:
        """Whether every machine was seen and none is unhealthy."""
        return all(
            health(machine, strict=self.strict) in (Health.HEALTHY, Health.WARNINGS) for machine in self.machines
        )


def merge(reports: Iterable[Machine], *, strict: bool = False) -> Fleet:
    """Return the table of many reports; their order changes nothing."""
    machines = tuple(sorted(_each_once(reports), key=lambda machine: machine.name))
    seen = [machine for machine in machines if isinstance(machine, Seen)]
    sick = [(machine.name, pressing(machine, strict=strict)) for machine in seen]
    unhealthy = [machine for machine in seen if health(machine, strict=strict) is Health.ERRORS]
    return Fleet(
        machines=machines,
        strict=strict,
        causes=_causes(seen),
        steps=cover(sick),
        left=tuple(machine.name for machine in unhealthy if _no_remedy(pressing(machine, strict=strict))),
        counts=tuple(_counts(seen)),
    )


def _each_once(reports: Iterable[Machine]) -> Iterator[Machine]:
    """Reports of one name that say the same are one machine; where they differ, nobody knows which is true."""
    named: dict[str, dict[Machine, list[str]]] = {}
    for report in reports:
        saying = named.setdefault(report.name, {})
        saying.setdefault(replace(report, place=""), []).append(report.place)
    for name, saying in named.items():
        if len(saying) == 1:
            [(report, places)] = saying.items()
            yield replace(report, place=min(places))
        else:
            yield _ambiguous(name, sorted(place for places in saying.values() for place in places))


def _ambiguous(name: str, places: Sequence[str]) -> Unseen:
    more = len(places) - _SHOWN
    shown = ", ".join(places[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
    return Unseen(name=name, place=places[0], why=f"{len(places)} reports of that name say different things: {shown}")


def _no_remedy(faults: Sequence[Fault]) -> bool:
    return not faults or any(key(fault.remedy) is None for fault in faults)


@dataclass(slots=True)
class _Group:
    """One root cause while it is being gathered."""

    severity: Severity = Severity.INFO
    messages: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    machines: dict[str, None] = field(default_factory=dict)


def _causes(seen: Iterable[Seen]) -> tuple[Cause, ...]:
    groups: dict[tuple[str, str, Key | None], _Group] = {}
    for machine in seen:
        for fault in machine.faults:
            group = groups.setdefault((fault.id, fault.issue or "", key(fault.remedy)), _Group())
            group.severity = min(group.severity, fault.severity, key=_RANK.index)
            group.messages[fault.message] += 1
            group.texts[fault.remedy.text] += 1
            group.machines[machine.name] = None
    causes = [_cause(*name, group) for name, group in groups.items()]
    return tuple(sorted(causes, key=_weight))


def _cause(id: str, issue: str, remedy: Key | None, group: _Group) -> Cause:  # noqa: A002 - a finding has an id
    return Cause(
        id=id,
        issue=issue or None,
        severity=group.severity,
        message=_commonest(group.messages),
        wordings=len(group.messages),
        commands=remedy[0] if remedy else (),
        text=_commonest(group.texts),
        machines=tuple(group.machines),
    )


def _weight(cause: Cause) -> tuple[int, int, str, str, tuple[str, ...], str]:
    """Sort key: errors first, then what most machines share."""
    rank, shared = _RANK.index(cause.severity), -len(cause.machines)
    return (rank, shared, cause.id, cause.issue or "", cause.commands, cause.text)


def _commonest(texts: Counter[str]) -> str:
    return min(texts, key=lambda text: (-texts[text], text))


def _counts(seen: Sequence[Seen]) -> Iterator[tuple[str, tuple[Count, ...]]]:
    traits = [machine.traits for machine in seen]
    minors = {one: ".".join(one.python.split(".")[:2]) for one in set(traits)}
    yield "chip", _counted(one.chip for one in traits)
    yield "system", _counted(one.system for one in traits)
    yield "python", _counted(minors[one] for one in traits)
    yield "tensorflow", _counted(one.tensorflow for one in traits)
    yield "plugin", _counted(one.plugin for one in traits)
    yield "together", _counted(f"Python {minors[one]}, {one.tensorflow}, {one.plugin}" for one in traits)
    yield "judged by", _counted(one.judged_by for one in traits)


def _counted(values: Iterable[str]) -> tuple[Count, ...]:
    counter = Counter(values)
    return tuple(Count(name=name, machines=counter[name]) for name in sorted(counter, key=lambda n: (-counter[n], n)))
