"""YAML into nodes that know their places: nothing is constructed, no alias is expanded, nothing nests without end.

The nodes are PyYAML's own, built from its events by a loop: its composer recurses, in C without any limit.
An alias is the anchor's very node once more, so whoever walks nodes of a stranger's file visits each only once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import yaml
from yaml.resolver import Resolver

from compat.facts.pins import Span
from compat.probe.pins.source import Source

LIMIT_ALIASES = 1_000
LIMIT_DEPTH = 100
LIMIT_NODES = 400_000
"""Dependency files nest ten deep, and the largest locks are below half of this; what is above wants to be expensive."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SEQUENCE = "tag:yaml.org,2002:seq"
_MAPPING = "tag:yaml.org,2002:map"

Composed = tuple[yaml.Node | None, str | None, int, int]
"""The root node; or why there is none, with line and column (neither: the document is empty)."""


def compose(source: Source) -> Composed:
    """Return the first document's root node, or the problem that stands in the way with its line and column."""
    building = _Building()
    try:
        with _no_collection():
            _build(source.text, building)
    except (yaml.YAMLError, UnicodeError, ValueError, RecursionError) as error:
        return (None, *_problem(error))
    return (building.root, None, 1, 1) if building.problem is None else (None, building.problem, *building.where)


def entries(node: yaml.Node | None) -> Iterator[tuple[str, yaml.ScalarNode, yaml.Node]]:
    """Yield a mapping's keys as text, with both nodes; nothing for any other node."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                yield key.value, key, value


def items(node: yaml.Node | None) -> Iterator[yaml.Node]:
    """Yield a sequence's nodes, a collection that aliases repeat only once; nothing for any other node."""
    seen: set[int] = set()
    for item in node.value if isinstance(node, yaml.SequenceNode) else ():
        if isinstance(item, yaml.ScalarNode) or id(item) not in seen:
            seen.add(id(item))
            yield item


def get(node: yaml.Node | None, *path: str) -> yaml.Node | None:
    """Return the node under these keys, None where there is none; of a key written twice the last, as YAML's."""
    for wanted in path:
        node = {key: value for key, _, value in entries(node)}.get(wanted)
    return node


def text(node: yaml.Node | None) -> str | None:
    """Return a scalar's text as written (``3.10`` stays ``3.10``), None for any other node and for null."""
    if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:null":
        return None
    return str(node.value)


def texts(node: yaml.Node | None) -> tuple[tuple[str, yaml.Node], ...]:
    """Return the text of a scalar, or of each scalar in a list, with its node."""
    found = [node] if isinstance(node, yaml.ScalarNode) else list(items(node))
    return tuple((value, one) for one in found if (value := text(one)) is not None)


def start(node: yaml.Node) -> int:
    """Return the offset in the text at which a node begins (its quote, where it has one)."""
    return int(node.start_mark.index)


def place(node: yaml.Node, source: Source) -> tuple[int, int]:
    """Return line and column, from 1, at which a node's content begins."""
    return source.place(span(node, source).start)


def span(node: yaml.Node, source: Source) -> Span:
    """Return where a node's content stands, without the quotes; of a block scalar the lines below its header."""
    first, end = start(node), int(node.end_mark.index)
    style = node.style if isinstance(node, yaml.ScalarNode) else None
    if style in {"'", '"'}:
        return Span(start=first + 1, end=max(first + 1, end - 1))
    if style in {"|", ">"}:
        below = source.text.find("\n", first) + 1
        return Span(start=min(below or end, end), end=end)
    return Span(start=first, end=first + len(source.text[first:end].rstrip()))


def plain(node: yaml.Node, source: Source) -> bool:
    """Return whether a scalar stands in the text letter by letter: no escapes, no folding, no indentation taken."""
    where = span(node, source)
    return isinstance(node, yaml.ScalarNode) and source.text[where.start : where.end] == node.value


def lines(node: yaml.Node, source: Source) -> tuple[tuple[str, int], ...]:
    """Return a scalar's lines as they stand in the text, each without its indentation and with its offset.

    The indentation that a block scalar takes from all its lines is its first filled line's.
    """
    where, found, indent = span(node, source), [], None
    block = isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}
    at = where.start
    for line in source.text[where.start : where.end].splitlines(keepends=True):
        blanks = len(line) - len(line.lstrip(" "))
        if indent is None and line.strip():
            indent = blanks
        taken = min(blanks, indent or 0) if block else blanks
        found.append((line[taken:].rstrip("\r\n"), at + taken))
        at += len(line)
    return tuple(found)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the collector of reference cycles from walking the growing tree over and over: three times the speed."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _build(text: str, building: _Building) -> None:
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.DocumentEndEvent) or not building.take(event):
            break


@dataclass(slots=True)
class _Building:
    """The nodes of one document, built from its events."""

    root: yaml.Node | None = None
    problem: str | None = None
    where: tuple[int, int] = (1, 1)
    aliases: int = 0
    nodes: int = 0
    anchors: dict[str, yaml.Node] = field(default_factory=dict)
    open: list[tuple[yaml.Node, str | None]] = field(default_factory=list)
    """Collections not yet closed, with their anchors."""
    keys: list[yaml.Node | None] = field(default_factory=list)
    """Beside each of them the key that waits for its value."""
    resolver: Resolver = field(default_factory=Resolver)

    def take(self, event: yaml.Event) -> bool:
        """Take the next event; return whether to go on."""
        self.nodes += 1
        if self.nodes > LIMIT_NODES:
            self._refuse(f"more than {LIMIT_NODES:,} pieces", event)
            return False
        if isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            self._enter(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._leave(event)
        return self.problem is None

    def _scalar(self, event: yaml.ScalarEvent) -> yaml.ScalarNode:
        tag = event.tag
        if tag is None or tag == "!":
            tag = self.resolver.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
        return yaml.ScalarNode(tag, event.value, *_marks(event), style=event.style or None)

    def _alias(self, event: yaml.AliasEvent) -> None:
        self.aliases += 1
        if self.aliases > LIMIT_ALIASES:
            return self._refuse(f"more than {LIMIT_ALIASES:,} aliases", event)
        node = self.anchors.get(str(event.anchor))
        if node is None:
            return self._refuse(f"the alias *{event.anchor} has no anchor before it", event)
        return self._add(node, None)

    def _enter(self, event: yaml.CollectionStartEvent) -> None:
        if len(self.open) >= LIMIT_DEPTH:
            return self._refuse(f"nested more than {LIMIT_DEPTH} deep", event)
        if isinstance(event, yaml.SequenceStartEvent):
            node: yaml.Node = yaml.SequenceNode(event.tag or _SEQUENCE, [], *_marks(event))
        else:
            node = yaml.MappingNode(event.tag or _MAPPING, [], *_marks(event))
        self.open.append((node, event.anchor))
        return self.keys.append(None)

    def _leave(self, event: yaml.Event) -> None:
        node, anchor = self.open.pop()
        self.keys.pop()
        node.end_mark = _marks(event)[1]
        self._add(node, anchor)

    def _add(self, node: yaml.Node, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.open:
            self.root = node
            return
        parent = self.open[-1][0]
        if isinstance(parent, yaml.SequenceNode):
            parent.value.append(node)
        elif (key := self.keys[-1]) is None:
            self.keys[-1] = node
        else:
            parent.value.append((key, node))
            self.keys[-1] = None

    def _refuse(self, problem: str, event: yaml.Event) -> None:
        mark = _marks(event)[0]
        self.problem, self.where = problem, (mark.line + 1, mark.column + 1)


def _marks(event: yaml.Event) -> tuple[yaml.Mark, yaml.Mark]:
    return cast("yaml.Mark", event.start_mark), cast("yaml.Mark", event.end_mark)


def _problem(error: Exception) -> tuple[str, int, int]:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
    where = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return f"not YAML: {' '.join(str(said).split())}" if said != "not YAML" else said, *where
