"""Look names up in a Mach-O export trie by walking it.

The trie of ``libtensorflow_cc.2.dylib`` holds some 400,000 names; the walk touches only the nodes on the way to the
names asked for. Format: the ``LC_DYLD_INFO`` section of Apple's ``mach-o/loader.h``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compat.errors import BadBinary

EXPORT_SYMBOL_FLAGS_REEXPORT = 0x08
"""``mach-o/loader.h``: the symbol lives in another library, named by its ordinal."""
ULEB_LIMIT = 10
"""Bytes of an unsigned LEB128 number that fits 64 bits."""
FIRST_WINDOW = 1024
"""Bytes copied to parse a node; grown for the rare node that is longer."""
NODE_LIMIT = 16 << 20
"""Bytes of one node: at most 255 edges, each a piece of a name. The longest of libtensorflow_cc's has 24 KB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One exported name: defined here, or passed on from another library."""

    ordinal: int | None = None
    """Of the library a re-export comes from (1-based, in load order); None where the image defines the symbol."""
    imported: str = ""
    """The symbol's name in that library, where it differs."""


@dataclass(frozen=True, slots=True)
class _Node:
    terminal: bytes
    children: tuple[tuple[bytes, int], ...]
    size: int


class _Short(Exception):
    """The window ends inside the node."""


def exported(trie: memoryview, names: Iterable[str]) -> frozenset[str]:
    """Which of ``names`` the trie exports, re-exports included. Raises BadBinary where the trie makes no sense."""
    return frozenset(find_exports(trie, names))


def find_exports(trie: memoryview, names: Iterable[str]) -> dict[str, Export]:
    """Export entries of those ``names`` that have one.

    A sound trie is a tree whose nodes do not overlap, so one walk for all names reads no byte twice: reading more
    bytes than the trie has means a loop, and ends in BadBinary. An edge without a name is sound, if it comes last and
    leads to a leaf: Apple's newer linker writes one from ``_HMAC_Init`` to itself, beside the edge ``_ex``.
    """
    found: dict[str, Export] = {}
    wanted = {name.encode(): name for name in names}
    pending = [(0, 0, sorted(wanted), False)] if wanted and len(trie) else []
    unread = len(trie)
    while pending:
        offset, depth, group, stood_still = pending.pop()
        node = _node_at(trie, offset)
        unread -= node.size
        if unread < 0:
            raise BadBinary("the export trie loops")
        if node.terminal and group[0][depth:] == b"":  # sorted: the name that ends here comes first
            found[wanted[group[0]]] = _export(node.terminal)
        for edge, child in node.children:
            if not edge and stood_still:
                raise BadBinary("the export trie has two edges without a name in a row")
            followers = [name for name in group if name.startswith(edge, depth)]
            if followers:
                pending.append((child, depth + len(edge), followers, not edge))
                group = [name for name in group if not name.startswith(edge, depth)]  # a name takes one way, as in dyld
    return found


def _node_at(trie: memoryview, offset: int, window: int = FIRST_WINDOW) -> _Node:
    if offset >= len(trie):
        raise BadBinary("the export trie points outside itself")
    try:
        return _parse_node(bytes(trie[offset : offset + window]))
    except _Short:
        if offset + window >= len(trie):
            raise BadBinary("the export trie is cut short") from None
        if window >= NODE_LIMIT:
            raise BadBinary(f"a node of the export trie has more than {NODE_LIMIT:,} bytes") from None
    return _node_at(trie, offset, window * 4)


def _parse_node(data: bytes) -> _Node:
    terminal_size, start = _uleb(data, 0)
    position = start + terminal_size
    if position >= len(data):
        raise _Short
    children: list[tuple[bytes, int]] = []
    count, position = data[position], position + 1
    for _ in range(count):
        end = data.find(0, position)
        if end < 0:
            raise _Short
        child, after = _uleb(data, end + 1)
        children.append((data[position:end], child))
        position = after
    return _Node(data[start : start + terminal_size], tuple(children), position)


def _export(terminal: bytes) -> Export:
    try:
        flags, position = _uleb(terminal, 0)
        if not flags & EXPORT_SYMBOL_FLAGS_REEXPORT:
            return Export()
        ordinal, position = _uleb(terminal, position)
    except _Short:
        raise BadBinary("an entry of the export trie is cut short") from None
    imported = terminal[position:].split(b"\0", 1)[0]
    return Export(ordinal=ordinal, imported=imported.decode(errors="replace"))


def _uleb(data: bytes, position: int) -> tuple[int, int]:
    """Decode the unsigned LEB128 number at ``position``; also the position after it."""
    value = 0
    for index in range(ULEB_LIMIT):
        if position + index >= len(data):
            raise _Short
        byte = data[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:  # noqa: PLR2004 - the continuation bit
            return value, position + index + 1
    raise BadBinary("the export trie holds a number of more than 64 bits")
