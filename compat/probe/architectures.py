"""Which processors a binary file is built for, from its first bytes: Mach-O, ELF or PE."""

from __future__ import annotations

import mmap
import os
import stat
import struct
from pathlib import Path

from compat.errors import BadBinary
from compat.facts.known import Known, Unknown

ELF = b"\x7fELF"
ELF_MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""``e_machine`` of elf.h."""
PE = b"MZ"
PE_MACHINES = {0x14C: "i386", 0x8664: "amd64", 0xAA64: "arm64"}
"""``Machine`` of the COFF header (Microsoft, "PE Format")."""
MACHO = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
"""Thin 64-bit little-endian, fat, fat_arch_64 (mach-o/loader.h, mach-o/fat.h)."""


def architectures_of(path: str | Path) -> Known[tuple[str, ...]]:
    """Return what the file is built for, two for universal2; unknown, with the reason, for a script or no binary."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - opening a named pipe would wait for ever
            return Unknown("not a regular file")
        with Path(path).open("rb") as file:
            head = file.read(64)
            if head[:4] in MACHO:
                return _macho(file.fileno())
            if head.startswith(PE):
                return _pe(head, file.read(4096))
    except (OSError, ValueError) as error:
        return Unknown(getattr(error, "strerror", None) or str(error))
    if head.startswith(ELF) and len(head) >= 20:  # noqa: PLR2004 - up to and with e_machine
        return _named(ELF_MACHINES, struct.unpack_from(">H" if head[5] == 2 else "<H", head, 18)[0])  # noqa: PLR2004
    return Unknown("a script, not a binary" if head.startswith(b"#!") else "not a binary")


def is_macho(path: str | Path) -> bool:
    """Tell whether a file begins as a Mach-O binary does."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - as above
            return False
        with Path(path).open("rb") as file:
            return file.read(4) in MACHO
    except (OSError, ValueError):
        return False


def _macho(descriptor: int) -> Known[tuple[str, ...]]:
    from compat.probe.macho import architectures

    data = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)  # only the pages of the headers are ever read
    try:
        return architectures(data)
    except BadBinary as error:
        return Unknown(error.message)


def _pe(head: bytes, rest: bytes) -> Known[tuple[str, ...]]:
    whole = head + rest
    if len(head) < 64:  # noqa: PLR2004 - the DOS header
        return Unknown("not a binary")
    offset = struct.unpack_from("<I", head, 60)[0]
    if whole[offset : offset + 4] != b"PE\0\0" or len(whole) < offset + 6:
        return Unknown("not a binary")
    return _named(PE_MACHINES, struct.unpack_from("<H", whole, offset + 4)[0])


def _named(names: dict[int, str], machine: int) -> Known[tuple[str, ...]]:
    return (names.get(machine, f"machine {machine:#x}"),)
