"""The jobs a workflow's matrix makes, and the machines that run them.

Sources: GitHub's "Running variations of jobs in a workflow" (how ``include`` and ``exclude`` work) and
"GitHub-hosted runners reference" (which labels are Intel Macs).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from compat.probe.pins import yaml_places as places
from compat.probe.pins.commands.installed import filled

LIMIT_JOBS = 256
"""GitHub makes no more of one matrix."""

LINUX = "sys_platform == 'linux' and platform_machine == 'x86_64'"
LINUX_ARM = "sys_platform == 'linux' and platform_machine == 'aarch64'"
MAC = "sys_platform == 'darwin' and platform_machine == 'arm64'"
MAC_INTEL = "sys_platform == 'darwin' and platform_machine == 'x86_64'"
WINDOWS = "sys_platform == 'win32' and platform_machine == 'AMD64'"
WINDOWS_ARM = "sys_platform == 'win32' and platform_machine == 'ARM64'"
_SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}

_LABELS = (
    (r"ubuntu-.*-arm.*", LINUX_ARM),
    (r"ubuntu-.*", LINUX),
    (r"macos-13-xlarge", MAC),
    (r"macos-1[0-3](\.\d+)?(-large)?|macos-.*-(large|intel)", MAC_INTEL),
    (r"macos-.*", MAC),
    (r"windows-.*-arm.*", WINDOWS_ARM),
    (r"windows-.*", WINDOWS),
)
_OWN = (
    ({"macos", "arm64"}, MAC),
    ({"macos", "x64"}, MAC_INTEL),
    ({"linux", "arm64"}, LINUX_ARM),
    ({"linux", "x64"}, LINUX),
)
"""Labels that GitHub gives to runners of one's own."""
_COMPARED = re.compile(r"([\w.-]+)\s*(==|!=)\s*'([^']*)'")
_CALLED = re.compile(r"(!?)\s*(startsWith|endsWith|contains)\(\s*([\w.-]+)\s*,\s*'([^']*)'\s*\)", re.IGNORECASE)
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a matrix, as it is written."""

    text: str
    node: yaml.Node


Combination = Mapping[str, Value]
"""The values of one job by their name: ``matrix.python-version``."""


def combinations(matrix: yaml.Node | None) -> list[Combination]:
    """Return what a matrix makes; without one there is one job."""
    axes = {key: [*_values(f"matrix.{key}", node)] for key, _, node in places.entries(matrix) if key not in _SPECIAL}
    axes = {key: rows for key, rows in axes.items() if rows}
    product = itertools.islice(itertools.product(*axes.values()), LIMIT_JOBS)
    made = [{name: value for part in parts for name, value in part.items()} for parts in product]
    excluded = [row for node in places.items(places.get(matrix, "exclude")) for row in _row(node)]
    kept = [one for one in made if not any(_agree(one, row) for row in excluded)] if axes else []
    names = {name for one in made for name in one}
    for row in (row for node in places.items(places.get(matrix, "include")) for row in _row(node)):
        if len(kept) < LIMIT_JOBS:
            _include(kept, row, names)
    return [*kept] or [{}]


_SPECIAL = frozenset({"include", "exclude"})


def labels(node: yaml.Node | None, one: Combination) -> tuple[str, ...]:
    """Return the labels a job asks for, lower case."""
    listed = places.get(node, "labels") if isinstance(node, yaml.MappingNode) else node
    known = {name: value.text for name, value in one.items()}
    return tuple(filled(text, known).lower() for text, _ in places.texts(listed))


def marker(asked: tuple[str, ...]) -> str:
    """Return where a job with these labels runs; empty where that cannot be told."""
    if "self-hosted" in asked:
        return next((found for wanted, found in _OWN if wanted <= set(asked)), "")
    hits = (found for label in asked for pattern, found in _LABELS if re.fullmatch(pattern, label))
    return next(hits, "")


def either(markers: Iterable[str]) -> str:
    """Return the marker that holds where one of these does; one that is not known leaves all open."""
    found = tuple(dict.fromkeys(markers))
    if "" in found:
        return ""
    return found[0] if len(found) == 1 else " or ".join(f"({part})" for part in found)


def runs(step: str | None, one: Combination, where: str) -> bool:
    """Return whether a step's ``if`` lets it run in a job; what is not understood does."""
    if step is None or len(step) > _LONGEST or "||" in step:
        return True
    text = step.strip().removeprefix("${{").removesuffix("}}")
    return all(_holds(part.strip(), one, where) for part in text.split("&&"))


def _holds(text: str, one: Combination, where: str) -> bool:
    compared, called = _COMPARED.fullmatch(text), _CALLED.fullmatch(text)
    if compared:
        value = _value(compared[1], one, where)
        return value is None or (value.lower() == compared[3].lower()) is (compared[2] == "==")
    if called:
        value = _value(called[3], one, where)
        return value is None or _called(called[2].lower(), value.lower(), called[4].lower()) is not bool(called[1])
    return True


def _called(name: str, value: str, part: str) -> bool:
    if name == "startswith":
        return value.startswith(part)
    return value.endswith(part) if name == "endswith" else part in value


def _value(name: str, one: Combination, where: str) -> str | None:
    if name in one:
        return one[name].text
    found = re.match(r"sys_platform == '(\w+)' and platform_machine == '(\w+)'", where)
    if found is None:
        return None
    if name == "runner.os":
        return _SYSTEMS.get(found[1])
    return ("ARM64" if found[2] in {"arm64", "aarch64", "ARM64"} else "X64") if name == "runner.arch" else None


def _values(name: str, node: yaml.Node) -> Iterator[dict[str, Value]]:
    """An axis: scalars, or small tables whose keys are named ``matrix.axis.key``."""
    for item in places.items(node):
        text = places.text(item)
        if text is not None:
            yield {name: Value(text, item)}
        else:
            yield {f"{name}.{key}": Value(value, inner) for key, value, inner in _scalars(item)}


def _row(node: yaml.Node) -> Iterator[dict[str, Value]]:
    row = {f"matrix.{key}": Value(value, inner) for key, value, inner in _scalars(node)}
    if row:
        yield row


def _scalars(node: yaml.Node) -> Iterator[tuple[str, str, yaml.Node]]:
    for key, _, inner in places.entries(node):
        value = places.text(inner)
        if value is not None:
            yield key, value, inner


def _agree(one: Mapping[str, Value], row: Mapping[str, Value]) -> bool:
    return all(name in one and one[name].text == value.text for name, value in row.items())


def _include(kept: list[dict[str, Value]], row: dict[str, Value], names: set[str]) -> None:
    """A row joins each job whose own values it does not change; where there is none it is a job more."""
    fixed = {name: value for name, value in row.items() if name in names}
    joined = [one for one in kept if names.intersection(one) and _agree(one, fixed)]
    for one in joined:
        one.update(row)
    if not joined:
        kept.append(dict(row))
