"""GitHub workflows: which Pythons and machines the jobs run on, and what their steps install.

Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import yaml

from compat.facts.pins import Included, Pin, PinFile, StatedPython, Unread
from compat.probe.pins import yaml_places as places
from compat.probe.pins.commands.found import Around, Found, Scopes, collected
from compat.probe.pins.commands.installed import filled, names_held
from compat.probe.pins.commands.shell import scripted
from compat.probe.pins.commands.shell_words import Budget, Script
from compat.probe.pins.commands.workflow_matrix import Combination, Value, combinations, either, labels, marker, runs
from compat.probe.pins.source import Source

LIMIT_JOBS = 200
LIMIT_STEPS = 200
LIMIT_WAYS = 4_000
LIMIT_TEXT = 2_000_000
"""Jobs, steps of a job, combinations of all jobs, and characters of all scripts: aliases make much out of little."""

_PYTHON_AXES = ("matrix.python-version", "matrix.python", "matrix.python_version", "matrix.py", "matrix.pyver")
_VERSION = re.compile(r"(\d+\.\d+(?:\.\d+)?)(?:\.x|-dev|t|(?:-?(?:alpha|beta|rc).*))?")
_SHELLS = frozenset({"python", "cmd"})


@dataclass(slots=True)
class _Budget:
    """What is left of the limits of a file."""

    ways: int = LIMIT_WAYS
    text: int = LIMIT_TEXT
    steps: Budget = field(default_factory=Budget)


@dataclass(slots=True)
class _Job:
    """One job: what its combinations run, and what each was found to install."""

    name: str
    source: Source
    ways: list[tuple[Combination, str]]
    """Each combination with the marker of the machine it runs on."""
    env: dict[str, str]
    budget: _Budget
    found: list[Found] = field(default_factory=list)
    pythons: list[dict[tuple[str, int, int], str]] = field(default_factory=list)
    """For each combination the Pythons it sets up, by version and place, with what names them."""
    chosen: dict[str, dict[str, str]] = field(default_factory=dict)
    """Groups that hold only for some values of the matrix, with these values."""
    scopes: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def group(self) -> str:
        return f"job {self.name}"


def read(source: Source) -> PinFile:
    """Return what a workflow's jobs run on and install."""
    root, problem, line, column = places.compose(source)
    if problem is not None:
        path = str(source.path)
        return PinFile(path=path, kind="workflow", problem=problem, problem_line=line, problem_column=column)
    found: list[Found] = []
    scopes: list[tuple[str, ...]] = []
    budget, env = _Budget(), _texts(places.get(root, "env"))
    for name, _, node in islice(places.entries(places.get(root, "jobs")), LIMIT_JOBS):
        job = _job(name, node, env, source, budget)
        found.extend(job.found)
        scopes.extend(_scopes(job))
    return collected(source, "workflow", found, tuple(dict.fromkeys(scopes)))


def _job(name: str, node: yaml.Node, env: dict[str, str], source: Source, budget: _Budget) -> _Job:
    made = combinations(places.get(node, "strategy", "matrix"))[: max(1, budget.ways)]
    budget.ways -= len(made)
    where = places.get(node, "runs-on")
    ways = [(one, marker(labels(where, one))) for one in made]
    job = _Job(name, source, ways, env | _texts(places.get(node, "env")), budget, pythons=[{} for _ in ways])
    for step in islice(places.items(places.get(node, "steps")), LIMIT_STEPS):
        _step(job, step)
    if not any(job.pythons):
        for number, (one, _) in enumerate(job.ways):
            for axis in _PYTHON_AXES:
                if axis in one:
                    _state(job, number, one[axis], "the workflow's matrix")
    job.found.extend(dict.fromkeys(_pythons(job)))
    return job


def _texts(node: yaml.Node | None) -> dict[str, str]:
    rows = ((key, places.text(value)) for key, _, value in places.entries(node))
    return {name: text for key, text in rows if text is not None for name in (key, f"env.{key}")}


def _step(job: _Job, step: yaml.Node) -> None:
    asked = places.text(places.get(step, "if"))
    ways = [number for number, (one, where) in enumerate(job.ways) if runs(asked, one, where)]
    version = places.get(step, "with", "python-version")
    if version is not None and places.text(places.get(step, "uses")):
        _setup(job, version, ways)
    script = places.get(step, "run")
    if isinstance(script, yaml.ScalarNode) and ways and places.text(places.get(step, "shell")) not in _SHELLS:
        _run(job, script, ways, job.env | _texts(places.get(step, "env")))


def _setup(job: _Job, node: yaml.Node, ways: list[int]) -> None:
    """``setup-python``: a version, a list, lines of versions, or the matrix's value."""
    for text, inner in places.texts(node):
        for part in text.split("\n"):
            held = next(names_held(part), "")
            for number in ways:
                one = job.ways[number][0]
                if held in one:
                    _state(job, number, one[held], "the workflow's matrix")
                else:
                    _state(job, number, Value(filled(part, job.env), inner), "the workflow's setup-python")


def _state(job: _Job, number: int, value: Value, what: str) -> None:
    found = _VERSION.fullmatch(value.text.strip())
    if found is None:
        return
    line, column = places.place(value.node, job.source)
    job.pythons[number][(found[1], line, column)] = what
    if value.node.tag == "tag:yaml.org,2002:float" and found[1].endswith("0"):
        why = f"YAML reads {found[1]} as {float(found[1])}: quote it"
        job.found.append(Unread(line=line, column=column, text=found[1], why=why))


def _pythons(job: _Job) -> Iterator[StatedPython]:
    """Each Python the job names; where the matrix ties it to the pins' versions, told for their groups apart."""
    every = {key: what for row in job.pythons for key, what in row.items()}
    tied = {group: _keys(job, values) for group, values in job.chosen.items()}
    apart = any(keys != set(every) for keys in tied.values())
    for group, keys in tied.items() if apart else ((job.group, set(every)),):
        for key, what in every.items():
            if key in keys:
                yield StatedPython(version=key[0], line=key[1], column=key[2], what=what, group=group)


def _keys(job: _Job, values: dict[str, str]) -> set[tuple[str, int, int]]:
    ways = (number for number, (one, _) in enumerate(job.ways) if _has(one, values))
    return {key for number in ways for key in job.pythons[number]}


def _has(one: Combination, values: dict[str, str]) -> bool:
    return all(name in one and one[name].text == value for name, value in values.items())


def _run(job: _Job, node: yaml.ScalarNode, ways: list[int], env: dict[str, str]) -> None:
    """Read a script once for all jobs, and what waits for the matrix once for each of its values."""
    script, editable = _script(node, job.source)
    where = either(job.ways[number][1] for number in ways)
    around = Around(group=job.group, marker=where, values=env, editable=editable)
    found, scopes = _scripted(job, script, around)
    job.scopes.extend(scopes)
    names = {name for number in ways for name in job.ways[number][0]}
    waiting = {_place(row): held for row in found if (held := names.intersection(_held(row)))}
    job.found.extend(row for row in found if _place(row) not in waiting)
    if not waiting:
        return
    asked = sorted({name for held in waiting.values() for name in held})
    choices = _choices(job, ways, asked)
    for values, markers in choices.items():
        known = dict(zip(asked, values, strict=True))
        label = ", ".join(f"{name.removeprefix('matrix.')}={value}" for name, value in known.items())
        group = f"{job.group} ({label})" if len(choices) > 1 else job.group
        here = replace(around, group=group, marker=either(markers), values=env | known)
        if len(choices) > 1:
            job.chosen[group] = known
        job.found.extend(row for row in _scripted(job, script, here)[0] if _place(row) in waiting)


def _scripted(job: _Job, script: Script, around: Around) -> tuple[list[Found], Scopes]:
    job.budget.text -= len(script.text)
    return scripted(script, around, job.budget.steps) if job.budget.text >= 0 else ([], ())


def _choices(job: _Job, ways: list[int], names: list[str]) -> dict[tuple[str, ...], list[str]]:
    """The values these names have together, each with the markers of the jobs that have them."""
    found: dict[tuple[str, ...], list[str]] = {}
    for one, where in (job.ways[number] for number in ways):
        values = tuple(one[name].text if name in one else "" for name in names)
        found.setdefault(values, []).append(where)
    return found


def _held(row: Found) -> Iterable[str]:
    if isinstance(row, Pin):
        return names_held(row.specifier) if row.admits == () else ()
    return names_held(row.text) if isinstance(row, Unread) else ()


def _place(row: Found) -> tuple[int, int]:
    return (row.line, row.column) if isinstance(row, (Pin, Unread, Included)) else (0, 0)


def _script(node: yaml.ScalarNode, source: Source) -> tuple[Script, bool]:
    """A step's script as it stands in the file, and whether it can be edited there."""
    where = places.span(node, source)
    text = source.text[where.start : where.end]
    if node.style in {"'", '"'} and not places.plain(node, source):
        return Script(node.value, source, where.start), False
    if node.style != "|":  # folded: lines run together, and only an empty one ends a command
        text = re.sub(r"\n(?=[ \t]*\S)", " ", text)
    return Script(text, source, where.start), node.style not in {"'", '"'}


def _scopes(job: _Job) -> Scopes:
    """What each combination installs together."""
    together = [
        (job.group, *(group for group, values in job.chosen.items() if _has(one, values))) for one, _ in job.ways
    ]
    return (*dict.fromkeys(together), *(scope for scope in job.scopes if len(scope) > 1))
