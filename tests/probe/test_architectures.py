"""Which processors a file is built for, from its first bytes alone."""

import struct
import sys

import pytest

from compat.facts.known import Unknown, known
from compat.probe.architectures import architectures_of, is_macho

ARM64, X86_64 = 0x0100000C, 0x01000007


def thin(cpu):
    return struct.pack("<IIIIIIII", 0xFEEDFACF, cpu, 0, 2, 0, 0, 0, 0)


def fat(*cpus):
    head = struct.pack(">II", 0xCAFEBABE, len(cpus))
    entries = b"".join(struct.pack(">IIIII", cpu, 0, 4096 * (at + 1), 32, 12) for at, cpu in enumerate(cpus))
    whole = bytearray(4096 * (len(cpus) + 1))
    whole[: len(head + entries)] = head + entries
    for at, cpu in enumerate(cpus):
        whole[4096 * (at + 1) : 4096 * (at + 1) + 32] = thin(cpu)
    return bytes(whole)


def elf(machine, big=False):
    return (
        b"\x7fELF\x02"
        + (b"\x02" if big else b"\x01")
        + bytes(12)
        + struct.pack(">H" if big else "<H", machine)
        + bytes(44)
    )


def pe(machine):
    return b"MZ" + bytes(58) + struct.pack("<I", 128) + bytes(64) + b"PE\0\0" + struct.pack("<H", machine) + bytes(20)


@pytest.mark.parametrize(
    "data, architectures",
    [
        (thin(ARM64), ("arm64",)),
        (fat(X86_64, ARM64), ("x86_64", "arm64")),
        (elf(62), ("x86_64",)),
        (elf(183), ("aarch64",)),
        (elf(183, big=True), ("aarch64",)),
        (elf(0x9999), ("machine 0x9999",)),
        (pe(0x8664), ("amd64",)),
        (b"#!/bin/sh\n", Unknown("a script, not a binary")),
        (b"", Unknown("not a binary")),
        (b"\x7fELF", Unknown("not a binary")),
        (b"MZ", Unknown("not a binary")),
        (b"MZ" + b"\xff" * 80, Unknown("not a binary")),
    ],
    ids=["thin", "universal2", "elf", "elf-arm", "elf-big", "elf-unknown", "pe", "script", "empty", "elf-cut", "pe-cut", "pe-wild"],
)  # fmt: skip
def test_the_header_tells(tmp_path, data, architectures):
    (tmp_path / "file").write_bytes(data)

    assert architectures_of(tmp_path / "file") == architectures


@pytest.mark.parametrize(
    "data",
    [thin(ARM64)[:6], fat(X86_64, ARM64)[:20], b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(64)],
    ids=["thin", "fat", "java"],
)
def test_a_cut_or_false_mach_o_is_unknown_with_a_reason(tmp_path, data):
    (tmp_path / "file").write_bytes(data)

    found = architectures_of(tmp_path / "file")

    assert isinstance(found, Unknown)
    assert found.why


def test_a_file_that_is_not_there_is_unknown(tmp_path):
    assert architectures_of(tmp_path / "gone") == Unknown("No such file or directory")
    assert not is_macho(tmp_path / "gone")


def test_this_interpreter_has_one():
    assert known(architectures_of(sys.executable))


def test_only_mach_o_is_mach_o(tmp_path):
    for name, data in {"yes": thin(ARM64), "no": elf(62)}.items():
        (tmp_path / name).write_bytes(data)

    assert is_macho(tmp_path / "yes")
    assert not is_macho(tmp_path / "no")
