"""uv.lock: which packages, at which versions, and on which condition the project comes to need them.

A lock lists packages and edges. What is reached from the project's own dependencies is always installed, what only an
extra or a group reaches belongs to that; the markers on the edges say where.

Source: uv's ``crates/uv-resolver/src/lock``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from packaging.utils import canonicalize_name

from compat.probe.pins.locks import markers
from compat.probe.pins.locks.markers import ALWAYS, NEVER, Reach
from compat.probe.pins.toml.groups import joined

Node = tuple[int, str]
"""A package's index, and one of its extras or nothing."""
Edge = tuple[Node, Reach]

LIMIT_ROOTS = 100
"""Extras and groups of a project that are walked one by one; a file with more is told without them."""
_LIMIT_STEPS = 200_000


@dataclass(frozen=True, slots=True)
class Needed:
    """On which condition a package is installed."""

    groups: frozenset[str]
    """Empty: always."""
    marker: str

    @property
    def group(self) -> str:
        """The name of the groups together."""
        return joined(self.groups)


@dataclass(slots=True)
class _Graph:
    """The packages of a lock and the edges between them."""

    packages: list[dict[str, Any]]
    by_name: dict[str, list[int]] = field(default_factory=dict)
    edges: dict[Node, list[Edge]] = field(default_factory=dict)


def needs(data: dict[str, Any], packages: list[dict[str, Any]]) -> list[Needed | None]:
    """Return for each package on which condition it is needed, None for the project itself."""
    graph = _graph(packages)
    own = _own(data, packages)
    roots = dict(_roots(data, graph, own))
    grouped = 0 < len(roots) <= LIMIT_ROOTS
    reached = {group: _walk(graph, start) for group, start in roots.items()} if grouped else {}
    everywhere = markers.any_of(row for row in _list(data.get("supported-markers")))
    return [
        None if number in own else _needed(number, row, graph, reached, everywhere)
        for number, row in enumerate(packages)
    ]


def _needed(
    number: int, package: dict[str, Any], graph: _Graph, reached: dict[str, dict[Node, Reach]], everywhere: Reach
) -> Needed:
    by_group = {group: found[number, ""] for group, found in reached.items() if (number, "") in found}
    if "" in by_group:
        groups, reach = frozenset[str](), by_group[""]
    else:
        groups, reach = frozenset(by_group), NEVER
        for row in by_group.values():
            reach = markers.either(reach, row)
        reach = reach or ALWAYS
    reach = markers.both(reach, everywhere)
    if len(graph.by_name.get(str(package.get("name")), ())) > 1:  # a fork: this version's part of the world
        fork = markers.any_of(_list(package.get("resolution-markers")))
        narrowed = markers.both(reach, fork)
        reach = next((one for one in (narrowed, reach, fork) if markers.text(one)), narrowed)
    return Needed(groups, markers.text(reach))


def _graph(packages: list[dict[str, Any]]) -> _Graph:
    graph = _Graph(packages)
    for number, package in enumerate(packages):
        graph.by_name.setdefault(str(package.get("name")), []).append(number)
    for number, package in enumerate(packages):
        graph.edges[number, ""] = list(_edges(graph, package.get("dependencies")))
        for extra, rows in _table(package.get("optional-dependencies")).items():
            graph.edges[number, extra] = [*_edges(graph, rows), ((number, ""), ALWAYS)]
    return graph


def _edges(graph: _Graph, rows: object) -> Iterator[Edge]:
    for row in _list(rows):
        if isinstance(row, dict) and isinstance(row.get("name"), str):
            marker = row.get("marker")
            reach = markers.parsed(marker) if isinstance(marker, str) else ALWAYS
            extras = row.get("extra", row.get("extras"))
            for number in _targets(graph, row):
                yield (number, ""), reach
                for extra in _list(extras):
                    yield (number, str(extra)), reach


def _targets(graph: _Graph, row: dict[str, Any]) -> list[int]:
    """The packages an edge means: a name with several versions is followed by the one it means."""
    found = graph.by_name.get(row["name"], [])
    if len(found) < 2 or not isinstance(row.get("version"), str):  # noqa: PLR2004
        return found[:20]
    return [number for number in found if graph.packages[number].get("version") == row["version"]] or found[:20]


def _own(data: dict[str, Any], packages: list[dict[str, Any]]) -> frozenset[int]:
    """The project and the other members of its workspace."""
    members = {row for row in _list(_table(data.get("manifest")).get("members")) if isinstance(row, str)}
    found = set()
    for number, package in enumerate(packages):
        source = _table(package.get("source"))
        if package.get("name") in members or "." in {
            source.get("editable"),
            source.get("virtual"),
            source.get("directory"),
        }:
            found.add(number)
    return frozenset(found)


def _roots(data: dict[str, Any], graph: _Graph, own: frozenset[int]) -> Iterator[tuple[str, list[Edge]]]:
    found: dict[str, list[Edge]] = {}
    for number in sorted(own):
        package = graph.packages[number]
        found.setdefault("", []).extend(graph.edges[number, ""])
        for extra, rows in _table(package.get("optional-dependencies")).items():
            found.setdefault(f"extra {canonicalize_name(extra)}", []).extend(_edges(graph, rows))
        for group, rows in _table(package.get("dev-dependencies")).items():
            found.setdefault(f"group {canonicalize_name(group)}", []).extend(_edges(graph, rows))
    manifest = _table(data.get("manifest"))
    if manifest.get("requirements"):  # the lock of a script
        found.setdefault("", []).extend(_edges(graph, manifest["requirements"]))
    for group, rows in _table(manifest.get("dependency-groups")).items():
        found.setdefault(f"group {canonicalize_name(group)}", []).extend(_edges(graph, rows))
    yield from found.items()


def _walk(graph: _Graph, start: Iterable[Edge]) -> dict[Node, Reach]:
    """On which condition each package is reached; the conditions of a node only widen, so the walk ends."""
    reached: dict[Node, Reach] = {}
    waiting: list[Edge] = list(start)
    steps = 0
    while waiting:
        node, reach = waiting.pop()
        steps += 1
        if steps > _LIMIT_STEPS:
            return dict.fromkeys(reached, ALWAYS)
        before = reached.get(node, NEVER)
        after = markers.either(before, reach)
        if after != before:
            reached[node] = after
            waiting.extend((target, markers.both(after, marker)) for target, marker in graph.edges.get(node, ()))
    return reached


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
