"""Writes small Mach-O files to order, by Apple's ``mach-o/loader.h`` and not by our reader."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

CPUS = {"arm64": (0x0100000C, 0), "arm64e": (0x0100000C, 2), "x86_64": (0x01000007, 3), "i386": (7, 3)}
LOADS = {"load": 0x0C, "weak": 0x80000018, "reexport": 0x8000001F, "upward": 0x80000023, "lazy": 0x20}
FLAT, EXECUTABLE, SELF = 0xFE, 0xFF, 0x00


@dataclass
class Binary:
    """One image; ``exports`` maps a name to None (defined here) or to (ordinal, imported name)."""

    architecture: str = "arm64"
    install_name: str | None = "@rpath/libx.dylib"
    libraries: list[tuple[str, str]] = field(default_factory=list)
    new_style_libraries: list[tuple[str, int]] = field(default_factory=list)
    rpaths: list[str] = field(default_factory=list)
    minimum: tuple[int, int, int] | None = (12, 1, 0)
    sdk: tuple[int, int, int] = (15, 2, 0)
    platform: int = 1
    old_version_command: bool = False
    undefined: list[tuple[str, int, int]] = field(default_factory=list)
    """Name, library ordinal, further bits of n_desc."""
    other_symbols: list[tuple[str, int, int]] = field(default_factory=list)
    """Name, n_type, n_desc."""
    exports: dict[str, tuple[int, str] | None] = field(default_factory=dict)
    raw_trie: bytes | None = None
    exports_trie_command: bool = True
    two_level: bool = True
    extra_command: bytes = b""

    def build(self) -> bytes:
        trie = self.raw_trie if self.raw_trie is not None else trie_of(self.exports)
        strings, symbols = self._symbols()
        size = len(self._commands(0, trie, symbols, strings)) + 32
        commands = self._commands(size, trie, symbols, strings)
        count = _count(commands)
        cpu, sub = CPUS[self.architecture]
        flags = 0x80 if self.two_level else 0
        header = struct.pack("<IIIIIIII", 0xFEEDFACF, cpu, sub, 6, count, len(commands), flags, 0)
        return header + commands + trie + symbols + strings

    def _symbols(self) -> tuple[bytes, bytes]:
        """Strings and symbols; symbols of one name share its string."""
        strings, symbols, places = b"\0", b"", {}
        entries = [(name, 0x01, ordinal << 8 | bits) for name, ordinal, bits in self.undefined]
        for name, kind, desc in [*entries, *self.other_symbols]:
            if name not in places:
                places[name] = len(strings)
                strings += name.encode() + b"\0"
            symbols += struct.pack("<IBBHQ", places[name], kind, 0, desc, 0)
        return strings, symbols

    def _commands(self, start: int, trie: bytes, symbols: bytes, strings: bytes) -> bytes:
        out = b""
        if self.install_name is not None:
            out += _dylib(0x0D, self.install_name)
        out += b"".join(_dylib(LOADS[kind], name) for name, kind in self.libraries)
        out += b"".join(_dylib_use(name, flags) for name, flags in self.new_style_libraries)
        out += b"".join(_string_command(0x8000001C, 12, b"", path) for path in self.rpaths)
        if self.minimum is not None and self.old_version_command:
            out += struct.pack("<IIII", 0x24, 16, _packed(self.minimum), _packed(self.sdk))
        elif self.minimum is not None:
            out += struct.pack("<IIIIII", 0x32, 24, self.platform, _packed(self.minimum), _packed(self.sdk), 0)
        if self.exports_trie_command:
            out += struct.pack("<IIII", 0x80000033, 16, start, len(trie))
        else:
            out += struct.pack("<II8xII8x8xII", 0x80000022, 48, 0, 0, start, len(trie))
        at = start + len(trie)
        out += struct.pack("<IIIIII", 0x02, 24, at, len(symbols) // 16, at + len(symbols), len(strings))
        return out + self.extra_command


def fat(parts: dict[str, bytes], *, wide: bool = False) -> bytes:
    """A universal file; ``wide`` with 64-bit offsets (its count stays a 32-bit word)."""
    step = 32 if wide else 20
    head = struct.pack(">II", 0xCAFEBABF if wide else 0xCAFEBABE, len(parts))
    at = 8 + step * len(parts)
    body = b""
    for architecture, data in parts.items():
        layout = ">IIQQII" if wide else ">IIIII"
        numbers = (*CPUS[architecture], at + len(body), len(data), 0)
        head += struct.pack(layout, *numbers, *((0,) if wide else ()))
        body += data
    return head + body


def trie_of(exports: dict[str, tuple[int, str] | None], *, self_edges: bool = False) -> bytes:
    """An export trie; with ``self_edges`` a name that others continue hangs from an edge without a name, last."""
    if not exports:
        return b""
    nodes: list[tuple[bytes, list[tuple[bytes, int]]]] = []
    _grow(nodes, sorted((name.encode(), entry) for name, entry in exports.items()), self_edges=self_edges)
    offsets = [0] * len(nodes)
    while True:  # an offset's own length depends on the offsets
        placed, at = [], 0
        for node in nodes:
            placed.append(at)
            at += len(_node(node, offsets))
        if placed == offsets:
            return b"".join(_node(node, offsets) for node in nodes)
        offsets = placed


def uleb(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def _grow(nodes: list, entries: list, *, self_edges: bool) -> int:
    here = len(nodes)
    terminal = b""
    nodes.append(None)
    if entries[0][0] == b"" and not (self_edges and len(entries) > 1):
        entry = entries.pop(0)[1]
        terminal = uleb(0) + uleb(0x4000) if entry is None else uleb(8) + uleb(entry[0]) + entry[1].encode() + b"\0"
    children = []
    groups: dict[bytes, list] = {}
    for name, entry in sorted(entries, key=lambda each: (each[0] == b"", each[0])):
        groups.setdefault(name[:1], []).append((name, entry))
    for group in groups.values():
        edge = _prefix([name for name, _ in group])
        children.append((edge, _grow(nodes, [(name[len(edge) :], e) for name, e in group], self_edges=self_edges)))
    nodes[here] = (terminal, children)
    return here


def _prefix(names: list[bytes]) -> bytes:
    first, last = min(names), max(names)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


def _node(node: tuple[bytes, list[tuple[bytes, int]]], offsets: list[int]) -> bytes:
    terminal, children = node
    out = uleb(len(terminal)) + terminal + bytes([len(children)])
    return out + b"".join(edge + b"\0" + uleb(offsets[child]) for edge, child in children)


def _packed(version: tuple[int, int, int]) -> int:
    return version[0] << 16 | version[1] << 8 | version[2]


def _dylib(command: int, name: str) -> bytes:
    return _string_command(command, 24, struct.pack("<III", 2, 0x10000, 0x10000), name)


def _dylib_use(name: str, flags: int) -> bytes:
    return _string_command(0x0C, 28, struct.pack("<IIII", 0x1A741800, 0x10000, 0x10000, flags), name)


def _string_command(command: int, offset: int, middle: bytes, text: str) -> bytes:
    tail = text.encode() + b"\0"
    tail += b"\0" * (-(offset + len(tail)) % 8)
    return struct.pack("<III", command, offset + len(tail), offset) + middle + tail


def _count(commands: bytes) -> int:
    count = at = 0
    while at < len(commands):
        at += struct.unpack_from("<I", commands, at + 4)[0] or len(commands)
        count += 1
    return count
