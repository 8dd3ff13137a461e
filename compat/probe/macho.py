"""Read what a Mach-O file says: buffer in, record out, without any of Apple's tools.

Files come from wheels and from site-packages, so nothing in them is trusted: every offset and count is checked against
the buffer before use, and whatever does not fit ends in BadBinary. Constants are those of Apple's ``mach-o/loader.h``,
``mach-o/fat.h`` and ``mach-o/nlist.h``.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from compat.errors import BadBinary
from compat.facts.image import Image, Library, Need

Buffer: TypeAlias = bytes | bytearray | memoryview | mmap.mmap

MH_MAGIC_64 = b"\xcf\xfa\xed\xfe"
FAT_MAGIC, FAT_MAGIC_64 = 0xCAFEBABE, 0xCAFEBABF
FAT_LIMIT = 42
"""Most architectures a fat file may claim: 0xCAFEBABE also begins a Java class, whose next word is 45 or more."""
MH_TWOLEVEL = 0x80
LC_SYMTAB, LC_ID_DYLIB, LC_RPATH = 0x02, 0x0D, 0x8000001C
LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION, PLATFORM_MACOS = 0x24, 0x32, 1
LC_DYLD_INFO, LC_DYLD_INFO_ONLY, LC_DYLD_EXPORTS_TRIE = 0x22, 0x80000022, 0x80000033
LIBRARY_KINDS = {0x0C: "load", 0x80000018: "weak", 0x8000001F: "reexport", 0x20: "lazy", 0x80000023: "upward"}
"""LC_LOAD_DYLIB and its variants; each of them takes the next library ordinal."""
DYLIB_USE_MARKER, DYLIB_USE_FLAGS = 0x1A741800, {0x01: "weak", 0x02: "reexport", 0x04: "upward"}
"""The newer ``dylib_use_command`` is an LC_LOAD_DYLIB whose variant stands in its flags."""
N_STAB, N_TYPE, N_EXT, N_UNDF, N_PBUD, N_WEAK_REF = 0xE0, 0x0E, 0x01, 0x00, 0x0C, 0x0040
SELF_ORDINAL, DYNAMIC_LOOKUP_ORDINAL, EXECUTABLE_ORDINAL = 0x00, 0xFE, 0xFF
COMMANDS_LIMIT = 1 << 20
"""Bytes of load commands; the images of TensorFlow 2.21 have 3 KB each."""
LIBRARIES_LIMIT = 0xFFF
"""Libraries one image may load: more than any ordinal of ``nlist_64`` (8 bits) can name; TensorFlow's load eight."""
SYMBOLS_LIMIT = 1 << 22
"""Entries of a symbol table; libtensorflow_cc of TensorFlow 2.21 has 1.4 million, a plugin a few thousand."""
NAMES_LIMIT = 16 << 20
"""Bytes of undefined names read from one image (a real plugin has 50 KB): all entries may name one huge string."""
NEED_BYTES = 64
"""What a need weighs in ``NAMES_LIMIT`` beside its name, so that a name without letters is not free."""
CPU_TYPES = {7: "i386", 0x01000007: "x86_64", 12: "arm", 0x0100000C: "arm64", 18: "ppc", 0x01000012: "ppc64"}
CPU_VARIANTS = {("arm64", 2): "arm64e", ("x86_64", 8): "x86_64h"}


@dataclass(slots=True)
class Slice:
    """One architecture of a file, its load commands read; symbols and exports stay untouched in ``data``."""

    data: memoryview
    architecture: str
    two_level: bool
    install_name: str | None = None
    libraries: list[Library] = field(default_factory=list)
    rpaths: list[str] = field(default_factory=list)
    minimum_macos: str | None = None
    sdk: str | None = None
    symtab: tuple[int, int, int, int] | None = None
    """Symbol offset, symbol count, string offset, string bytes."""
    trie: memoryview = field(default_factory=lambda: memoryview(b""))
    """The export trie, for ``compat.probe.trie``."""


def read_image(data: Buffer, architecture: str, path: str = "") -> Image:
    """Everything the record holds, needed symbols included. Raises BadBinary."""
    part = read_slice(data, architecture)
    return Image(
        path=path,
        architecture=architecture,
        install_name=part.install_name,
        libraries=tuple(part.libraries),
        rpaths=tuple(part.rpaths),
        minimum_macos=part.minimum_macos,
        sdk=part.sdk,
        needs=read_needs(part),
    )


def architectures(data: Buffer) -> tuple[str, ...]:
    """Which architectures the file holds, in its order. Raises BadBinary."""
    return tuple(name for name, _ in _parts(memoryview(data)))


def read_slice(data: Buffer, architecture: str) -> Slice:
    """Header and load commands of one architecture; touches no other page of the file. Raises BadBinary."""
    parts = dict(reversed(_parts(memoryview(data))))
    if architecture not in parts:
        raise BadBinary(f"no {architecture} in this file, only {', '.join(sorted(parts)) or 'nothing'}")
    view = parts[architecture]
    if bytes(view[:4]) != MH_MAGIC_64:
        raise BadBinary(f"its {architecture} part is no 64-bit Mach-O file")
    cpu, variant, flags = _unpack("<4xII12xI", view, 0)
    if _cpu_name(cpu, variant) != architecture:
        raise BadBinary(f"its {architecture} part says of itself that it is {_cpu_name(cpu, variant)}")
    part = Slice(view, architecture, two_level=bool(flags & MH_TWOLEVEL))
    for command, body in _load_commands(view):
        _take(part, command, body)
    return part


def read_needs(part: Slice) -> tuple[Need, ...]:
    """List the undefined symbols, sorted by name, each with the layer at which dyld looks for it.

    They come from the symbol table and not from the bind table, which also lists weak-coalesced symbols that the image
    defines itself.
    """
    if part.symtab is None:
        return ()
    symbol_offset, count, string_offset, string_size = part.symtab
    if count > SYMBOLS_LIMIT:
        raise BadBinary(f"a symbol table of {count:,} entries")
    entries = _window(part.data, symbol_offset, count * 16, "symbol table")
    strings = _window(part.data, string_offset, string_size, "string table")
    needs, unread = [], NAMES_LIMIT
    for strx, kind, _section, desc, _value in struct.iter_unpack("<IBBHQ", entries):
        if kind & N_STAB or not kind & N_EXT or kind & N_TYPE not in {N_UNDF, N_PBUD}:
            continue
        name = _string_at(strings, strx, unread)
        unread -= len(name) + NEED_BYTES
        needs.append(_need(part, name.decode(errors="replace"), desc))
    return tuple(sorted(needs, key=lambda need: need.symbol))


def _need(part: Slice, symbol: str, desc: int) -> Need:
    ordinal, weak = desc >> 8, bool(desc & N_WEAK_REF)
    if not part.two_level or ordinal == DYNAMIC_LOOKUP_ORDINAL:
        return Need(symbol=symbol, layer="flat", weak=weak)
    if ordinal in {SELF_ORDINAL, EXECUTABLE_ORDINAL}:
        return Need(symbol=symbol, layer="two-level", weak=weak)
    if ordinal > len(part.libraries):
        raise BadBinary(f"a symbol names library {ordinal} of {len(part.libraries)}")
    return Need(symbol=symbol, layer="two-level", library=part.libraries[ordinal - 1].install_name, weak=weak)


def _parts(view: memoryview) -> list[tuple[str, memoryview]]:
    """Architecture and bytes of each part; a thin file has one."""
    if bytes(view[:4]) == MH_MAGIC_64:
        return [(_cpu_name(*_unpack("<4xII", view, 0)), view)]
    magic, count = _unpack(">II", view, 0)
    if magic not in {FAT_MAGIC, FAT_MAGIC_64}:
        raise BadBinary("not a 64-bit Mach-O file")
    if count > FAT_LIMIT:
        raise BadBinary("not a Mach-O file (a Java class begins the same way)")
    # Counts are 32 bits wide in both forms; only offsets and sizes grow in fat_arch_64.
    layout, step = (">IIQQ", 32) if magic == FAT_MAGIC_64 else (">IIII", 20)
    parts = []
    for index in range(count):
        cpu, variant, offset, size = _unpack(layout, view, 8 + index * step)
        parts.append((_cpu_name(cpu, variant), _window(view, offset, size, "architecture")))
    return parts


def _cpu_name(cpu: int, variant: int) -> str:
    name = CPU_TYPES.get(cpu, f"cpu{cpu:#x}")
    return CPU_VARIANTS.get((name, variant & 0xFFFFFF), name)


def _load_commands(view: memoryview) -> Iterator[tuple[int, memoryview]]:
    count, size = _unpack("<16xII", view, 0)
    if size > COMMANDS_LIMIT:
        raise BadBinary(f"load commands of {size:,} bytes")
    commands = _window(view, 32, size, "load commands")
    position = 0
    for _ in range(count):
        command, length = _unpack("<II", commands, position)
        if length < 8:  # noqa: PLR2004 - its own two words; anything less would never end
            raise BadBinary("a load command shorter than its own header")
        yield command, _window(commands, position, length, "load command")
        position += length


def _take(part: Slice, command: int, body: memoryview) -> None:
    """Note what one load command says."""
    if command in LIBRARY_KINDS:
        if len(part.libraries) == LIBRARIES_LIMIT:
            raise BadBinary(f"more than {LIBRARIES_LIMIT} libraries")
        part.libraries.append(_library(command, body))
    elif command == LC_ID_DYLIB:
        part.install_name = _text(body)
    elif command == LC_RPATH:
        part.rpaths.append(_text(body))
    elif command == LC_SYMTAB:
        symbol_offset, count, string_offset, string_size = _unpack("<8xIIII", body, 0)
        part.symtab = (symbol_offset, count, string_offset, string_size)
    elif command in {LC_BUILD_VERSION, LC_VERSION_MIN_MACOSX}:
        _take_versions(part, command, body)
    elif command in {LC_DYLD_INFO, LC_DYLD_INFO_ONLY, LC_DYLD_EXPORTS_TRIE}:
        offset, size = _unpack("<8xII" if command == LC_DYLD_EXPORTS_TRIE else "<40xII", body, 0)
        if size:
            part.trie = _window(part.data, offset, size, "export trie")


def _take_versions(part: Slice, command: int, body: memoryview) -> None:
    if command == LC_BUILD_VERSION:
        platform, minimum, sdk = _unpack("<8xIII", body, 0)
        if platform != PLATFORM_MACOS:
            return
    else:
        minimum, sdk = _unpack("<8xII", body, 0)
    part.minimum_macos, part.sdk = _version(minimum), _version(sdk)


def _version(packed: int) -> str | None:
    """``12.1`` from 0x000C0100; a patch level only where it is not zero. None for 0, which stands for "not said"."""
    if not packed:
        return None
    major, minor, patch = packed >> 16, packed >> 8 & 0xFF, packed & 0xFF
    return f"{major}.{minor}.{patch}" if patch else f"{major}.{minor}"


def _library(command: int, body: memoryview) -> Library:
    kind = LIBRARY_KINDS[command]
    _offset, marker = _unpack("<8xII", body, 0)
    if marker == DYLIB_USE_MARKER and len(body) >= 28:  # noqa: PLR2004 - sizeof(dylib_use_command)
        (flags,) = _unpack("<24xI", body, 0)
        kind = next((name for bit, name in DYLIB_USE_FLAGS.items() if flags & bit), kind)
    return Library(install_name=_text(body), kind=kind)


def _text(body: memoryview) -> str:
    """Read the string of a load command; its offset is the first word after the header."""
    (offset,) = _unpack("<8xI", body, 0)
    return bytes(body[offset:]).split(b"\0", 1)[0].decode(errors="replace")


def _string_at(strings: memoryview, offset: int, limit: int) -> bytes:
    size = 128
    while True:
        name, end, _ = bytes(strings[offset : offset + size]).partition(b"\0")
        if end and len(name) <= limit:
            return name
        if offset + size >= len(strings) or size > limit:
            raise BadBinary("a symbol name without an end")
        size *= 8


def _window(view: memoryview, offset: int, size: int, what: str) -> memoryview:
    if offset + size > len(view):
        raise BadBinary(f"the {what} lies beyond the end of the file")
    return view[offset : offset + size]


def _unpack(layout: str, view: memoryview, offset: int) -> tuple[int, ...]:
    try:
        return struct.unpack_from(layout, view, offset)
    except struct.error:
        raise BadBinary("the file is cut short") from None
